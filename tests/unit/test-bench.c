/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-bench - the parts of bench that measure nothing: the stream's shape, figures, remarks.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench-generator.h"
#include "bench-result.h"
#include "bench-rig.h"
#include "printable.h"

#define PAGES 600
#define MEMORY_BYTES ((size_t) PAGES * IOH_BENCH_PAGE_BYTES)

/* Every page of MEMORY holds its own number, all over. */
static IohBenchGenerator
numbered_memory (uint8_t *memory, size_t burst_bytes)
{
    for (unsigned page = 0; page < PAGES; page++)
        for (size_t at = 0; at < IOH_BENCH_PAGE_BYTES; at += sizeof page)
            memcpy (memory + page * IOH_BENCH_PAGE_BYTES + at, &page, sizeof page);
    return (IohBenchGenerator){memory, MEMORY_BYTES, burst_bytes};
}

/* A descriptor that holds the first BYTES of the stream, to be read from the start. */
static int
stream_of (const IohBenchGenerator *generator, uint64_t bytes)
{
    uint64_t sent = 0;
    int fd = memfd_create ("stream", MFD_CLOEXEC);

    g_assert_cmpint (fd, >=, 0);
    g_assert_cmpint (ioh_bench_generator_send (generator, fd, bytes, &sent), ==, 0);
    g_assert_cmpuint (sent, ==, bytes);
    g_assert_cmpint (lseek (fd, 0, SEEK_END), ==, (off_t) bytes);
    g_assert_cmpint (lseek (fd, 0, SEEK_SET), ==, 0);
    return fd;
}

static void
check_record (int fd, unsigned number)
{
    g_autofree uint8_t *record = g_malloc (IOH_BENCH_RECORD_BYTES);
    off_t at = (off_t) number * IOH_BENCH_RECORD_BYTES;
    uint64_t offset = 0;
    unsigned page = 0;

    g_assert_cmpint (pread (fd, record, IOH_BENCH_RECORD_BYTES, at), ==, IOH_BENCH_RECORD_BYTES);
    memcpy (&offset, record, sizeof offset);
    g_assert_cmpuint (GUINT64_FROM_BE (offset), ==,
                      (uint64_t) (number % PAGES) * IOH_BENCH_PAGE_BYTES);
    memcpy (&page, record + IOH_BENCH_RECORD_BYTES - sizeof page, sizeof page);
    g_assert_cmpuint (page, ==, number % PAGES);
}

/* However it is cut into writes, and also beyond the end of the memory, it is the same stream. */
static void
test_stream (void)
{
    static const size_t bursts[] = {
        4095, 4096, 4104, 4105, 8208, 65536, IOH_BENCH_BURST_BYTES, IOH_BENCH_BURST_MOST};
    g_autofree uint8_t *memory = g_malloc (MEMORY_BYTES);

    for (unsigned i = 0; i < G_N_ELEMENTS (bursts); i++) {
        const IohBenchGenerator generator = numbered_memory (memory, bursts[i]);
        int fd = stream_of (&generator, 2 * PAGES * (uint64_t) IOH_BENCH_RECORD_BYTES);
        for (unsigned record = 0; record < 2 * PAGES; record++)
            check_record (fd, record);
        close (fd);
    }
}

/* What one write of it brings. */
static void
test_bursts (void)
{
    static const size_t bursts[] = {1, 8, 9, 64, 4104, 40000};
    g_autofree uint8_t *memory = g_malloc (MEMORY_BYTES);
    g_autofree uint8_t *buffer = g_malloc (IOH_BENCH_BURST_MOST);
    int fds[2];

    for (unsigned i = 0; i < G_N_ELEMENTS (bursts); i++) {
        const IohBenchGenerator generator = numbered_memory (memory, bursts[i]);
        uint64_t sent = 0;
        g_assert_cmpint (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), ==, 0);
        g_assert_cmpint (ioh_bench_generator_send (&generator, fds[1], 2 * bursts[i], &sent), ==,
                         0);
        g_assert_cmpint (read (fds[0], buffer, IOH_BENCH_BURST_MOST), ==, (ssize_t) bursts[i]);
        g_assert_cmpint (read (fds[0], buffer, IOH_BENCH_BURST_MOST), ==, (ssize_t) bursts[i]);
        close (fds[0]);
        close (fds[1]);
    }
}

static void
test_receive (void)
{
    g_autofree uint8_t *memory = g_malloc (MEMORY_BYTES);
    g_autofree uint8_t *other = g_malloc0 (MEMORY_BYTES);
    const IohBenchGenerator sender = numbered_memory (memory, IOH_BENCH_BURST_BYTES);
    const IohBenchGenerator receiver = {other, MEMORY_BYTES, 1};
    uint64_t bytes = PAGES * (uint64_t) IOH_BENCH_RECORD_BYTES;
    uint64_t received = 0;
    gint64 first_us = 0;
    int fd = stream_of (&sender, bytes);

    g_assert_cmpint (ioh_bench_generator_receive (&receiver, fd, &received, &first_us), ==, 0);
    g_assert_cmpuint (received, ==, bytes);
    g_assert_cmpint (first_us, >, 0);
    g_assert_cmpmem (memory, MEMORY_BYTES, other, MEMORY_BYTES);
    close (fd);
}

