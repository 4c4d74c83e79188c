/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-cell - what is measured, and from runs to figures.
 *
 * Owns cells, their runs and tables of them. Measures nothing and prints nothing.
 */
#include "bench-cell.h"

#include <stdlib.h>

#include "i18n.h"

#define CELL_GIB (UINT64_C (1) << 30)

IohBenchCell *
ioh_bench_cell_new (void)
{
    IohBenchCell *cell = g_new0 (IohBenchCell, 1);

    cell->runs = g_array_new (FALSE, FALSE, sizeof (IohBenchRun));
    return cell;
}

void
ioh_bench_cell_free (IohBenchCell *cell)
{
    for (unsigned i = 0; i < IOH_BENCH_AXES_MOST; i++)
        g_free (cell->labels[i]);
    g_strfreev (cell->arguments);
    g_free (cell->refused);
    g_free (cell->used);
    g_array_unref (cell->runs);
    g_free (cell);
}

const char *
ioh_bench_unit_name (IohBenchUnit unit)
{
    static const char *const names[] = {
        [IOH_BENCH_MBIT] = "Mbit/s",
        [IOH_BENCH_GBIT] = "Gbit/s",
        [IOH_BENCH_SECONDS] = N_ ("seconds"),
        [IOH_BENCH_IOPS] = "IOPS",
    };
    return names[unit];
}

static double
run_seconds (const IohBenchRun *run)
{
    return (double) MAX (run->us, 1) / G_USEC_PER_SEC;
}

double
ioh_bench_run_mbit (const IohBenchRun *run)
{
    return (double) run->bytes * 8 / 1e6 / run_seconds (run);
}

double
ioh_bench_run_cpu (const IohBenchRun *run)
{
    return (double) run->cpu_us / G_USEC_PER_SEC * (double) CELL_GIB / (double) run->bytes;
}

static double
run_in_unit (const IohBenchCell *cell, const IohBenchRun *run, IohBenchUnit unit)
{
    switch (unit) {
    case IOH_BENCH_GBIT:
        return ioh_bench_run_mbit (run) / 1000;
    case IOH_BENCH_SECONDS:
        return run_seconds (run);
    case IOH_BENCH_IOPS:
        return (double) run->bytes / (double) cell->block_bytes / run_seconds (run);
    default:
        return ioh_bench_run_mbit (run);
    }
}

static int
figure_order (const void *a, const void *b)
{
    double left = *(const double *) a;
    double right = *(const double *) b;

    return (left > right) - (left < right);
}

/* Sorts VALUES. */
static IohBenchFigure
figure_of (GArray *values)
{
    const double *sorted = (const double *) (const void *) values->data;
    unsigned middle = values->len / 2;

    qsort (values->data, values->len, sizeof (double), figure_order);
    return (IohBenchFigure){
        .median = values->len % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
        .low = sorted[0],
        .high = sorted[values->len - 1],
    };
}

IohBenchFigure
ioh_bench_cell_figure (const IohBenchCell *cell, IohBenchUnit unit)
{
    g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));

    for (unsigned i = 0; i < cell->runs->len; i++) {
        double value = run_in_unit (cell, &g_array_index (cell->runs, IohBenchRun, i), unit);
        g_array_append_val (values, value);
    }
    return figure_of (values);
}

IohBenchFigure
ioh_bench_cell_cpu (const IohBenchCell *cell)
{
    g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));

    for (unsigned i = 0; i < cell->runs->len; i++) {
        double value = ioh_bench_run_cpu (&g_array_index (cell->runs, IohBenchRun, i));
        g_array_append_val (values, value);
    }
    return figure_of (values);
}

IohBenchTable *
ioh_bench_table_new (const char *name, const char *title, IohBenchUnit unit)
{
    IohBenchTable *table = g_new0 (IohBenchTable, 1);

    table->name = name;
    table->title = title;
    table->unit = unit;
    table->cells = g_ptr_array_new_with_free_func ((GDestroyNotify) ioh_bench_cell_free);
    return table;
}

void
ioh_bench_table_free (IohBenchTable *table)
{
    g_ptr_array_unref (table->cells);
    g_free (table);
}

unsigned
ioh_bench_table_axes (const IohBenchTable *table)
{
    unsigned count = 0;

    while (count < IOH_BENCH_AXES_MOST && table->axes[count] != NULL)
        count++;
    return count;
}

char *
ioh_bench_table_label (const IohBenchTable *table, const IohBenchCell *cell)
{
    g_autoptr (GString) label = g_string_new (NULL);

    for (unsigned i = 0; i < ioh_bench_table_axes (table); i++)
        g_string_append_printf (label, "%s%s", i > 0 ? " " : "", _ (cell->labels[i]));
    return g_string_free (g_steal_pointer (&label), FALSE);
}
