/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_RUN_H
#define IOH_BENCH_RUN_H

#include <glib.h>

#include "bench-cell.h"
#include "bench-rig.h"

typedef enum {
    IOH_BENCH_RAN,
    IOH_BENCH_REFUSED,   /* iohelper does not do this; the cell knows why */
    IOH_BENCH_CANCELLED, /* a signal came */
    IOH_BENCH_FAILED,    /* the error is set */
} IohBenchEnd;

/* Sends one stream of BYTES through CELL, by a process of iohelper and one of the generator, and
 * waits for both. A restore begins so far into the image that so much is left. What was saved to a
 * file stays there, as the target's own. *OUT_RUN only when it ran. */
IohBenchEnd ioh_bench_run (IohBenchRig *rig, IohBenchCell *cell, uint64_t bytes,
                           IohBenchRun *out_run, GError **error);

#endif
