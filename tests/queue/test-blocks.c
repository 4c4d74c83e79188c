/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-blocks - what becomes of a file's blocks when requests fail, are refused or come back odd.
 *
 * The descriptor that blocks take for the one with O_DIRECT is an ordinary one: what a file that
 * refuses it would answer comes from faults.
 */
#include "blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fault.h"
#include "pattern.h"
#include "scratch.h"

#define DEPTH 4
#define BLOCK_BYTES ((size_t) 64 * 1024)
#define ALIGN ((size_t) 4096)

typedef struct {
    char *directory;
    char *path;
    IohReport *report;
    IohStorage storage;
    IohPlan plan;
    IohBlocks blocks;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    fixture->directory = scratch_new ();
    fixture->path = g_build_filename (fixture->directory, "file", NULL);
    fixture->report = ioh_report_new ();
    int fd = open (fixture->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint (fd, >=, 0);
    fixture->storage = (IohStorage){
        .name = "file",
        .fd = fd,
        .direct_fd = fcntl (fd, F_DUPFD_CLOEXEC, 0),
        .plain_fd = fd,
        .access = O_RDWR,
        .steps_down = TRUE,
        .align = ALIGN,
        .memory_align = ALIGN,
        .report = fixture->report,
    };
    fixture->plan = (IohPlan){
        .queue = IOH_QUEUE_THREADS,
        .queue_depth = DEPTH,
        .block_bytes = BLOCK_BYTES,
        .file_align = ALIGN,
        .memory_align = ALIGN,
    };
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
    fault_disarm ();
    ioh_blocks_clear (&fixture->blocks);
    ioh_storage_clear (&fixture->storage);
    ioh_report_free (fixture->report);
    g_free (fixture->path);
    scratch_remove (fixture->directory);
}

static void
begin (Fixture *fixture, IohRequestKind kind)
{
    g_autoptr (GError) error = NULL;

    ioh_blocks_init (&fixture->blocks, &fixture->plan, &fixture->storage, kind, fixture->report,
                     &error);
    g_assert_no_error (error);
}

/* Puts COUNT blocks from the beginning of the file under way. */
static void
submit (Fixture *fixture, unsigned count)
{
    g_autoptr (GError) error = NULL;

    for (unsigned i = 0; i < count; i++) {
        IohBlock *block = ioh_blocks_find_free (&fixture->blocks);
        ioh_block_begin (&fixture->blocks, block, i * BLOCK_BYTES);
        block->end = BLOCK_BYTES;
        if (fixture->blocks.kind == IOH_REQUEST_WRITE)
            pattern_fill (block->memory, BLOCK_BYTES, block->base);
        ioh_blocks_submit (&fixture->blocks, block, 0, BLOCK_BYTES, &error);
        g_assert_no_error (error);
    }
}

/* Reaps until nothing is in flight. */
static gboolean
reap_all (Fixture *fixture, GError **error)
{
    gboolean going_on = TRUE;

    while (going_on && ioh_queue_in_flight (fixture->blocks.queue) > 0) {
        struct pollfd finished = {.fd = ioh_queue_fd (fixture->blocks.queue), .events = POLLIN};
        fault_real_poll (&finished, 1, -1);
        going_on = ioh_blocks_reap (&fixture->blocks, error);
    }
    return going_on;
}

static void
assert_finished (Fixture *fixture, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        g_assert_cmpint (fixture->blocks.blocks[i].state, ==, IOH_BLOCK_FINISHED);
}

static void
assert_written (Fixture *fixture, size_t length)
{
    size_t there = 0;
    g_autofree uint8_t *content = scratch_read (fixture->path, &there);

    g_assert_cmpuint (there, ==, length);
    g_assert_cmpuint (pattern_mismatch (content, length, 0), ==, length);
}

static void
assert_failed (Fixture *fixture, const GError *error, uint64_t offset, int error_number)
{
    const IohErrorPrivate *details = ioh_error_details (error);

    g_assert_nonnull (details);
    g_assert_cmpint (details->side, ==, IOH_SIDE_FILE);
    g_assert_cmpint (details->stage, ==, IOH_STAGE_WRITE);
    g_assert_cmpuint (details->offset, ==, offset);
    g_assert_cmpint (details->error_number, ==, error_number);
    g_assert_cmpuint (ioh_queue_in_flight (fixture->blocks.queue), ==, 0);
}

/* Answers the ATth finished request with RESULT in place of what it came to. */
static void
arm_answer (unsigned at, int result)
{
    const Fault fault = {
        .call = SYS_QUEUE_REAP,
        .first = at,
        .last = at,
        .manner = FAULT_INSTEAD,
        .result = result,
    };
    fault_arm (&fault);
}

static void
test_write (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    begin (fixture, IOH_REQUEST_WRITE);
    submit (fixture, DEPTH);
    g_assert_null (ioh_blocks_find_free (&fixture->blocks));
    reap_all (fixture, &error);
    g_assert_no_error (error);
    assert_finished (fixture, DEPTH);
    assert_written (fixture, DEPTH * BLOCK_BYTES);
}

/* Which of several failures is seen first is chance; the first in the file is the one that is told.
 */
static void
test_first_failure (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    struct rlimit before;

    g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
    const struct rlimit limit = {BLOCK_BYTES + ALIGN, before.rlim_max};
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
    begin (fixture, IOH_REQUEST_WRITE);
    submit (fixture, DEPTH);
    g_assert_false (reap_all (fixture, &error));
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
    assert_failed (fixture, error, BLOCK_BYTES + ALIGN, EFBIG);
    g_assert_cmpint (ioh_error_exit (error), ==, IOH_EXIT_NO_ROOM);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    begin (fixture, IOH_REQUEST_WRITE);
    arm_answer (2, -EINVAL);
    submit (fixture, DEPTH);
    reap_all (fixture, &error);
    g_assert_no_error (error);
    assert_finished (fixture, DEPTH);
    assert_written (fixture, DEPTH * BLOCK_BYTES);
    g_assert_cmpint (fixture->storage.direct_fd, ==, -1);
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);
    g_assert_cmpuint (g_strv_length (lines), ==, 1);
}

