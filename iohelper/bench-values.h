/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_VALUES_H
#define IOH_BENCH_VALUES_H

#include <glib.h>

#include "values.h"

/* The values of bench's own options. */
IohTake ioh_bench_value_take_data;
IohTake ioh_bench_value_take_exists;
IohTake ioh_bench_value_take_plot;
IohTake ioh_bench_value_take_runs;
IohTake ioh_bench_value_take_size;

/* Takes SUITE and TARGET, either of which may be NULL. FALSE with a usage error. */
gboolean ioh_bench_take_operands (IohOptions *options, const char *suite, const char *target,
                                  GError **error);

/* The suites, for the help. The caller frees it. */
char *ioh_bench_describe (void);

#endif
