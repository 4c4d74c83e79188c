/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_PLOT_H
#define IOH_BENCH_PLOT_H

#include <glib.h>

#include "bench-result.h"
#include "bench-rig.h"

/* A picture of a benchmark that is still to come. */
typedef struct {
    char *path; /* NULL when none was asked for */
    char *gnuplot;
    int fd;
    gboolean created; /* there was no such file before */
} IohBenchPlot;

#define IOH_BENCH_PLOT_NONE ((IohBenchPlot){.fd = -1})

/* Opens PATH, which keeps what it holds for now, and finds gnuplot: what is missing is known before
 * anything is measured. FALSE with the error set. */
gboolean ioh_bench_plot_open (IohBenchPlot *plot, const char *path, GError **error);

/* Draws RESULT as SVG; gnuplot may say something to RIG. FALSE when a signal came, or with the
 * error set. */
gboolean ioh_bench_plot_draw (IohBenchPlot *plot, const IohBenchResult *result, IohBenchRig *rig,
                              GError **error);

/* Removes the file when it was created here and not DRAWN, and frees the rest. */
void ioh_bench_plot_close (IohBenchPlot *plot, gboolean drawn);

#endif