static void
test_refused_and_asked_for (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    fixture->storage.steps_down = FALSE;
    begin (fixture, IOH_REQUEST_WRITE);
    arm_answer (1, -EINVAL);
    submit (fixture, 1);
    g_assert_false (reap_all (fixture, &error));
    assert_failed (fixture, error, 0, 0);
    g_assert_cmpint (ioh_error_exit (error), ==, IOH_EXIT_FILE);
}

/* Going on without O_DIRECT would hide a disk that is broken. */
static void
test_failure_before_refusal (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    begin (fixture, IOH_REQUEST_WRITE);
    arm_answer (1, -EINVAL);
    arm_answer (2, -EIO);
    submit (fixture, DEPTH);
    g_assert_false (reap_all (fixture, &error));
    g_assert_cmpint (ioh_error_details (error)->error_number, ==, EIO);
    g_assert_cmpuint (ioh_queue_in_flight (fixture->blocks.queue), ==, 0);
}

static void
test_odd_rest (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    const Fault shortens = {
        .call = SYS_QUEUE_REAP,
        .first = 1,
        .last = 2,
        .manner = FAULT_SHORT,
        .short_to = 513,
    };

    begin (fixture, IOH_REQUEST_WRITE);
    fault_arm (&shortens);
    submit (fixture, DEPTH);
    reap_all (fixture, &error);
    g_assert_no_error (error);
    assert_finished (fixture, DEPTH);
    assert_written (fixture, DEPTH * BLOCK_BYTES);
}

/* The end of a device: a write that says neither bytes nor error. */
static void
test_nothing_written (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    begin (fixture, IOH_REQUEST_WRITE);
    arm_answer (1, 0);
    submit (fixture, 1);
    g_assert_false (reap_all (fixture, &error));
    assert_failed (fixture, error, 0, ENOSPC);
}

static void
test_settle (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    begin (fixture, IOH_REQUEST_WRITE);
    arm_answer (DEPTH, -EIO);
    submit (fixture, DEPTH);
    g_assert_false (ioh_blocks_settle (&fixture->blocks, &error));
    g_assert_cmpint (ioh_error_details (error)->error_number, ==, EIO);
    g_assert_cmpuint (ioh_queue_in_flight (fixture->blocks.queue), ==, 0);
}

/* A file that ends in a block: its bytes, and no request at an odd offset to find that out. */
static void
test_read_end (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    g_autofree uint8_t *content = g_malloc (BLOCK_BYTES + 513);

    pattern_fill (content, BLOCK_BYTES + 513, 0);
    g_assert_cmpint (pwrite (fixture->storage.fd, content, BLOCK_BYTES + 513, 0), ==,
                     BLOCK_BYTES + 513);
    begin (fixture, IOH_REQUEST_READ);
    submit (fixture, 3);
    fault_count_anew ();
    reap_all (fixture, &error);
    g_assert_no_error (error);
    assert_finished (fixture, 3);
    const IohBlock *blocks = fixture->blocks.blocks;
    g_assert_cmpuint (blocks[0].request.done, ==, BLOCK_BYTES);
    g_assert_cmpuint (blocks[1].request.done, ==, 513);
    g_assert_cmpuint (blocks[2].request.done, ==, 0);
    g_assert_cmpuint (pattern_mismatch (blocks[1].memory, 513, BLOCK_BYTES), ==, 513);
    g_assert_cmpuint (fault_calls (SYS_QUEUE_SUBMIT), ==, 0);
}

static void
arm_no_queue (unsigned last)
{
    const Fault fault = {
        .call = SYS_QUEUE_OPEN,
        .first = 1,
        .last = last,
        .manner = FAULT_INSTEAD,
        .result = -ENOMEM,
    };
    fault_arm (&fault);
}

static void
test_no_io_uring (Fixture *fixture, gconstpointer data)
{
    fixture->plan.queue = IOH_QUEUE_IO_URING;
    fixture->plan.queue_steps_down = TRUE;
    arm_no_queue (1);
    test_write (fixture, data);
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);
    g_assert_cmpuint (g_strv_length (lines), ==, 1);
}

static void
test_no_queue (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    arm_no_queue (FAULT_FOR_EVER);
    g_assert_false (ioh_blocks_init (&fixture->blocks, &fixture->plan, &fixture->storage,
                                     IOH_REQUEST_WRITE, fixture->report, &error));
    g_assert_cmpint (ioh_error_exit (error), ==, IOH_EXIT_INTERNAL);
}

#define ADD(name, test) g_test_add ("/blocks/" name, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    signal (SIGXFSZ, SIG_IGN);
    ADD ("write", test_write);
    ADD ("first-failure", test_first_failure);
    ADD ("refused", test_refused);
    ADD ("refused-and-asked-for", test_refused_and_asked_for);
    ADD ("failure-before-refusal", test_failure_before_refusal);
    ADD ("odd-rest", test_odd_rest);
    ADD ("nothing-written", test_nothing_written);
    ADD ("settle", test_settle);
    ADD ("read-end", test_read_end);
    ADD ("no-io_uring", test_no_io_uring);
    ADD ("no-queue", test_no_queue);
    return g_test_run ();
}
