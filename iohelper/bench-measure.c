/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-measure - how much is moved in each cell, and in which order.
 *
 * Owns the fairness of the comparison: runs of all cells of a table take turns, so that whatever
 * the machine does meanwhile happens to all of them.
 */
#include "bench-measure.h"

#include <inttypes.h>

#include "bench-run.h"
#include "error.h"
#include "i18n.h"
#include "size.h"

/* What all runs of a cell take together when no size was given. */
#define MEASURE_CELL_US (2 * G_USEC_PER_SEC)

/* A run of so long tells how fast a cell is. It takes a few, and each of them is a warm-up. */
#define MEASURE_TRIAL_US (G_USEC_PER_SEC / 10)
#define MEASURE_TRIAL_BYTES (16 * IOH_MIB)

/* An image that is restored from, when no size was given. */
#define MEASURE_IMAGE_BYTES (1024 * IOH_MIB)
#define MEASURE_MEMORY_IMAGE_BYTES (512 * IOH_MIB)

typedef struct {
    IohBenchRig *rig;
    const IohOptions *options;
    IohBenchProgress *progress;
    GError **error;
} Measure;

/* The most whole lots that fit in BYTES. */
static uint64_t
measure_lots_within (uint64_t bytes)
{
    return bytes / IOH_BENCH_LOT_BYTES * IOH_BENCH_LOT_BYTES;
}

/* How much one stream of CELL can be. */
static uint64_t
measure_most (const Measure *measure, const IohBenchCell *cell)
{
    const IohBenchTarget *target = &measure->rig->target;

    if (cell->direction == IOH_RESTORE)
        return measure->rig->image_bytes;
    if (target->room_bytes == UINT64_MAX || !ioh_bench_target_is_storage (target))
        return measure_lots_within (INT64_MAX);
    /* others need room, too */
    return MAX (measure_lots_within (target->room_bytes / 2), IOH_BENCH_LOT_BYTES);
}

/* One run; what a save leaves is gone after it. */
static IohBenchEnd
measure_run (const Measure *measure, IohBenchCell *cell, uint64_t bytes, IohBenchRun *out_run)
{
    IohBenchRig *rig = measure->rig;

    if (cell->direction == IOH_RESTORE && rig->target.memory_fd < 0)
        ioh_bench_target_cool (&rig->target);
    IohBenchEnd end = ioh_bench_run (rig, cell, bytes, out_run, measure->error);
    if (cell->direction == IOH_SAVE)
        ioh_bench_target_remove (&rig->target);
    return end;
}

/* How much CELL moves in its share of the time. FALSE when a signal came, or with the error set. */
static gboolean
measure_size_cell (const Measure *measure, IohBenchCell *cell)
{
    uint64_t most = measure_most (measure, cell);
    uint64_t bytes = MIN (ioh_bench_lots (MEASURE_TRIAL_BYTES), most);
    gint64 share_us = MEASURE_CELL_US / measure->options->bench.runs;
    IohBenchRun run;

    for (;;) {
        IohBenchEnd end = measure_run (measure, cell, bytes, &run);
        if (end != IOH_BENCH_RAN)
            return end == IOH_BENCH_REFUSED;
        if (run.us >= MEASURE_TRIAL_US || bytes >= most)
            break;
        double factor = 1.5 * MEASURE_TRIAL_US / (double) MAX (run.us, 1);
        bytes = MIN (ioh_bench_lots ((uint64_t) ((double) bytes * CLAMP (factor, 2, 16))), most);
    }
    double rate = (double) bytes / (double) MAX (run.us, 1);
    cell->bytes = MIN (ioh_bench_lots ((uint64_t) (rate * (double) share_us)), most);
    return TRUE;
}

static int
measure_order (const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *) a;
    uint64_t right = *(const uint64_t *) b;

    return (left > right) - (left < right);
}

/* What half of the cells would rather have less of, and half more. */
static void
measure_same_bytes (IohBenchTable *table)
{
    g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (uint64_t));

    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        if (cell->refused == NULL)
            g_array_append_val (sizes, cell->bytes);
    }
    g_array_sort (sizes, measure_order);
    for (unsigned i = 0; i < table->cells->len && sizes->len > 0; i++)
        ((IohBenchCell *) g_ptr_array_index (table->cells, i))->bytes =
            g_array_index (sizes, uint64_t, sizes->len / 2);
}

static gboolean
measure_size_table (const Measure *measure, IohBenchTable *table)
{
    uint64_t given = measure->options->bench.size_bytes;

    for (unsigned i = 0; i < table->cells->len; i++) {
        IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        g_autofree char *label = ioh_bench_table_label (table, cell);
        if (given != IOH_UNSET)
            cell->bytes = ioh_bench_lots (given);
        else
            ioh_bench_progress_show (measure->progress, label);
        if (given == IOH_UNSET && !measure_size_cell (measure, cell))
            return FALSE;
    }
    if (table->same_bytes)
        measure_same_bytes (table);
    return TRUE;
}