static void
test_receive_refused (void)
{
    g_autofree uint8_t *memory = g_malloc (MEMORY_BYTES);
    const IohBenchGenerator generator = numbered_memory (memory, IOH_BENCH_BURST_BYTES);
    const IohBenchGenerator small = {memory, MEMORY_BYTES - IOH_BENCH_PAGE_BYTES, 1};
    uint64_t bytes = PAGES * (uint64_t) IOH_BENCH_RECORD_BYTES;
    uint64_t received = 0;
    gint64 first_us = 0;

    int fd = stream_of (&generator, bytes);
    g_assert_cmpint (ioh_bench_generator_receive (&small, fd, &received, &first_us), ==, -EBADMSG);
    close (fd);
    fd = stream_of (&generator, bytes - 1);
    g_assert_cmpint (ioh_bench_generator_receive (&generator, fd, &received, &first_us), ==,
                     -EPIPE);
    close (fd);
}

static void
test_lots (void)
{
    g_assert_cmpuint (IOH_BENCH_LOT_BYTES % IOH_BENCH_PAGE_BYTES, ==, 0);
    g_assert_cmpuint (IOH_BENCH_LOT_BYTES % IOH_BENCH_RECORD_BYTES, ==, 0);
    g_assert_cmpuint (ioh_bench_lots (0), ==, IOH_BENCH_LOT_BYTES);
    g_assert_cmpuint (ioh_bench_lots (IOH_BENCH_LOT_BYTES), ==, IOH_BENCH_LOT_BYTES);
    g_assert_cmpuint (ioh_bench_lots (IOH_BENCH_LOT_BYTES + 1), ==, 2 * IOH_BENCH_LOT_BYTES);
}

static void
add_run (IohBenchCell *cell, uint64_t bytes, gint64 us, gint64 cpu_us)
{
    const IohBenchRun run = {.bytes = bytes, .us = us, .cpu_us = cpu_us};

    g_array_append_val (cell->runs, run);
}

static void
test_figures (void)
{
    IohBenchCell *cell = ioh_bench_cell_new ();

    cell->block_bytes = 1000;
    add_run (cell, 1000000, 4000000, 1000000);
    add_run (cell, 1000000, 1000000, 1000000);
    add_run (cell, 1000000, 2000000, 1000000);
    IohBenchFigure figure = ioh_bench_cell_figure (cell, IOH_BENCH_MBIT);
    g_assert_cmpfloat (figure.median, ==, 4);
    g_assert_cmpfloat (figure.low, ==, 2);
    g_assert_cmpfloat (figure.high, ==, 8);
    g_assert_cmpfloat (ioh_bench_cell_figure (cell, IOH_BENCH_GBIT).median, ==, 0.004);
    g_assert_cmpfloat (ioh_bench_cell_figure (cell, IOH_BENCH_SECONDS).median, ==, 2);
    g_assert_cmpfloat (ioh_bench_cell_figure (cell, IOH_BENCH_IOPS).median, ==, 500);
    g_assert_cmpfloat (ioh_bench_cell_cpu (cell).median, ==, 1073.741824);
    /* of an even number it is between the two in the middle */
    add_run (cell, 1000000, 8000000, 1000000);
    g_assert_cmpfloat (ioh_bench_cell_figure (cell, IOH_BENCH_SECONDS).median, ==, 3);
    ioh_bench_cell_free (cell);
}

/* Everything that may be said about one cell on a machine. */
static GPtrArray *
notes_on (IohBenchCell *cell, IohBenchMachine machine)
{
    IohBenchTable *table = ioh_bench_table_new ("table", "title", IOH_BENCH_MBIT);
    IohBenchResult result = {
        .machine = machine,
        .tables = g_ptr_array_new (),
        .notes = g_ptr_array_new_with_free_func (g_free),
    };

    g_ptr_array_add (table->cells, cell);
    g_ptr_array_add (result.tables, table);
    ioh_bench_result_note (&result);
    g_ptr_array_unref (result.tables);
    ioh_bench_table_free (table);
    return result.notes;
}

static void
check_note (GPtrArray *notes, const char *words)
{
    if (words == NULL) {
        g_assert_cmpuint (notes->len, ==, 0);
    } else {
        g_assert_cmpuint (notes->len, ==, 1);
        g_test_message ("%s", (const char *) notes->pdata[0]);
        g_assert_nonnull (strstr (notes->pdata[0], words));
    }
    g_ptr_array_unref (notes);
}

