/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_RESULT_H
#define IOH_BENCH_RESULT_H

#include <glib.h>

#include "bench-cell.h"
#include "bench-machine.h"
#include "bench-suites.h"
#include "bench-target.h"
#include "options.h"

/* A benchmark that is over, for those who show it. */
typedef struct {
    const IohOptions *options; /* borrowed, as are suite and target */
    const IohBenchSuite *suite;
    const IohBenchTarget *target;
    IohBenchMachine machine;
    GPtrArray *tables;
    GPtrArray *notes; /* strings: what makes the figures mean less than they seem to */
} IohBenchResult;

/* Adds what the figures themselves tell: refusals, sizes that were cut, a machine that was busy,
 * runs that differ too much. */
void ioh_bench_result_note (IohBenchResult *result);

/* For people: on a terminal of COLUMNS, where each line has a bar if it has room, or anywhere else
 * (0). The caller frees it. */
char *ioh_bench_result_text (const IohBenchResult *result, int columns);

/* For scripts: one JSON object. The caller frees it. */
char *ioh_bench_result_json (const IohBenchResult *result);

#endif
