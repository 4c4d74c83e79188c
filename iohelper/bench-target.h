/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_TARGET_H
#define IOH_BENCH_TARGET_H

#include <glib.h>
#include <stdint.h>

#include "bench-generator.h"
#include "probe.h"

/* What a benchmark saves to and restores from. */
typedef struct {
    char *path; /* absolute, links resolved */
    IohEndKind kind;
    const char *file_system; /* its name, or NULL; static */
    gboolean in_place;       /* something was there and may be written over */
    gboolean ours;           /* the file at path was made by us */
    uint64_t room_bytes;     /* a stream finds room for; UINT64_MAX without a limit */
    int memory_fd;           /* holds the image where path cannot; -1 without one */
} IohBenchTarget;

#define IOH_BENCH_TARGET_NONE ((IohBenchTarget){.memory_fd = -1})

/* Looks at PATH and refuses what must not be written to: what exists, unless OVERWRITE, and what
 * is in use. Changes nothing. FALSE with the error set. */
gboolean ioh_bench_target_open (IohBenchTarget *target, const char *path, gboolean overwrite,
                                GError **error);

/* Whether it has positions, so that what was saved can be restored from it. */
gboolean ioh_bench_target_is_storage (const IohBenchTarget *target);

/* Refuses a stream of BYTES for which there is no room. */
gboolean ioh_bench_target_need_room (const IohBenchTarget *target, uint64_t bytes, GError **error);

/* Puts the first BYTES of GENERATOR's stream into memory, for restores when nothing can be saved
 * to the path. */
gboolean ioh_bench_target_fill_memory (IohBenchTarget *target, const IohBenchGenerator *generator,
                                       uint64_t bytes, GError **error);

/* How much of the machine's memory a benchmark may take. */
uint64_t ioh_bench_target_memory_most (void);

/* Takes what is there out of the page cache. */
void ioh_bench_target_cool (const IohBenchTarget *target);

/* Removes the file if it is ours. */
void ioh_bench_target_remove (IohBenchTarget *target);

/* Removes it and frees the rest. */
void ioh_bench_target_close (IohBenchTarget *target);

#endif
