/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_QUEUE_H
#define IOH_QUEUE_H

#include <glib.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

/* Several reads and writes of a file under way at once, through io_uring or threads. One thread
 * submits and reaps; nothing here waits but ioh_queue_wait. */
typedef struct IohQueue IohQueue;

typedef enum {
    IOH_REQUEST_READ,
    IOH_REQUEST_WRITE,
} IohRequestKind;

/* One request. The caller owns it and its buffer and leaves both alone from submit until it was
 * reaped. */
typedef struct IohRequest IohRequest;
struct IohRequest {
    IohRequestKind kind;
    int fd;
    unsigned buffer_index; /* which of the queue's buffers BUFFER points into */
    char *buffer;
    size_t length;
    uint64_t offset;

    /* what came of it */
    size_t done;    /* bytes moved; 0 for a new request */
    ssize_t result; /* the last answer: -errno; 0: end of the file; else bytes */

    /* the queue's */
    unsigned retries; /* answers that moved nothing */
    IohRequest *next;
};

/* What a queue is made for. The DEPTH buffers lie one behind the other in MEMORY. */
typedef struct {
    unsigned depth; /* requests in flight at most, and buffers */
    void *memory;
    size_t buffer_bytes;
    size_t align; /* the rest of a short request is submitted again while it is aligned to this */
} IohQueueSetup;

/* Makes a queue of KIND, which is not auto. 0, or -errno when the kernel refuses. */
int ioh_queue_new (IohQueueKind kind, const IohQueueSetup *setup, IohQueue **out_queue);

/* Ends a queue; nothing may be in flight. NULL is fine. */
void ioh_queue_free (IohQueue *queue);

/* Puts REQUEST under way. 0, or -errno when it cannot be: it is not in flight then. */
int ioh_queue_submit (IohQueue *queue, IohRequest *request);

/* A request that is finished, in any order, or NULL when none is now. One that came back short was
 * continued: it is finished when all is done, an error stopped it, the file ended, or what is left
 * is no longer aligned. */
IohRequest *ioh_queue_reap (IohQueue *queue);

/* The same, waiting for one; NULL when nothing is in flight. */
IohRequest *ioh_queue_wait (IohQueue *queue);

/* Readable when ioh_queue_reap may find something; for ioh_wait_for_news. */
int ioh_queue_fd (const IohQueue *queue);

unsigned ioh_queue_in_flight (const IohQueue *queue);

/* Whether this host lets us use io_uring: 0, or the errno value it refuses with; ENOPKG when this
 * build has no such queue. Tries it. */
int ioh_queue_probe_io_uring (void);

#endif
