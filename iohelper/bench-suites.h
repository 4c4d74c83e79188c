/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_SUITES_H
#define IOH_BENCH_SUITES_H

#include <glib.h>

#include "bench-cell.h"
#include "bench-target.h"
#include "options.h"

/* A question, and the tables that answer it. */
typedef struct {
    const char *name;
    const char *summary; /* for people, not translated yet */
    gboolean needs_storage;
    /* Appends its tables; NOTES takes what has to be left out, and why. */
    void (*build) (const IohOptions *options, GPtrArray *tables, GPtrArray *notes);
} IohBenchSuite;

/* The suite NAME, or NULL; the first one is what no name means. */
const IohBenchSuite *ioh_bench_suite_find (const char *name);

/* The suite at INDEX, or NULL behind the last. */
const IohBenchSuite *ioh_bench_suite_nth (unsigned index);

/* All names; the caller frees them. */
char **ioh_bench_suite_names (void);

#endif
