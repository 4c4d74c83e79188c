/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RATE_H
#define IOH_RATE_H

#include <glib.h>
#include <stdint.h>

/* A steady rate. Time in which nothing came is lost, not saved up for a burst. */
typedef struct {
    uint64_t bytes_per_s; /* 0: no limit */
    uint64_t seen_bytes;
    gint64 due_us; /* when what was moved so far should have been moved */
} IohRate;

void ioh_rate_init (IohRate *rate, uint64_t bytes_per_s);

/* TOTAL_BYTES have moved by NOW_US (monotonic): microseconds to pause before the next move. */
gint64 ioh_rate_pause_us (IohRate *rate, uint64_t total_bytes, gint64 now_us);

/* How much to move at once for a rate to look steady; SIZE_MAX without a limit. */
size_t ioh_rate_batch_bytes (uint64_t bytes_per_s);

#endif
