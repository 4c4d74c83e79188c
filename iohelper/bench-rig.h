/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_RIG_H
#define IOH_BENCH_RIG_H

#include <glib.h>
#include <stdint.h>

#include "bench-generator.h"
#include "bench-target.h"
#include "cancel.h"

/* A lot is so many records that it is made of whole pages of a file as well. Every stream is a
 * number of lots, so that any lot of an image can be where a restore begins. */
#define IOH_BENCH_LOT_RECORDS (IOH_BENCH_PAGE_BYTES / IOH_BENCH_HEADER_BYTES)
#define IOH_BENCH_LOT_BYTES (IOH_BENCH_LOT_RECORDS * (uint64_t) IOH_BENCH_RECORD_BYTES)

/* BYTES in whole lots, at least one. */
uint64_t ioh_bench_lots (uint64_t bytes);

/* What a process of the generator tells, in memory that is shared with it. */
typedef struct {
    gint64 start_us;
    gint64 end_us;
    uint64_t bytes;
    int error_number;
} IohBenchTally;

/* What cells are measured with, one after the other. */
typedef struct {
    IohCancel *cancel; /* borrowed */
    IohBenchTarget target;
    IohBenchGenerator generator;
    IohBenchTally *tally;
    uint64_t image_bytes; /* of what restores find, in the target or in memory; 0: nothing yet */
    int report_fd;        /* iohelper's report goes there */
    int messages_fd;      /* and its standard error */
} IohBenchRig;

#define IOH_BENCH_RIG_NONE                                                                         \
    ((IohBenchRig){.target = IOH_BENCH_TARGET_NONE, .report_fd = -1, .messages_fd = -1})

/* Makes the guest memory, of at most BYTES: random, or ZEROS. FALSE with the error set. */
gboolean ioh_bench_rig_open (IohBenchRig *rig, uint64_t bytes, gboolean zeros, GError **error);

/* Empties the descriptors that are written by the next run. */
void ioh_bench_rig_clear (IohBenchRig *rig);

/* What a run has written to FD; the caller frees it. */
char *ioh_bench_rig_text (int fd);

/* Closes the target as well. */
void ioh_bench_rig_close (IohBenchRig *rig);

#endif
