/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-suites - what is compared with what.
 *
 * Owns the axes of each suite and the places on them, that is, how iohelper is started for each
 * cell. Measures nothing.
 */
#include "bench-suites.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "engine.h"
#include "i18n.h"
#include "size.h"
#include "sys.h"

#define SUITES_PIPE_LEAST (64 * IOH_KIB)

/* Pipes are doubled up to this, should the kernel go so far. */
#define SUITES_PIPE_MOST (1024 * IOH_MIB)

/* What libiohelper gives the sender of a socketpair. */
#define SUITES_SOCKET_BYTES IOH_MIB

/* An amount as options take it: 64K, 1M. The caller frees it. */
static char *
suites_spell (uint64_t bytes)
{
    if (bytes >= IOH_MIB && bytes % IOH_MIB == 0)
        return g_strdup_printf ("%" PRIu64 "M", bytes / IOH_MIB);
    if (bytes >= IOH_KIB && bytes % IOH_KIB == 0)
        return g_strdup_printf ("%" PRIu64 "K", bytes / IOH_KIB);
    return g_strdup_printf ("%" PRIu64, bytes);
}

/* One more column that tells lines apart: KEY for scripts, NAME for people. */
static void
suites_add_axis (IohBenchTable *table, const char *key, const char *name)
{
    unsigned axis = ioh_bench_table_axes (table);

    table->keys[axis] = key;
    table->axes[axis] = name;
}

static IohBenchCell *
suites_add_cell (IohBenchTable *table, IohDirection direction, IohBenchLinkKind link,
                 const IohOptions *options)
{
    IohBenchCell *cell = ioh_bench_cell_new ();

    cell->direction = direction;
    cell->link = link;
    cell->burst_bytes = (size_t) options->bench.burst_bytes;
    g_ptr_array_add (table->cells, cell);
    return cell;
}

static void
suites_argue (IohBenchCell *cell, GPtrArray *arguments)
{
    g_ptr_array_add (arguments, NULL);
    cell->arguments = (char **) g_ptr_array_free (arguments, FALSE);
}

/* summary: every transport by every engine, against nobody in between */

static void
summary_add_direct (IohBenchTable *table, const IohOptions *options)
{
    IohBenchCell *cell = suites_add_cell (table, IOH_SAVE, IOH_BENCH_UNIX, options);

    cell->plain_reader = TRUE;
    cell->handed = TRUE;
    cell->labels[0] = g_strdup ("unix");
    cell->labels[1] = g_strdup (N_ ("(direct)"));
}

static void
summary_add (IohBenchTable *table, IohBenchLinkKind link, const char *engine,
             const IohOptions *options)
{
    IohBenchCell *cell = suites_add_cell (table, IOH_SAVE, link, options);
    GPtrArray *arguments = g_ptr_array_new ();

    cell->labels[0] = g_strdup (ioh_bench_link_name (link));
    cell->labels[1] = g_strdup (engine);
    if (link == IOH_BENCH_SOCKETPAIR)
        cell->buffer_asked = SUITES_SOCKET_BYTES;
    g_ptr_array_add (arguments, g_strdup_printf ("--%s=%s", IOH_OPTION_ENGINE, engine));
    suites_argue (cell, arguments);
}

static void
summary_build (const IohOptions *options, GPtrArray *tables, GPtrArray *notes)
{
    static const IohBenchLinkKind links[] = {IOH_BENCH_PIPE, IOH_BENCH_SOCKETPAIR, IOH_BENCH_UNIX,
                                             IOH_BENCH_TCP};
    IohBenchTable *table = ioh_bench_table_new (
        "summary", N_ ("Saving, by transport and engine, against a plain reader"), IOH_BENCH_MBIT);
    const IohEngine *engine;

    suites_add_axis (table, "stream", N_ ("stream"));
    suites_add_axis (table, "engine", N_ ("engine"));
    table->same_bytes = TRUE;
    table->compares = TRUE;
    g_ptr_array_add (tables, table);
    summary_add_direct (table, options);
    for (unsigned i = 0; i < G_N_ELEMENTS (links); i++) {
        summary_add (table, links[i], IOH_ENGINE_AUTO, options);
        for (unsigned e = 0; (engine = ioh_engine_nth (e)) != NULL; e++)
            summary_add (table, links[i], engine->name, options);
    }
}

/* pipe-size */

/* The largest pipe that the kernel gives us. */
static uint64_t
pipe_size_largest (void)
{
    int fds[2];
    uint64_t largest = SUITES_PIPE_LEAST;

    if (ioh_sys_pipe (fds) < 0)
        return largest;
    while (largest < SUITES_PIPE_MOST && ioh_sys_set_pipe_size (fds[0], (int) (2 * largest)) >= 0)
        largest *= 2;
    ioh_sys_close (fds[0]);
    ioh_sys_close (fds[1]);
    return largest;
}

