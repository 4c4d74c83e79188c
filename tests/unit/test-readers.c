/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-readers - blocks read ahead by threads come in order, whole, and end where the file does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "fault.h"
#include "pattern.h"
#include "readers.h"
#include "scratch.h"

#define BLOCK 16384
#define ALIGN 4096

typedef struct {
    char *directory;
    char *path;
    int fd;
    uint8_t *data;
    size_t length;
    IohReaders *readers;
} Fixture;

/* DATA is the length of the file. */
static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    fixture->length = GPOINTER_TO_SIZE (data);
    fixture->data = g_malloc (fixture->length + BLOCK);
    pattern_fill (fixture->data, fixture->length, 0);
    fixture->directory = scratch_new ();
    fixture->path = scratch_file (fixture->directory, "file", 0, 0);
    fixture->fd = open (fixture->path, O_RDWR | O_CLOEXEC);
    g_assert_cmpint (pwrite (fixture->fd, fixture->data, fixture->length, 0), ==,
                     (ssize_t) fixture->length);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_readers_free (fixture->readers);
    close (fixture->fd);
    scratch_remove (fixture->directory);
    g_free (fixture->path);
    g_free (fixture->data);
}

static void
start (Fixture *fixture, uint64_t offset, uint64_t end, unsigned count)
{
    g_autoptr (GError) error = NULL;

    fixture->readers = ioh_readers_new (fixture->fd, offset, end, BLOCK, ALIGN, count, &error);
    g_assert_no_error (error);
}

/* What next comes to once it no longer waits. */
static IohStep
next (Fixture *fixture, int *out_pipe_fd, size_t *out_bytes, uint64_t *out_offset, int *out_result)
{
    IohWait wait;
    IohStep step;

    while ((step = ioh_readers_next (fixture->readers, out_pipe_fd, out_bytes, out_offset,
                                     out_result, &wait)) == IOH_STEP_WAIT) {
        g_assert_cmpuint (wait.count, ==, 1);
        g_assert_cmpint (poll (wait.fds, 1, -1), ==, 1);
    }
    return step;
}

/* Takes everything, PIECE bytes at a time at most. The bytes, from OFFSET of the file on. */
static size_t
take_all (Fixture *fixture, uint64_t offset, size_t piece)
{
    size_t total = 0;
    size_t bytes = 0;
    uint64_t at = 0;
    int pipe_fd = -1;
    int result = 0;

    while (next (fixture, &pipe_fd, &bytes, &at, &result) == IOH_STEP_MOVED) {
        g_autofree uint8_t *got = g_malloc (bytes);
        ssize_t taken = read (pipe_fd, got, MIN (bytes, piece));
        g_assert_cmpint (taken, >, 0);
        g_assert_cmpuint (pattern_mismatch (got, (size_t) taken, offset + total), ==, taken);
        ioh_readers_taken (fixture->readers, (size_t) taken);
        total += (size_t) taken;
    }
    g_assert_cmpint (result, ==, 0);
    return total;
}

static void
test_whole (Fixture *fixture, gconstpointer data)
{
    start (fixture, 0, UINT64_MAX, 4);
    g_assert_cmpuint (take_all (fixture, 0, SIZE_MAX), ==, fixture->length);
}

/* There are so many PIPES to be had. */
static void
use_up_descriptors (unsigned pipes)
{
    const Fault fault = {SYS_PIPE, pipes + 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EMFILE, 0};

    fault_arm (&fault);
}

/* Fewer readers where there are not as many pipes to be had, down to one. */
static void
test_few_pipes (Fixture *fixture, gconstpointer data)
{
    for (unsigned pipes = 1; pipes < 4; pipes++) {
        use_up_descriptors (pipes);
        start (fixture, 0, UINT64_MAX, 4);
        fault_disarm ();
        g_assert_cmpuint (take_all (fixture, 0, SIZE_MAX), ==, fixture->length);
        g_clear_pointer (&fixture->readers, ioh_readers_free);
    }
}

/* Blocks are taken in parts when the stream takes no more. */
static void
test_pieces (Fixture *fixture, gconstpointer data)
{
    start (fixture, 0, UINT64_MAX, 3);
    g_assert_cmpuint (take_all (fixture, 0, 1000), ==, fixture->length);
}