/* Saves as anybody would. The file stays until its table is done. */
static gboolean
measure_save_image (const Measure *measure, uint64_t bytes)
{
    IohBenchCell *cell = ioh_bench_cell_new ();
    IohBenchRun run;

    cell->burst_bytes = IOH_BENCH_BURST_BYTES;
    IohBenchEnd end = ioh_bench_run (measure->rig, cell, bytes, &run, measure->error);
    ioh_bench_cell_free (cell);
    return end == IOH_BENCH_RAN;
}

/* How long an image is that can be restored from as well as memory or storage allow. */
static uint64_t
measure_image_bytes (const Measure *measure)
{
    const IohBenchTarget *target = &measure->rig->target;
    gboolean stored = ioh_bench_target_is_storage (target);
    uint64_t bytes = measure->options->bench.size_bytes;

    if (bytes != IOH_UNSET)
        return ioh_bench_lots (bytes);
    bytes = stored ? MIN (MEASURE_IMAGE_BYTES, target->room_bytes / 2)
                   : MIN (MEASURE_MEMORY_IMAGE_BYTES, ioh_bench_target_memory_most ());
    return MAX (measure_lots_within (bytes), IOH_BENCH_LOT_BYTES);
}

static gboolean
measure_make_image (const Measure *measure)
{
    IohBenchRig *rig = measure->rig;

    rig->image_bytes = measure_image_bytes (measure);
    rig->generator.burst_bytes = IOH_BENCH_BURST_BYTES;
    return ioh_bench_target_is_storage (&rig->target)
               ? measure_save_image (measure, rig->image_bytes)
               : ioh_bench_target_fill_memory (&rig->target, &rig->generator, rig->image_bytes,
                                               measure->error);
}

static gboolean
measure_restores (const IohBenchTable *table)
{
    const IohBenchCell *first = g_ptr_array_index (table->cells, 0);

    return first->direction == IOH_RESTORE;
}

/* Every cell once. */
static gboolean
measure_round (const Measure *measure, IohBenchTable *table)
{
    for (unsigned i = 0; i < table->cells->len; i++) {
        IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        g_autofree char *label = ioh_bench_table_label (table, cell);
        IohBenchRun run;
        ioh_bench_progress_show (measure->progress, label);
        measure->progress->done++;
        if (cell->refused != NULL)
            continue;
        IohBenchEnd end = measure_run (measure, cell, cell->bytes, &run);
        if (end == IOH_BENCH_RAN)
            g_array_append_val (cell->runs, run);
        else if (end != IOH_BENCH_REFUSED)
            return FALSE;
    }
    return TRUE;
}

static gboolean
measure_table (const Measure *measure, IohBenchTable *table)
{
    unsigned runs = measure->options->bench.runs;

    measure->progress->done = 0;
    measure->progress->total = 0;
    if (measure_restores (table) && !measure_make_image (measure))
        return FALSE;
    gboolean done = measure_size_table (measure, table);
    measure->progress->total = runs * table->cells->len;
    for (unsigned i = 0; i < runs && done; i++)
        done = measure_round (measure, table);
    ioh_bench_target_remove (&measure->rig->target);
    return done;
}

/* What can be known before the first stream: an image in memory needs room as any other. */
static gboolean
measure_check_image (const Measure *measure, GPtrArray *tables)
{
    gboolean restores = FALSE;

    for (unsigned i = 0; i < tables->len; i++)
        restores |= measure_restores (g_ptr_array_index (tables, i));
    if (!restores || ioh_bench_target_is_storage (&measure->rig->target) ||
        measure_image_bytes (measure) <= ioh_bench_target_memory_most ())
        return TRUE;
    g_set_error (measure->error, IOH_ERROR, IOH_EXIT_NO_ROOM,
                 _ ("an image of %" PRIu64 " bytes does not fit into memory; give a smaller "
                    "--%s or a TARGET"),
                 measure_image_bytes (measure), IOH_OPTION_SIZE);
    return FALSE;
}

gboolean
ioh_bench_measure (IohBenchRig *rig, GPtrArray *tables, const IohOptions *options,
                   IohBenchProgress *progress, GError **error)
{
    const Measure measure = {rig, options, progress, error};

    if (!measure_check_image (&measure, tables))
        return FALSE;
    for (unsigned i = 0; i < tables->len; i++)
        if (!measure_table (&measure, g_ptr_array_index (tables, i)))
            return FALSE;
    return TRUE;
}