static void
pipe_size_build (const IohOptions *options, GPtrArray *tables, GPtrArray *notes)
{
    IohBenchTable *table =
        ioh_bench_table_new ("pipe-size", N_ ("Saving, by the size of the pipe"), IOH_BENCH_MBIT);
    uint64_t largest = pipe_size_largest ();

    suites_add_axis (table, "pipe-size", N_ ("pipe size"));
    table->same_bytes = TRUE;
    g_ptr_array_add (tables, table);
    for (uint64_t bytes = SUITES_PIPE_LEAST; bytes <= largest; bytes *= 2) {
        IohBenchCell *cell = suites_add_cell (table, IOH_SAVE, IOH_BENCH_PIPE, options);
        GPtrArray *arguments = g_ptr_array_new ();
        cell->labels[0] = suites_spell (bytes);
        cell->buffer_asked = bytes;
        g_ptr_array_add (arguments, g_strdup_printf ("--%s=%" PRIu64, IOH_OPTION_PIPE_SIZE, bytes));
        suites_argue (cell, arguments);
    }
    if (largest < SUITES_PIPE_MOST) {
        g_autofree char *spelled = suites_spell (largest);
        g_ptr_array_add (notes, g_strdup_printf (_ ("pipes larger than %s were refused; sysctl "
                                                    "fs.pipe-max-size or privileges allow them"),
                                                 spelled));
    }
}

/* socket-buffer */

static IohBenchTable *
socket_buffer_table (const char *name, const char *title, IohDirection direction,
                     const IohOptions *options)
{
    static const IohBenchLinkKind links[] = {IOH_BENCH_UNIX, IOH_BENCH_TCP};
    static const uint64_t sizes[] = {0, 512 * IOH_KIB, IOH_MIB, 2 * IOH_MIB, 4 * IOH_MIB};
    IohBenchTable *table = ioh_bench_table_new (name, title, IOH_BENCH_SECONDS);

    suites_add_axis (table, "socket", N_ ("socket"));
    suites_add_axis (table, "send-buffer", N_ ("send buffer"));
    table->series = 1;
    table->same_bytes = TRUE;
    for (unsigned i = 0; i < G_N_ELEMENTS (links); i++) {
        for (unsigned s = 0; s < G_N_ELEMENTS (sizes); s++) {
            IohBenchCell *cell = suites_add_cell (table, direction, links[i], options);
            /* iohelper leaves the buffer of a socket alone that it was handed */
            cell->handed = TRUE;
            cell->buffer_asked = sizes[s];
            cell->labels[0] = g_strdup (ioh_bench_link_name (links[i]));
            cell->labels[1] = sizes[s] > 0 ? suites_spell (sizes[s]) : g_strdup (N_ ("default"));
        }
    }
    return table;
}

static void
socket_buffer_build (const IohOptions *options, GPtrArray *tables, GPtrArray *notes)
{
    g_ptr_array_add (tables,
                     socket_buffer_table ("save", N_ ("Saving (iohelper reads), by send buffer"),
                                          IOH_SAVE, options));
    g_ptr_array_add (
        tables, socket_buffer_table ("restore", N_ ("Restoring (iohelper writes), by send buffer"),
                                     IOH_RESTORE, options));
}

/* message-size */

static void
message_size_add_link (IohBenchTable *table, IohBenchLinkKind link, const IohOptions *options)
{
    static const size_t sizes[] = {64, 256, 1024, 4096, 16 << 10, 64 << 10, 256 << 10, 512 << 10};

    for (unsigned s = 0; s < G_N_ELEMENTS (sizes); s++) {
        IohBenchCell *cell = suites_add_cell (table, IOH_SAVE, link, options);
        cell->burst_bytes = sizes[s];
        cell->labels[0] = g_strdup (ioh_bench_link_name (link));
        cell->labels[1] = suites_spell (sizes[s]);
    }
}

static void
message_size_build (const IohOptions *options, GPtrArray *tables, GPtrArray *notes)
{
    static const IohBenchLinkKind links[] = {IOH_BENCH_PIPE, IOH_BENCH_UNIX, IOH_BENCH_TCP,
                                             IOH_BENCH_VSOCK};
    IohBenchTable *table = ioh_bench_table_new (
        "message-size", N_ ("Saving, by the bytes of one write of the sender"), IOH_BENCH_GBIT);

    suites_add_axis (table, "stream", N_ ("stream"));
    suites_add_axis (table, "message-size", N_ ("message"));
    table->series = 1;
    g_ptr_array_add (tables, table);
    for (unsigned i = 0; i < G_N_ELEMENTS (links); i++) {
        g_autofree char *missing = ioh_bench_link_missing (links[i]);
        if (missing == NULL)
            message_size_add_link (table, links[i], options);
        else
            g_ptr_array_add (notes, g_strdup_printf (_ ("not measured: %s"), missing));
    }
}

