/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-progress - how far a benchmark is, for whoever sits in front of it.
 *
 * Owns one line of a terminal.
 */
#include "bench-progress.h"

#include <stdio.h>
#include <unistd.h>

#include "i18n.h"
#include "printable.h"
#include "wrap.h"

#define PROGRESS_CLEAR "\r\033[K"

void
ioh_bench_progress_start (IohBenchProgress *progress, const char *suite)
{
    *progress = (IohBenchProgress){.shown = isatty (STDERR_FILENO), .suite = suite};
}

void
ioh_bench_progress_show (const IohBenchProgress *progress, const char *label)
{
    if (!progress->shown)
        return;
    g_autofree char *line =
        progress->total == 0
            ? g_strdup_printf (_ ("%s: finding how much to move: %s"), progress->suite, label)
            : g_strdup_printf (_ ("%s: run %u of %u: %s"), progress->suite, progress->done + 1,
                               progress->total, label);
    ioh_printable_cut (line, ioh_wrap_columns (STDERR_FILENO) - 1);
    fprintf (stderr, PROGRESS_CLEAR "%s", line);
    fflush (stderr);
}

void
ioh_bench_progress_end (const IohBenchProgress *progress)
{
    if (!progress->shown)
        return;
    fputs (PROGRESS_CLEAR, stderr);
    fflush (stderr);
}
