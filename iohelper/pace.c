/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pace - how long to leave a busy stream alone.
 *
 * Owns the measured rate of one stream. Arithmetic only: asks no clock and never sleeps. The same
 * rule serves both directions, since a pipe fills for us at the rate at which we drain it.
 */
#include "pace.h"

/* The longest nap: short enough that a stream that turns slow is not held up noticeably. */
#define PACE_LONGEST_US 1000

/* So long no nap is taken after one that ended late; then it is tried again. */
#define PACE_AWAKE_US 50000

void
ioh_pace_init (IohPace *pace, size_t goal_bytes, gint64 late_us)
{
    *pace = (IohPace){.goal_bytes = goal_bytes, .late_us = late_us};
}

void
ioh_pace_moved (IohPace *pace, size_t bytes)
{
    pace->moved_bytes += bytes;
}

void
ioh_pace_stopped (IohPace *pace, gint64 now_us)
{
    double elapsed_us = (double) MAX (now_us - pace->look_us, 1);
    gboolean napped = pace->due_us > pace->look_us;

    if (pace->late_us > 0 && napped && now_us - pace->due_us > pace->late_us)
        pace->awake_us = now_us + PACE_AWAKE_US;
    pace->bytes_per_us = (pace->bytes_per_us + (double) pace->moved_bytes / elapsed_us) / 2;
    pace->most_bytes = MAX (pace->most_bytes, pace->moved_bytes);
    pace->moved_bytes = 0;
    pace->look_us = now_us;
    pace->due_us = now_us;
    size_t goal_bytes = MIN (pace->goal_bytes, pace->most_bytes / 2);
    /* a stream slower than this is one to wait for */
    if (goal_bytes > 0 && now_us >= pace->awake_us &&
        (double) pace->goal_bytes <= pace->bytes_per_us * PACE_LONGEST_US)
        pace->due_us += (gint64) ((double) goal_bytes / pace->bytes_per_us);
}

gint64
ioh_pace_wait_us (const IohPace *pace, gint64 now_us)
{
    return pace->goal_bytes > 0 ? MAX (pace->due_us - now_us, 0) : 0;
}