static void
test_one_reader (Fixture *fixture, gconstpointer data)
{
    start (fixture, 0, UINT64_MAX, 1);
    g_assert_cmpuint (take_all (fixture, 0, SIZE_MAX), ==, fixture->length);
}

static void
test_from_offset (Fixture *fixture, gconstpointer data)
{
    size_t offset = MIN (5 * ALIGN, fixture->length / ALIGN * ALIGN);

    start (fixture, offset, UINT64_MAX, 4);
    g_assert_cmpuint (take_all (fixture, offset, SIZE_MAX), ==, fixture->length - offset);
}

/* The end may lie before the file's; a last block is rounded up to what direct I/O takes. */
static void
test_to_end (Fixture *fixture, gconstpointer data)
{
    size_t end = MIN (2 * BLOCK + 100, fixture->length);
    size_t rounded = (end + ALIGN - 1) / ALIGN * ALIGN;

    start (fixture, 0, end, 4);
    g_assert_cmpuint (take_all (fixture, 0, SIZE_MAX), ==, MIN (rounded, fixture->length));
}

/* Stopped while all of them wait for somebody to take their blocks. */
static void
test_abandoned (Fixture *fixture, gconstpointer data)
{
    size_t bytes = 0;
    uint64_t at = 0;
    int pipe_fd = -1;
    int result = 0;

    start (fixture, 0, UINT64_MAX, 4);
    next (fixture, &pipe_fd, &bytes, &at, &result);
}

/* A failure comes in its turn, after all blocks before it, and says where it was. */
static void
test_failure (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_SPLICE, 3, FAULT_FOR_EVER, FAULT_INSTEAD, -EIO, 0};
    size_t bytes = 0;
    uint64_t at = 0;
    uint64_t total = 0;
    int pipe_fd = -1;
    int result = 0;
    IohStep step;

    fault_arm (&fault);
    start (fixture, 0, UINT64_MAX, 1);
    while ((step = next (fixture, &pipe_fd, &bytes, &at, &result)) == IOH_STEP_MOVED) {
        g_autofree uint8_t *got = g_malloc (bytes);
        g_assert_cmpint (read (pipe_fd, got, bytes), ==, (ssize_t) bytes);
        ioh_readers_taken (fixture->readers, bytes);
        total += bytes;
    }
    fault_disarm ();
    if (fixture->length > 2 * BLOCK) {
        g_assert_cmpint (step, ==, IOH_STEP_FAILED);
        g_assert_cmpint (result, ==, -EIO);
        g_assert_cmpuint (at, ==, total);
    }
}

static void
test_no_pipes (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    unsigned fds = scratch_count_fds ();

    use_up_descriptors (0);
    g_assert_null (ioh_readers_new (fixture->fd, 0, UINT64_MAX, BLOCK, ALIGN, 4, &error));
    fault_disarm ();
    g_assert_nonnull (error);
    g_assert_cmpuint (scratch_count_fds (), ==, fds);
}

typedef struct {
    const char *name;
    void (*run) (Fixture *fixture, gconstpointer data);
} ReadersRow;

static const ReadersRow readers_rows[] = {
    {"whole", test_whole},
    {"pieces", test_pieces},
    {"few-pipes", test_few_pipes},
    {"one-reader", test_one_reader},
    {"from-offset", test_from_offset},
    {"to-end", test_to_end},
    {"abandoned", test_abandoned},
    {"failure", test_failure},
    {"no-pipes", test_no_pipes},
};

int
main (int argc, char **argv)
{
    static const size_t lengths[] = {0, 1, ALIGN, BLOCK, BLOCK + 1, 10 * BLOCK, 10 * BLOCK + 777};

    g_test_init (&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (readers_rows); i++)
        for (unsigned j = 0; j < G_N_ELEMENTS (lengths); j++) {
            g_autofree char *path =
                g_strdup_printf ("/readers/%s/%zu", readers_rows[i].name, lengths[j]);
            g_test_add (path, Fixture, GSIZE_TO_POINTER (lengths[j]), fixture_set_up,
                        readers_rows[i].run, fixture_tear_down);
        }
    return g_test_run ();
}
