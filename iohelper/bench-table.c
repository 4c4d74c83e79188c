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
#include "size.h"
#include "wrap.h"

#define TABLE_BAR_LENGTH 10

/* Blanks between two columns. */
#define TABLE_GAP 2

/* Before the second line of what has no room in one. */
#define TABLE_INDENT 2

/* Rows of words that are put under each other. */
typedef struct {
    GPtrArray *rows; /* of string arrays, all of the same length */
    unsigned texts;  /* so many leading columns are aligned to the left, the others to the right */
} Columns;

static void
columns_append_row (GString *text, const Columns *columns, char **row, const unsigned *widths,
                    unsigned count, unsigned gap)
{
    g_autoptr (GString) line = g_string_new (NULL);

    for (unsigned i = 0; i < count; i++) {
        unsigned width = (unsigned) ioh_printable_width (row[i]);
        unsigned blanks = widths[i] > width ? widths[i] - width : 0;
        gboolean left = i < columns->texts || row[i + 1] == NULL;
        if (i > 0)
            g_string_append_printf (line, "%*s", (int) gap, "");
        if (left)
            g_string_append (line, row[i]);
        g_string_append_printf (line, "%*s", (int) blanks, "");
        if (!left)
            g_string_append (line, row[i]);
    }
    g_strchomp (line->str);
    g_string_append_printf (text, "%s\n", line->str);
}

/* The columns of a terminal that the first COUNT take with GAP between them. */
static unsigned
columns_sum (const unsigned *widths, unsigned count, unsigned gap)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += widths[i] + (i > 0 ? gap : 0);
    return sum;
}

/* Without the last of them, the bars, where they have no room in ROOM (0: there are none), and
 * closer to each other where that is not enough. */
static void
columns_append (GString *text, const Columns *columns, int room)
{
    char **first = g_ptr_array_index (columns->rows, 0);
    unsigned count = g_strv_length (first);
    unsigned gap = TABLE_GAP;
    g_autofree unsigned *widths = g_new0 (unsigned, count);

    for (unsigned r = 0; r < columns->rows->len; r++) {
        char **row = g_ptr_array_index (columns->rows, r);
        for (unsigned i = 0; i < count; i++)
            widths[i] = MAX (widths[i], (unsigned) ioh_printable_width (row[i]));
    }
    if (columns_sum (widths, count, gap) > (unsigned) room)
        count--;
    if (room > 0 && columns_sum (widths, count, gap) > (unsigned) room)
        gap = 1;
    for (unsigned r = 0; r < columns->rows->len; r++)
        columns_append_row (text, columns, g_ptr_array_index (columns->rows, r), widths, count,
                            gap);
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
table_row (const IohBenchTable *table, const IohBenchCell *cell, double most_mbit)
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
    g_ptr_array_add (row, table_bar (mbit / most_mbit));
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
table_append (GString *text, const IohBenchTable *table, int room)
{
    const Columns columns = {g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev),
                             ioh_bench_table_axes (table)};
    double most_mbit = table_most_mbit (table);

    g_string_append_c (text, '\n');
    ioh_wrap_append (text, TABLE_INDENT, _ (table->title), room);
    g_ptr_array_add (columns.rows, table_heading (table));
    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        if (cell->runs->len > 0)
            g_ptr_array_add (columns.rows, table_row (table, cell, most_mbit));
    }
    columns_append (text, &columns, room);
    g_ptr_array_unref (columns.rows);
}

/* How much one run moves: it may differ from cell to cell. NULL when nothing was measured. */
static char *
table_bytes (const IohBenchResult *result)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (unsigned t = 0; t < result->tables->len; t++) {
        const IohBenchTable *table = g_ptr_array_index (result->tables, t);
        for (unsigned i = 0; i < table->cells->len; i++) {
            const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
            if (cell->runs->len > 0) {
                least = MIN (least, cell->bytes);
                most = MAX (most, cell->bytes);
            }
        }
    }
    if (most == 0)
        return NULL;
    g_autofree char *low = ioh_size_format (least);
    g_autofree char *high = ioh_size_format (most);
    if (g_str_equal (low, high))
        return g_steal_pointer (&low);
    return g_strdup_printf (_ ("%s to %s"), low, high);
}

static char *
table_runs (const IohBenchResult *result)
{
    g_autofree char *bytes = table_bytes (result);
    unsigned runs = result->options->bench.runs;

    if (bytes == NULL)
        return g_strdup_printf (_ ("runs: %u"), runs);
    return g_strdup_printf (_ ("runs: %u, each of %s"), runs, bytes);
}

static void
table_append_header (GString *text, const IohBenchResult *result, int room)
{
    const IohBenchMachine *machine = &result->machine;
    const IohBenchTarget *target = result->target;
    const char *file_system = target->file_system;
    g_autofree char *path = ioh_printable (target->path);
    g_autofree char *what = g_strdup_printf (
        "iohelper bench %s %s%s%s%s", result->suite->name, path, file_system != NULL ? " (" : "",
        file_system != NULL ? file_system : "", file_system != NULL ? ")" : "");
    g_autofree char *runs = table_runs (result);
    g_autofree char *where = g_strdup_printf (_ ("%s, CPUs: %u, load %.2f"), machine->kernel,
                                              machine->cpus, machine->load);

    ioh_wrap_append (text, TABLE_INDENT, what, room);
    ioh_wrap_append (text, TABLE_INDENT, runs, room);
    ioh_wrap_append (text, TABLE_INDENT, where, room);
    g_string_append_printf (text, "pipe-max-size %" PRIu64 ", wmem_max %" PRIu64 "\n",
                            machine->pipe_max_size, machine->wmem_max);
}

char *
ioh_bench_result_text (const IohBenchResult *result, int columns)
{
    g_autoptr (GString) text = g_string_new (NULL);

    table_append_header (text, result, columns);
    for (unsigned i = 0; i < result->tables->len; i++)
        table_append (text, g_ptr_array_index (result->tables, i), columns);
    if (result->notes->len > 0)
        g_string_append_c (text, '\n');
    for (unsigned i = 0; i < result->notes->len; i++) {
        g_autofree char *note =
            g_strdup_printf (_ ("note: %s"), (char *) g_ptr_array_index (result->notes, i));
        ioh_wrap_append (text, TABLE_INDENT, note, columns);
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}
