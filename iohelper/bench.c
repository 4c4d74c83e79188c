/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench - the command that measures: suite -> cells -> runs -> figures -> what is shown.
 *
 * Owns the order of things: whatever can be wrong is looked at before anything is measured. Each
 * stream it measures is an iohelper of its own, as users start it.
 */
#include "bench.h"

#include <errno.h>
#include <unistd.h>

#include "bench-measure.h"
#include "bench-plot.h"
#include "bench-result.h"
#include "error.h"
#include "i18n.h"
#include "standard.h"
#include "wrap.h"

typedef struct {
    const IohOptions *options;
    IohBenchRig rig;
    IohBenchPlot plot;
    IohBenchResult result;
} Bench;

static void
bench_free_table (gpointer table)
{
    ioh_bench_table_free (table);
}

/* Everything that may be refused, before anything is touched. */
static gboolean
bench_open (Bench *bench, GError **error)
{
    const IohOptions *options = bench->options;
    uint64_t bytes = options->bench.size_bytes;
    IohBenchRig *rig = &bench->rig;

    rig->cancel = ioh_cancel_new (error);
    if (rig->cancel == NULL ||
        !ioh_bench_target_open (&rig->target, options->file_path,
                                options->exists == IOH_EXISTS_OVERWRITE, error))
        return FALSE;
    if (bench->result.suite->needs_storage && !ioh_bench_target_is_storage (&rig->target))
        return ioh_error_usage (error, _ ("%s: TARGET has to be a file or a block device"),
                                bench->result.suite->name);
    if (bytes != IOH_UNSET && ioh_bench_target_is_storage (&rig->target) &&
        !ioh_bench_target_need_room (&rig->target, ioh_bench_lots (bytes), error))
        return FALSE;
    return (options->bench.plot == NULL ||
            ioh_bench_plot_open (&bench->plot, options->bench.plot, error)) &&
           ioh_bench_rig_open (rig, bytes, options->bench.zeros, error);
}

static gboolean
bench_measure (Bench *bench, GError **error)
{
    IohBenchResult *result = &bench->result;
    IohBenchProgress progress;

    result->target = &bench->rig.target;
    result->suite->build (bench->options, result->tables, result->notes);
    ioh_bench_progress_start (&progress, result->suite->name);
    ioh_bench_machine_start (&result->machine);
    gboolean measured =
        ioh_bench_measure (&bench->rig, result->tables, bench->options, &progress, error);
    ioh_bench_machine_stop (&result->machine);
    ioh_bench_progress_end (&progress);
    if (measured)
        ioh_bench_result_note (result);
    return measured;
}

static gboolean
bench_show (const Bench *bench, GError **error)
{
    g_autofree char *text =
        bench->options->json
            ? ioh_bench_result_json (&bench->result)
            : ioh_bench_result_text (&bench->result, ioh_wrap_columns (STDOUT_FILENO));

    return ioh_standard_print (text, error);
}

static gboolean
bench_run (Bench *bench, GError **error)
{
    if (!bench_open (bench, error) || !bench_measure (bench, error))
        return FALSE;
    if (bench->plot.path != NULL &&
        !ioh_bench_plot_draw (&bench->plot, &bench->result, &bench->rig, error))
        return FALSE;
    return bench_show (bench, error);
}

gboolean
ioh_bench (const IohOptions *options, int *out_signal, GError **error)
{
    Bench bench = {
        .options = options,
        .rig = IOH_BENCH_RIG_NONE,
        .plot = IOH_BENCH_PLOT_NONE,
        .result = {.options = options,
                   .suite = ioh_bench_suite_find (options->bench.suite),
                   .tables = g_ptr_array_new_with_free_func (bench_free_table),
                   .notes = g_ptr_array_new_with_free_func (g_free)},
    };
    g_autoptr (GError) failure = NULL;

    gboolean done = bench_run (&bench, &failure);
    *out_signal = !done && failure == NULL ? ioh_cancel_signal (bench.rig.cancel) : 0;
    if (failure != NULL)
        g_propagate_error (error, g_steal_pointer (&failure));
    ioh_bench_plot_close (&bench.plot, done);
    ioh_bench_rig_close (&bench.rig);
    ioh_cancel_free (bench.rig.cancel);
    ioh_bench_machine_clear (&bench.result.machine);
    g_ptr_array_unref (bench.result.tables);
    g_ptr_array_unref (bench.result.notes);
    return done;
}
