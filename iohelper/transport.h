/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TRANSPORT_H
#define IOH_TRANSPORT_H

#include <glib.h>

#include "channel.h"
#include "error.h"
#include "options.h"
#include "plan.h"
#include "report.h"

/* The hypervisor's end of a transfer: the inherited descriptor, tuned. */
typedef struct {
    IohChannel channel;
    const char *name; /* borrowed from the options */
    int pipe_bytes;   /* capacity of the pipe, 0 when it is none */
} IohTransport;

/* Tunes the descriptor of OPTIONS as PLAN says and notes in REPORT what came of it. Never fails: a
 * smaller pipe is slower, not wrong. */
void ioh_transport_init (IohTransport *transport, const IohOptions *options, const IohPlan *plan,
                         const IohFacts *facts, IohReport *report);

/* Enlarges the pipe FD to WANTED bytes, halving while the kernel refuses. Returns the capacity it
 * has then; *OUT_ERRNO is why it is not WANTED, or 0. */
int ioh_transport_grow_pipe (int fd, int wanted, int *out_errno);

/* Where a failure of the stream at byte OFFSET happened. */
IohPlace ioh_transport_place (const IohTransport *transport, IohStage stage, uint64_t offset);

#endif