static void
test_notes (void)
{
    const IohBenchMachine quiet = {.cpus = 2, .load = 0.1, .others = 0.1, .withheld = -1};
    IohBenchCell *cell = ioh_bench_cell_new ();

    add_run (cell, 1000000, 1000, 1);
    add_run (cell, 1000000, 1200, 1);
    check_note (notes_on (cell, quiet), NULL);

    cell = ioh_bench_cell_new ();
    add_run (cell, 1000000, 1000, 1);
    add_run (cell, 1000000, 2000, 1);
    check_note (notes_on (cell, quiet), "differ by more than half");

    cell = ioh_bench_cell_new ();
    cell->buffer_asked = 4096;
    cell->buffer_used = 1024;
    add_run (cell, 1000000, 1000, 1);
    check_note (notes_on (cell, quiet), "fs.pipe-max-size");

    cell = ioh_bench_cell_new ();
    cell->link = IOH_BENCH_TCP;
    cell->buffer_asked = 4096;
    cell->buffer_used = 1024;
    add_run (cell, 1000000, 1000, 1);
    check_note (notes_on (cell, quiet), "net.core.wmem_max");

    cell = ioh_bench_cell_new ();
    cell->refused = g_strdup ("it cannot");
    check_note (notes_on (cell, quiet), "not measured: it cannot");
}

static void
test_busy (void)
{
    static const IohBenchMachine busy[] = {
        {.cpus = 2, .load = 1.5, .others = -1, .withheld = -1},
        {.cpus = 2, .load = -1, .others = 0.6, .withheld = 0},
        {.cpus = 2, .load = -1, .others = 0, .withheld = 0.2},
    };
    const IohBenchMachine unknown = {.cpus = 1, .load = -1, .others = -1, .withheld = -1};
    const IohBenchMachine calmed = {.cpus = 2, .load = 5, .others = 0.1, .withheld = 0};
    const IohBenchMachine large = {.cpus = 64, .load = 1.5, .others = 0.6, .withheld = 0.2};

    for (unsigned i = 0; i < G_N_ELEMENTS (busy); i++)
        check_note (notes_on (ioh_bench_cell_new (), busy[i]), "busy");
    check_note (notes_on (ioh_bench_cell_new (), unknown), NULL);
    check_note (notes_on (ioh_bench_cell_new (), calmed), NULL);
    check_note (notes_on (ioh_bench_cell_new (), large), NULL);
}

/* The columns of a terminal before the figures of the line that begins with WORDS. */
static int
columns_of_words (const char *text, const char *words)
{
    const char *line = strstr (text, words);

    g_assert_nonnull (line);
    g_autofree char *beginning = g_strndup (line, strcspn (line, "0123456789"));
    return ioh_printable_width (beginning);
}

/* Letters that take two columns, or several bytes, leave the figures under each other. */
static void
test_columns (void)
{
    static const char *const words[] = {"stream", "\u00fcbertragen", "\u4f20\u8f93"};
    const IohBenchSuite suite = {.name = "suite"};
    const IohBenchTarget target = {.path = (char *) "target"};
    IohOptions options = {.bench.runs = 1};
    IohBenchTable *table = ioh_bench_table_new ("table", "title", IOH_BENCH_MBIT);
    IohBenchResult result = {&options, &suite, &target, .tables = g_ptr_array_new (),
                             .notes = g_ptr_array_new ()};

    table->axes[0] = "axis";
    for (unsigned i = 0; i < G_N_ELEMENTS (words); i++) {
        IohBenchCell *cell = ioh_bench_cell_new ();
        cell->labels[0] = g_strdup (words[i]);
        add_run (cell, 1000000, 1000000, 1000000);
        g_ptr_array_add (table->cells, cell);
    }
    g_ptr_array_add (result.tables, table);
    g_autofree char *text = ioh_bench_result_text (&result, 0);
    for (unsigned i = 1; i < G_N_ELEMENTS (words); i++)
        g_assert_cmpint (columns_of_words (text, words[i]), ==, columns_of_words (text, words[0]));
    g_ptr_array_unref (result.tables);
    g_ptr_array_unref (result.notes);
    ioh_bench_table_free (table);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/bench/stream", test_stream);
    g_test_add_func ("/bench/bursts", test_bursts);
    g_test_add_func ("/bench/receive", test_receive);
    g_test_add_func ("/bench/receive-refused", test_receive_refused);
    g_test_add_func ("/bench/lots", test_lots);
    g_test_add_func ("/bench/figures", test_figures);
    g_test_add_func ("/bench/notes", test_notes);
    g_test_add_func ("/bench/busy", test_busy);
    g_test_add_func ("/bench/columns", test_columns);
    return g_test_run ();
}
