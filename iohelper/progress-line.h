/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROGRESS_LINE_H
#define IOH_PROGRESS_LINE_H

#include "progress.h"

#define IOH_PROGRESS_SAMPLES 10

/* How fast it goes, by the moments of the last seconds. All zero in the beginning. */
typedef struct {
    IohMoment samples[IOH_PROGRESS_SAMPLES]; /* a ring */
    unsigned count;                          /* ever taken */
} IohProgressRate;

/* Takes MOMENT into account. Bytes a second, or -1 when that is not known yet. */
double ioh_progress_rate (IohProgressRate *rate, const IohMoment *moment);

/* MOMENT as one line for people that leaves the last of COLUMNS free, without an end: phase, bytes,
 * percentage, RATE in bytes a second (-1: not known), time left or else passed. What has no room is
 * left out. The percentage is at most 99: what is told of is not done yet. The caller frees it. */
char *ioh_progress_line (const IohMoment *moment, double rate, int columns);

#endif
