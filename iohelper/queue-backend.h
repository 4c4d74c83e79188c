/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_QUEUE_BACKEND_H
#define IOH_QUEUE_BACKEND_H

#include "queue.h"

/* One way to carry out requests. Everything is called by the queue's one thread; results are
 * -errno, and what is short, interrupted or refused is for queue.c to judge. */
typedef struct {
    /* *OUT_STATE is for the other functions, *OUT_FD readable when reap may find something, unless
     * the kernel refuses to make it so. */
    int (*open) (const IohQueueSetup *setup, gpointer *out_state, int *out_fd);

    /* Carries out what is not DONE of REQUEST. */
    int (*submit) (gpointer state, IohRequest *request);

    /* A request that was answered, its result set, or NULL. Never waits. */
    IohRequest *(*reap) (gpointer state);

    /* Waits until reap finds something; something is in flight. */
    void (*wait) (gpointer state);

    /* Called with nothing in flight. */
    void (*close) (gpointer state);

    /* As ioh_queue_probe_io_uring. */
    int (*probe) (void);
} IohQueueBackend;

extern const IohQueueBackend ioh_queue_uring;
extern const IohQueueBackend ioh_queue_threads;

#endif
