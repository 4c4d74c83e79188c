/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-json - a benchmark as scripts read it.
 *
 * Owns the names of its members. They are never translated and never change.
 */
#include "bench-result.h"
#include "config.h"
#include "json.h"

static void
json_add_figure (JsonBuilder *builder, const char *name, IohBenchFigure figure)
{
    ioh_json_begin_object (builder, name);
    ioh_json_add_real (builder, "median", figure.median);
    ioh_json_add_real (builder, "lowest", figure.low);
    ioh_json_add_real (builder, "highest", figure.high);
    json_builder_end_object (builder);
}

static void
json_add_runs (JsonBuilder *builder, const IohBenchCell *cell)
{
    ioh_json_begin_array (builder, "runs");
    for (unsigned i = 0; i < cell->runs->len; i++) {
        const IohBenchRun *run = &g_array_index (cell->runs, IohBenchRun, i);
        json_builder_begin_object (builder);
        ioh_json_add_real (builder, "seconds", (double) run->us / G_USEC_PER_SEC);
        ioh_json_add_real (builder, "mbit-per-second", ioh_bench_run_mbit (run));
        ioh_json_add_real (builder, "cpu-seconds", (double) run->cpu_us / G_USEC_PER_SEC);
        ioh_json_add_real (builder, "peer-cpu-seconds", (double) run->peer_cpu_us / G_USEC_PER_SEC);
        json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
}

static void
json_add_figures (JsonBuilder *builder, const IohBenchTable *table, const IohBenchCell *cell)
{
    json_add_figure (builder, "mbit-per-second", ioh_bench_cell_figure (cell, IOH_BENCH_MBIT));
    json_add_figure (builder, "seconds", ioh_bench_cell_figure (cell, IOH_BENCH_SECONDS));
    if (table->unit == IOH_BENCH_IOPS)
        json_add_figure (builder, "iops", ioh_bench_cell_figure (cell, IOH_BENCH_IOPS));
    json_add_figure (builder, "cpu-seconds-per-gib", ioh_bench_cell_cpu (cell));
    if (table->compares) {
        const IohBenchCell *first = g_ptr_array_index (table->cells, 0);
        ioh_json_add_real (builder, "ratio",
                           ioh_bench_cell_figure (cell, IOH_BENCH_MBIT).median /
                               ioh_bench_cell_figure (first, IOH_BENCH_MBIT).median);
    }
}

static void
json_add_arguments (JsonBuilder *builder, const IohBenchCell *cell)
{
    ioh_json_begin_array (builder, "options");
    for (unsigned i = 0; cell->arguments != NULL && cell->arguments[i] != NULL; i++)
        json_builder_add_string_value (builder, cell->arguments[i]);
    json_builder_end_array (builder);
}

static void
json_add_cell (JsonBuilder *builder, const IohBenchTable *table, const IohBenchCell *cell)
{
    json_builder_begin_object (builder);
    for (unsigned i = 0; i < ioh_bench_table_axes (table); i++)
        ioh_json_add_text (builder, table->keys[i], cell->labels[i]);
    ioh_json_add_text (builder, "link", ioh_bench_link_name (cell->link));
    json_add_arguments (builder, cell);
    ioh_json_add_number (builder, "burst", cell->burst_bytes);
    ioh_json_add_text (builder, "refused", cell->refused);
    ioh_json_add_text (builder, "used", cell->used);
    if (cell->buffer_asked > 0) {
        ioh_json_add_number (builder, "buffer-asked", cell->buffer_asked);
        ioh_json_add_number (builder, "buffer-used", cell->buffer_used);
    }
    if (cell->runs->len > 0) {
        ioh_json_add_number (builder, "bytes", cell->bytes);
        json_add_figures (builder, table, cell);
    }
    json_add_runs (builder, cell);
    json_builder_end_object (builder);
}

static void
json_add_tables (JsonBuilder *builder, const IohBenchResult *result)
{
    ioh_json_begin_array (builder, "tables");
    for (unsigned t = 0; t < result->tables->len; t++) {
        const IohBenchTable *table = g_ptr_array_index (result->tables, t);
        json_builder_begin_object (builder);
        ioh_json_add_text (builder, "name", table->name);
        ioh_json_begin_array (builder, "axes");
        for (unsigned i = 0; i < ioh_bench_table_axes (table); i++)
            json_builder_add_string_value (builder, table->keys[i]);
        json_builder_end_array (builder);
        ioh_json_begin_array (builder, "cells");
        for (unsigned i = 0; i < table->cells->len; i++)
            json_add_cell (builder, table, g_ptr_array_index (table->cells, i));
        json_builder_end_array (builder);
        json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
}

static void
json_add_machine (JsonBuilder *builder, const IohBenchResult *result)
{
    const IohBenchMachine *machine = &result->machine;

    ioh_json_begin_object (builder, "machine");
    ioh_json_add_text (builder, "kernel", machine->kernel);
    ioh_json_add_number (builder, "cpus", machine->cpus);
    ioh_json_add_text (builder, "file-system", result->target->file_system);
    ioh_json_add_number (builder, "pipe-max-size", machine->pipe_max_size);
    ioh_json_add_number (builder, "wmem-max", machine->wmem_max);
    if (machine->load >= 0)
        ioh_json_add_real (builder, "load", machine->load);
    if (machine->others >= 0) {
        ioh_json_add_real (builder, "others-cpus", machine->others);
        ioh_json_add_real (builder, "withheld-cpus", machine->withheld);
    }
    ioh_json_add_boolean (builder, "busy", ioh_bench_machine_was_busy (machine));
    json_builder_end_object (builder);
}

char *
ioh_bench_result_json (const IohBenchResult *result)
{
    g_autoptr (JsonBuilder) builder = json_builder_new ();

    json_builder_begin_object (builder);
    ioh_json_add_text (builder, "program", IOH_PACKAGE);
    ioh_json_add_text (builder, "version", IOH_VERSION);
    ioh_json_add_text (builder, "suite", result->suite->name);
    ioh_json_add_text (builder, "target", result->target->path);
    ioh_json_add_number (builder, "runs", result->options->bench.runs);
    ioh_json_add_text (builder, "data", result->options->bench.zeros ? "zero" : "random");
    json_add_machine (builder, result);
    ioh_json_add_texts (builder, "notes", result->notes);
    json_add_tables (builder, result);
    json_builder_end_object (builder);
    return ioh_json_print (builder);
}
