/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_CELL_H
#define IOH_BENCH_CELL_H

#include <glib.h>
#include <stdint.h>

#include "bench-link.h"
#include "wire.h"

#define IOH_BENCH_AXES_MOST 4

/* One stream of one cell. */
typedef struct {
    uint64_t bytes;
    gint64 us;          /* of the stream, and of a file's flush */
    gint64 cpu_us;      /* of whoever is measured */
    gint64 peer_cpu_us; /* of the generator at the other end */
} IohBenchRun;

/* What is measured: one line of a table. Up to BYTES it is fixed once the suite has made it. */
typedef struct {
    char *labels[IOH_BENCH_AXES_MOST]; /* its place on each axis; words not translated yet */
    IohDirection direction;
    gboolean plain_reader; /* a process that reads and forgets takes iohelper's place */
    IohBenchLinkKind link;
    gboolean handed; /* the link's ends are made beforehand, see there */
    uint64_t buffer_bytes;
    size_t burst_bytes;
    size_t block_bytes; /* of one request to the file, or 0: what iohelper chooses */
    char **arguments;   /* of iohelper, besides the ends */

    uint64_t bytes;        /* of one run */
    char *refused;         /* why iohelper does not do it, or NULL */
    char *used;            /* engine and queue, by its report; NULL when it was none */
    uint64_t buffer_asked; /* of pipe or socket; 0 when nothing was */
    uint64_t buffer_used;
    GArray *runs; /* of IohBenchRun */
} IohBenchCell;

IohBenchCell *ioh_bench_cell_new (void);
void ioh_bench_cell_free (IohBenchCell *cell);

/* What a table shows of its runs. */
typedef enum {
    IOH_BENCH_MBIT,    /* Mbit/s */
    IOH_BENCH_GBIT,    /* Gbit/s */
    IOH_BENCH_SECONDS, /* for all the bytes */
    IOH_BENCH_IOPS,    /* requests to the file a second */
} IohBenchUnit;

const char *ioh_bench_unit_name (IohBenchUnit unit);

/* The median of a figure over the runs of a cell, the lowest and the highest. */
typedef struct {
    double median;
    double low;
    double high;
} IohBenchFigure;

/* Of a cell that was measured. */
IohBenchFigure ioh_bench_cell_figure (const IohBenchCell *cell, IohBenchUnit unit);
IohBenchFigure ioh_bench_cell_cpu (const IohBenchCell *cell); /* CPU seconds for 1 GiB */

/* One run in Mbit/s, and what it took of the CPU in seconds for 1 GiB. */
double ioh_bench_run_mbit (const IohBenchRun *run);
double ioh_bench_run_cpu (const IohBenchRun *run);

/* What belongs on one sheet: cells that differ along the axes. */
typedef struct {
    const char *name; /* for scripts */
    const char *title;
    const char *axes[IOH_BENCH_AXES_MOST]; /* for people, not translated yet; NULL: no more */
    const char *keys[IOH_BENCH_AXES_MOST]; /* the same for scripts */
    unsigned series;                       /* so many leading axes tell lines of a picture apart */
    IohBenchUnit unit;
    gboolean same_bytes; /* all cells move the same amount */
    gboolean compares;   /* with the first cell, the direct one: a ratio is shown */
    GPtrArray *cells;
} IohBenchTable;

IohBenchTable *ioh_bench_table_new (const char *name, const char *title, IohBenchUnit unit);
void ioh_bench_table_free (IohBenchTable *table);

/* The labels of CELL on all axes in one string; the caller frees it. */
char *ioh_bench_table_label (const IohBenchTable *table, const IohBenchCell *cell);

/* How many axes it has. */
unsigned ioh_bench_table_axes (const IohBenchTable *table);

#endif
