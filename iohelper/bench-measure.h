/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_MEASURE_H
#define IOH_BENCH_MEASURE_H

#include <glib.h>

#include "bench-cell.h"
#include "bench-progress.h"
#include "bench-rig.h"
#include "options.h"

/* Measures all TABLES, one after the other: finds how much to move in each cell, unless OPTIONS say
 * so, then runs cell after cell of a table, and all of them again. FALSE with the error set, or
 * without it when a signal came. */
gboolean ioh_bench_measure (IohBenchRig *rig, GPtrArray *tables, const IohOptions *options,
                            IohBenchProgress *progress, GError **error);

#endif