/* queue-depth */

static IohBenchTable *
queue_depth_table_new (const char *name, const char *title)
{
    IohBenchTable *table = ioh_bench_table_new (name, title, IOH_BENCH_IOPS);

    suites_add_axis (table, "cache", N_ ("cache"));
    suites_add_axis (table, "queue", N_ ("queue"));
    suites_add_axis (table, "block-size", N_ ("block"));
    suites_add_axis (table, "queue-depth", N_ ("depth"));
    table->series = 2;
    return table;
}

static void
queue_depth_add (IohBenchTable *table, IohDirection direction, IohCache cache, IohQueueKind queue,
                 const IohOptions *options)
{
    static const size_t blocks[] = {4 << 10, 64 << 10, 1 << 20};
    static const unsigned depths[] = {1, 4, 16};

    for (unsigned i = 0; i < G_N_ELEMENTS (blocks) * G_N_ELEMENTS (depths); i++) {
        IohBenchCell *cell = suites_add_cell (table, direction, IOH_BENCH_PIPE, options);
        GPtrArray *arguments = g_ptr_array_new ();
        unsigned depth = depths[i % G_N_ELEMENTS (depths)];
        cell->block_bytes = blocks[i / G_N_ELEMENTS (depths)];
        cell->labels[0] = g_strdup (cache == IOH_CACHE_DIRECT ? "O_DIRECT" : N_ ("buffered"));
        cell->labels[1] = g_strdup (ioh_wire_queue_name (queue));
        cell->labels[2] = suites_spell (cell->block_bytes);
        cell->labels[3] = g_strdup_printf ("%u", depth);
        g_ptr_array_add (arguments, g_strdup ("--" IOH_OPTION_ENGINE "=direct"));
        g_ptr_array_add (
            arguments, g_strdup_printf ("--%s=%s", IOH_OPTION_CACHE, ioh_wire_cache_name (cache)));
        g_ptr_array_add (
            arguments, g_strdup_printf ("--%s=%s", IOH_OPTION_QUEUE, ioh_wire_queue_name (queue)));
        g_ptr_array_add (arguments,
                         g_strdup_printf ("--%s=%zu", IOH_OPTION_BLOCK_SIZE, cell->block_bytes));
        g_ptr_array_add (arguments, g_strdup_printf ("--%s=%u", IOH_OPTION_QUEUE_DEPTH, depth));
        suites_argue (cell, arguments);
    }
}

static void
queue_depth_build (const IohOptions *options, GPtrArray *tables, GPtrArray *notes)
{
    static const IohCache caches[] = {IOH_CACHE_DIRECT, IOH_CACHE_DROP};
    static const IohQueueKind queues[] = {IOH_QUEUE_IO_URING, IOH_QUEUE_THREADS};
    IohBenchTable *save = queue_depth_table_new ("save", N_ ("Saving, by requests under way"));
    IohBenchTable *restore =
        queue_depth_table_new ("restore", N_ ("Restoring, by requests under way"));

    for (unsigned c = 0; c < G_N_ELEMENTS (caches); c++) {
        for (unsigned q = 0; q < G_N_ELEMENTS (queues); q++) {
            queue_depth_add (save, IOH_SAVE, caches[c], queues[q], options);
            queue_depth_add (restore, IOH_RESTORE, caches[c], queues[q], options);
        }
    }
    g_ptr_array_add (tables, save);
    g_ptr_array_add (tables, restore);
}

static const IohBenchSuite suites[] = {
    {"summary", N_ ("Every transport and engine, against a plain reader"), FALSE, summary_build},
    {"pipe-size", N_ ("By the size of the pipe"), FALSE, pipe_size_build},
    {"socket-buffer", N_ ("By the send buffer of a socket"), FALSE, socket_buffer_build},
    {"message-size", N_ ("By the bytes of one write of the sender"), FALSE, message_size_build},
    {"queue-depth", N_ ("By requests under way, to a TARGET"), TRUE, queue_depth_build},
};

const IohBenchSuite *
ioh_bench_suite_find (const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (suites); i++)
        if (g_str_equal (suites[i].name, name))
            return &suites[i];
    return NULL;
}

const IohBenchSuite *
ioh_bench_suite_nth (unsigned index)
{
    return index < G_N_ELEMENTS (suites) ? &suites[index] : NULL;
}

char **
ioh_bench_suite_names (void)
{
    char **names = g_new0 (char *, G_N_ELEMENTS (suites) + 1);

    for (unsigned i = 0; i < G_N_ELEMENTS (suites); i++)
        names[i] = g_strdup (suites[i].name);
    return names;
}
