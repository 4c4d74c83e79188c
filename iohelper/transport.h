/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TRANSPORT_H
#define IOH_TRANSPORT_H

#include <glib.h>

#include "channel.h"
#include "engine.h"
#include "error.h"
#include "options.h"
#include "pace.h"
#include "peer.h"
#include "plan.h"
#include "report.h"

/* The hypervisor's end of a transfer: the inherited descriptor, tuned and paced. */
typedef struct {
    IohChannel channel;
    IohPace pace;
    IohPeer peer;       /* when the descriptor is a socket of ours; fd -1 when it was inherited */
    const char *name;   /* borrowed from the options */
    gint64 stall_us;    /* how long nothing may move at the end; 0: for ever */
    gboolean drained;   /* the last read got less than it asked for: poll before the next */
    int pipe_bytes;     /* capacity of the pipe, 0 when it is none */
    size_t chunk_bytes; /* what one call may move: the pipe's capacity; part of a socket's buffer */
} IohTransport;

/* Takes the inherited descriptor of OPTIONS, or meets the peer at its address, and tunes what it
 * has as PLAN says; notes in REPORT what came of it. A smaller pipe or buffer is slower, not wrong.
 * FALSE with the error set when there is no peer, or without it when a signal came first. */
gboolean ioh_transport_open (IohTransport *transport, const IohOptions *options,
                             const IohPlan *plan, const IohFacts *facts, IohCancel *cancel,
                             IohReport *report, GError **error);

/* Ends the stream after a restore: its reader learns of the end and, where that can be known, has
 * got everything. FALSE like ioh_transport_open. */
gboolean ioh_transport_finish (IohTransport *transport, uint64_t delivered, IohCancel *cancel,
                               GError **error);

/* Closes a socket of our own, if there is one. */
void ioh_transport_clear (IohTransport *transport);

/* For an engine that moves references, not bytes: lets more gather before each move. A restore
 * fills a pipe when half of it is empty, a save comes back when a third of it has gathered and,
 * woken by a burst, lets the hypervisor go on first. */
void ioh_transport_pace (IohTransport *transport, IohDirection direction);

/* Moving bytes. What the calls return, or -errno; -EAGAIN when it is time for ioh_transport_wait,
 * because the stream has nothing or because it pays to let more gather. Never block. */
ssize_t ioh_transport_read (IohTransport *transport, void *buffer, size_t length);
ssize_t ioh_transport_write (IohTransport *transport, const void *buffer, size_t length);

/* From the stream into the empty pipe PIPE_FD of LENGTH, by reference. */
ssize_t ioh_transport_splice (IohTransport *transport, int pipe_fd, size_t length);

/* To the stream, by reference: from the file FD at OFFSET, or out of the pipe PIPE_FD. */
ssize_t ioh_transport_send_file (IohTransport *transport, int fd, uint64_t offset, size_t length);
ssize_t ioh_transport_send_pipe (IohTransport *transport, int pipe_fd, size_t length);

/* Makes *OUT_WAIT wait for the next look at the stream: some time, or EVENTS on it. Returns
 * IOH_STEP_WAIT. */
IohStep ioh_transport_wait (const IohTransport *transport, short events, IohWait *out_wait);

/* Enlarges the pipe FD to WANTED bytes, halving while the kernel refuses. Returns the capacity it
 * has then; *OUT_ERRNO is why it is not WANTED, or 0. */
int ioh_transport_grow_pipe (int fd, int wanted, int *out_errno);

/* Where a failure of the stream at byte OFFSET happened. */
IohPlace ioh_transport_place (const IohTransport *transport, IohStage stage, uint64_t offset);

#endif
