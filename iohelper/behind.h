/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BEHIND_H
#define IOH_BEHIND_H

#include <glib.h>
#include <stdint.h>

#include "wire.h"

/* Write-behind of buffered writes: what is written is on its way to storage at once, so that few
 * dirty pages gather and the final flush is short. With cache=drop the pages also leave. */
typedef struct {
    IohCache cache;
    uint64_t begun;   /* writing was started up to here */
    uint64_t settled; /* and was waited for up to here */
} IohBehind;

void ioh_behind_init (IohBehind *behind, IohCache cache, uint64_t start);

/* Tells that FD holds new data up to END. 0, or -errno: a flush that failed, reported this once. */
int ioh_behind_wrote (IohBehind *behind, int fd, uint64_t end);

/* Lets the pages from START to END leave the cache, after everything was flushed. */
void ioh_behind_drop (int fd, uint64_t start, uint64_t end);

#endif
