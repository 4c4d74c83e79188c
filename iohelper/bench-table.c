/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-table - a benchmark as people read it.
 *
 * Owns the layout. Nothing in it depends on what it is printed to but the bars.
 */
#include <inttypes.h>
#include <string.h>

#include "bench-result.h"
#include "i18n.h"
#include "printable.h"

#define TABLE_BAR_LENGTH 10

/* Rows of words that are put under each other. */
typedef struct {
    GPtrArray *rows; /* of string arrays, all of the same length */
    unsigned texts;  /* so many leading columns are aligned to the left, the others to the right */
} Columns;

static void
columns_append_row (GString *text, const Columns *columns, char **row, const unsigned *widths)
{
    g_autoptr (GString) line = g_string_new (NULL);

    for (unsigned i = 0; row[i] != NULL; i++) {
        unsigned width = (unsigned) ioh_printable_width (row[i]);
        unsigned blanks = widths[i] > width ? widths[i] - width : 0;
        gboolean left = i < columns->texts || row[i + 1] == NULL;
        if (i > 0)
            g_string_append (line, "  ");
        if (left)
            g_string_append (line, row[i]);
        g_string_append_printf (line, "%*s", (int) blanks, "");
        if (!left)
            g_string_append (line, row[i]);
    }
    g_strchomp (line->str);
    g_string_append_printf (text, "%s\n", line->str);
}

static void
columns_append (GString *text, const Columns *columns)
{
    char **first = g_ptr_array_index (columns->rows, 0);
    unsigned count = g_strv_length (first);
    g_autofree unsigned *widths = g_new0 (unsigned, count);

    for (unsigned r = 0; r < columns->rows->len; r++) {
        char **row = g_ptr_array_index (columns->rows, r);
        for (unsigned i = 0; i < count; i++)
            widths[i] = MAX (widths[i], (unsigned) ioh_printable_width (row[i]));
    }
    for (unsigned r = 0; r < columns->rows->len; r++)
        columns_append_row (text, columns, g_ptr_array_index (columns->rows, r), widths);
}

static char *
table_number (double value, IohBenchUnit unit)
{
    gboolean large = unit == IOH_BENCH_MBIT || unit == IOH_BENCH_IOPS;

    return g_strdup_printf ("%.*f", large ? 0 : 3, value);
}

static char *
table_bar (double share)
{
    const char *brick = g_get_charset (NULL) ? "\xe2\x96\x87" : "#";
    g_autoptr (GString) bar = g_string_new (NULL);

    for (int i = 0; i < (int) (share * TABLE_BAR_LENGTH + 0.5); i++)
        g_string_append (bar, brick);
    return g_string_free (g_steal_pointer (&bar), FALSE);
}

static void
row_add (GPtrArray *row, const char *word)
{
    g_ptr_array_add (row, g_strdup (word));
}

static char **
row_end (GPtrArray *row)
{
    g_ptr_array_add (row, NULL);
    return (char **) g_ptr_array_free (row, FALSE);
}

static char **
table_heading (const IohBenchTable *table)
{
    GPtrArray *row = g_ptr_array_new ();

    for (unsigned i = 0; i < ioh_bench_table_axes (table); i++)
        row_add (row, _ (table->axes[i]));
    row_add (row, _ (ioh_bench_unit_name (table->unit)));
    row_add (row, _ ("lowest"));
    row_add (row, _ ("highest"));
    if (table->unit == IOH_BENCH_SECONDS || table->unit == IOH_BENCH_IOPS)
        row_add (row, "Mbit/s");
    row_add (row, _ ("CPU s/GiB"));
    if (table->compares)
        row_add (row, _ ("ratio"));
    row_add (row, "");
    return row_end (row);
}

static void
row_add_ratio (GPtrArray *row, const IohBenchTable *table, double mbit)
{
    const IohBenchCell *first = g_ptr_array_index (table->cells, 0);

    g_ptr_array_add (
        row, g_strdup_printf ("%.2f", mbit / ioh_bench_cell_figure (first, IOH_BENCH_MBIT).median));
}

static char **
table_row (const IohBenchTable *table, const IohBenchCell *cell, double most_mbit, gboolean bars)
{
    GPtrArray *row = g_ptr_array_new ();
    IohBenchFigure figure = ioh_bench_cell_figure (cell, table->unit);
    double mbit = ioh_bench_cell_figure (cell, IOH_BENCH_MBIT).median;

    for (unsigned i = 0; i < ioh_bench_table_axes (table); i++)
        row_add (row, _ (cell->labels[i]));
    g_ptr_array_add (row, table_number (figure.median, table->unit));
    g_ptr_array_add (row, table_number (figure.low, table->unit));
    g_ptr_array_add (row, table_number (figure.high, table->unit));
    if (table->unit == IOH_BENCH_SECONDS || table->unit == IOH_BENCH_IOPS)
        g_ptr_array_add (row, table_number (mbit, IOH_BENCH_MBIT));
    g_ptr_array_add (row, g_strdup_printf ("%.3f", ioh_bench_cell_cpu (cell).median));
    if (table->compares)
        row_add_ratio (row, table, mbit);
    g_ptr_array_add (row, bars ? table_bar (mbit / most_mbit) : g_strdup (""));
    return row_end (row);
}

static double
table_most_mbit (const IohBenchTable *table)
{
    double most = 0;

    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        if (cell->runs->len > 0)
            most = MAX (most, ioh_bench_cell_figure (cell, IOH_BENCH_MBIT).median);
    }
    return most;
}

static void
table_append (GString *text, const IohBenchTable *table, gboolean bars)
{
    const Columns columns = {g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev),
                             ioh_bench_table_axes (table)};
    double most_mbit = table_most_mbit (table);

    g_string_append_printf (text, "\n%s\n", _ (table->title));
    g_ptr_array_add (columns.rows, table_heading (table));
    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        if (cell->runs->len > 0)
            g_ptr_array_add (columns.rows, table_row (table, cell, most_mbit, bars));
    }
    columns_append (text, &columns);
    g_ptr_array_unref (columns.rows);
}

static void
table_append_header (GString *text, const IohBenchResult *result)
{
    const IohBenchMachine *machine = &result->machine;
    const IohBenchTarget *target = result->target;
    g_autofree char *path = ioh_printable (target->path);

    g_string_append_printf (text, _ ("iohelper bench %s, TARGET %s, runs: %u"), result->suite->name,
                            path, result->options->bench.runs);
    if (target->file_system != NULL)
        g_string_append_printf (text, " (%s)", target->file_system);
    g_string_append_printf (text, _ ("\n%s, CPUs: %u, load %.2f\n"), machine->kernel, machine->cpus,
                            machine->load);
    g_string_append_printf (text, "pipe-max-size %" PRIu64 ", wmem_max %" PRIu64 "\n",
                            machine->pipe_max_size, machine->wmem_max);
}

char *
ioh_bench_result_text (const IohBenchResult *result, gboolean bars)
{
    g_autoptr (GString) text = g_string_new (NULL);

    table_append_header (text, result);
    for (unsigned i = 0; i < result->tables->len; i++)
        table_append (text, g_ptr_array_index (result->tables, i), bars);
    if (result->notes->len > 0)
        g_string_append_c (text, '\n');
    for (unsigned i = 0; i < result->notes->len; i++)
        g_string_append_printf (text, _ ("note: %s\n"),
                                (const char *) g_ptr_array_index (result->notes, i));
    return g_string_free (g_steal_pointer (&text), FALSE);
}
