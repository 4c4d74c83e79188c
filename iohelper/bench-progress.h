/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_PROGRESS_H
#define IOH_BENCH_PROGRESS_H

#include <glib.h>

/* One line on standard error that says how far a benchmark is; nothing where that is no terminal.
 */
typedef struct {
    gboolean shown;
    const char *suite;
    unsigned done; /* runs */
    unsigned total;
} IohBenchProgress;

/* Begins with a benchmark of SUITE. */
void ioh_bench_progress_start (IohBenchProgress *progress, const char *suite);

/* Shows that LABEL is being measured. */
void ioh_bench_progress_show (const IohBenchProgress *progress, const char *label);

/* Takes the line away. */
void ioh_bench_progress_end (const IohBenchProgress *progress);

#endif
