/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PACE_H
#define IOH_PACE_H

#include <glib.h>

/* When to look at a stream again. Draining it at once for every burst wakes somebody each time and
 * contends for the pipe; it pays to come back when a good part of it has filled (or emptied, when
 * it is us who fill it). Slow streams are not paced: they are waited for, so a single byte is
 * passed on as soon as poll sees it. */
typedef struct {
    size_t goal_bytes;   /* what should have gathered at the next look; 0: not paced */
    gint64 late_us;      /* so late may a nap end that others use the processor as well; 0: any */
    size_t most_bytes;   /* that ever moved in one look: what lies between us holds no less */
    size_t moved_bytes;  /* since the look before */
    double bytes_per_us; /* measured, recent looks weigh more */
    gint64 look_us;      /* when the last look ended */
    gint64 due_us;       /* the next look pays from here on */
    gint64 awake_us;     /* no naps before: the last one ended late */
} IohPace;

/* Aims at GOAL_BYTES a look, but no more than half of the most that moved in one, since whoever
 * sends may have less room than that; 0 switches pacing off. After a nap that ended more than
 * LATE_US later than it should the stream is waited for instead, for a while; 0: naps go on however
 * late they end. */
void ioh_pace_init (IohPace *pace, size_t goal_bytes, gint64 late_us);

/* Tells that BYTES moved and there may be more at once. */
void ioh_pace_moved (IohPace *pace, size_t bytes);

/* Tells that nothing more moves at NOW_US (monotonic): drained, or filled. */
void ioh_pace_stopped (IohPace *pace, gint64 now_us);

/* Microseconds from NOW_US until the next look pays; 0 when it does now. */
gint64 ioh_pace_wait_us (const IohPace *pace, gint64 now_us);

#endif
