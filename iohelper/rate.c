/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rate - how long to pause for a transfer to be no faster than it may be.
 *
 * Arithmetic only: asks no clock and never sleeps.
 */
#include "rate.h"

#define RATE_BATCHES_PER_S 20
#define RATE_LEAST_BATCH 4096

void
ioh_rate_init (IohRate *rate, uint64_t bytes_per_s)
{
    *rate = (IohRate){.bytes_per_s = bytes_per_s};
}

gint64
ioh_rate_pause_us (IohRate *rate, uint64_t total_bytes, gint64 now_us)
{
    uint64_t bytes = total_bytes - rate->seen_bytes;

    if (rate->bytes_per_s == 0)
        return 0;
    rate->seen_bytes = total_bytes;
    rate->due_us = MAX (rate->due_us, now_us) +
                   (gint64) ((double) bytes * G_USEC_PER_SEC / (double) rate->bytes_per_s);
    return rate->due_us - now_us;
}

size_t
ioh_rate_batch_bytes (uint64_t bytes_per_s)
{
    if (bytes_per_s == 0)
        return SIZE_MAX;
    return MAX ((size_t) (bytes_per_s / RATE_BATCHES_PER_S), RATE_LEAST_BATCH);
}
