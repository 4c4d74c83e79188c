/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-notes - what makes figures mean less than they seem to.
 *
 * Owns the remarks under a table. Changes no figure.
 */
#include <inttypes.h>

#include "bench-result.h"
#include "i18n.h"

/* Runs of one cell that lie further apart than this share of their median. */
#define NOTES_SPREAD_MOST 0.5

static void notes_add (GPtrArray *notes, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
notes_add (GPtrArray *notes, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    char *note = g_strdup_vprintf (format, args);
    va_end (args);
    if (g_ptr_array_find_with_equal_func (notes, note, g_str_equal, NULL))
        g_free (note);
    else
        g_ptr_array_add (notes, note);
}

/* Several cells that are refused for one reason are one remark. */
static void
notes_add_cell (IohBenchResult *result, const IohBenchCell *cell)
{
    if (cell->refused != NULL)
        notes_add (result->notes, _ ("not measured: %s"), cell->refused);
    if (cell->runs->len == 0 || cell->buffer_used >= cell->buffer_asked)
        return;
    if (cell->link == IOH_BENCH_PIPE)
        notes_add (result->notes,
                   _ ("a pipe of %" PRIu64 " bytes was asked for, %" PRIu64
                      " were got: sysctl fs.pipe-max-size, or the user has too many"),
                   cell->buffer_asked, cell->buffer_used);
    else
        notes_add (result->notes,
                   _ ("a buffer of %" PRIu64 " bytes was asked for, %" PRIu64
                      " were got: sysctl net.core.wmem_max allows more"),
                   cell->buffer_asked, cell->buffer_used);
}

static gboolean
notes_is_unsteady (const IohBenchCell *cell)
{
    if (cell->runs->len < 2)
        return FALSE;
    IohBenchFigure figure = ioh_bench_cell_figure (cell, IOH_BENCH_MBIT);
    return figure.high - figure.low > NOTES_SPREAD_MOST * figure.median;
}

static void
notes_add_machine (IohBenchResult *result)
{
    const IohBenchMachine *machine = &result->machine;

    if (!ioh_bench_machine_was_busy (machine))
        return;
    notes_add (result->notes,
               _ ("the machine was busy: load %.2f before; meanwhile others and the kernel used "
                  "%.2f CPUs, its host withheld %.2f"),
               MAX (machine->load, 0), MAX (machine->others, 0), MAX (machine->withheld, 0));
}

void
ioh_bench_result_note (IohBenchResult *result)
{
    unsigned unsteady = 0;
    unsigned measured = 0;

    notes_add_machine (result);
    for (unsigned t = 0; t < result->tables->len; t++) {
        const IohBenchTable *table = g_ptr_array_index (result->tables, t);
        for (unsigned i = 0; i < table->cells->len; i++) {
            const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
            notes_add_cell (result, cell);
            measured += cell->runs->len > 0;
            unsteady += notes_is_unsteady (cell);
        }
    }
    if (unsteady > 0)
        notes_add (result->notes,
                   _ ("in %u of %u lines the runs differ by more than half of their median: more "
                      "--%s, a larger --%s or a quieter machine help"),
                   unsteady, measured, IOH_OPTION_RUNS, IOH_OPTION_SIZE);
}
