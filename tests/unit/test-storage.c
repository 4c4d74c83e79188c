/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-storage - which requests go direct, and what becomes of those that the file refuses.
 *
 * Whether O_DIRECT works here does not matter: the flag is only looked at through the calls made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffers.h"
#include "fault.h"
#include "pattern.h"
#include "scratch.h"
#include "storage.h"

#define ALIGN 4096
#define BUFFER_BYTES (4 * ALIGN)

typedef struct {
    char *directory;
    char *path;
    IohOptions *options;
    IohPlan plan;
    IohReport *report;
    IohStorage storage;
    char *buffer;
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    fixture->directory = scratch_new ();
    fixture->path = scratch_file (fixture->directory, "file", BUFFER_BYTES, 'o');
    fixture->options = ioh_options_new (IOH_COMMAND_SAVE);
    ioh_options_set_file (fixture->options, fixture->path, -1);
    fixture->plan.cache = IOH_CACHE_DIRECT;
    fixture->plan.cache_steps_down = TRUE;
    fixture->plan.file_align = ALIGN;
    fixture->plan.memory_align = ALIGN;
    fixture->report = ioh_report_new ();
    fixture->buffer = ioh_buffer_new (BUFFER_BYTES, ALIGN, NULL);
    pattern_fill (fixture->buffer, BUFFER_BYTES, 0);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_storage_clear (&fixture->storage);
    ioh_buffer_free (fixture->buffer, BUFFER_BYTES);
    ioh_report_free (fixture->report);
    ioh_options_free (fixture->options);
    g_free (fixture->path);
    scratch_remove (fixture->directory);
}

/* Opens the file as if O_DIRECT had been taken: the storage treats it so, the kernel does not. */
static void
open_as_direct (Fixture *fixture, int access)
{
    g_autoptr (GError) error = NULL;
    int fd = open (fixture->path, access | O_CLOEXEC);

    g_assert_cmpint (fd, >=, 0);
    ioh_storage_init (&fixture->storage, fixture->options, &fixture->plan, fd, access, TRUE,
                      fixture->report, &error);
    g_assert_no_error (error);
    fault_count_anew ();
}

/* What is written through the second description is lost from now on. */
static void
lose_plain (Fixture *fixture)
{
    int fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);

    g_assert_cmpint (fixture->storage.plain_fd, !=, fixture->storage.fd);
    g_assert_cmpint (dup2 (fd, fixture->storage.plain_fd), ==, fixture->storage.plain_fd);
    close (fd);
}

static size_t
write_some (Fixture *fixture, size_t from, size_t length)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    ioh_storage_write (&fixture->storage, fixture->buffer + from, length, from, &bytes, &error);
    g_assert_no_error (error);
    return bytes;
}

static void
write_all (Fixture *fixture, size_t from, size_t length)
{
    while (length > 0) {
        size_t bytes = write_some (fixture, from, length);
        from += bytes;
        length -= bytes;
    }
}

/* [FROM, FROM + LENGTH) is the pattern, all else is as it was. */
static void
expect_written (Fixture *fixture, size_t from, size_t length)
{
    size_t is = 0;
    g_autofree uint8_t *content = scratch_read (fixture->path, &is);

    g_assert_cmpuint (is, ==, BUFFER_BYTES);
    for (size_t i = 0; i < is; i++)
        if (i < from || i >= from + length)
            g_assert_cmpint (content[i], ==, 'o');
    g_assert_cmpuint (pattern_mismatch (content + from, length, from), ==, length);
}

static void
expect_steps_down (Fixture *fixture, unsigned count)
{
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);

    g_assert_cmpuint (g_strv_length (lines), ==, count);
}

static void
test_aligned (Fixture *fixture, gconstpointer data)
{
    open_as_direct (fixture, O_WRONLY);
    g_assert_cmpuint (write_some (fixture, ALIGN, 2 * ALIGN), ==, 2 * ALIGN);
    g_assert_cmpuint (fault_calls (SYS_PWRITE), ==, 1);
    g_assert_cmpuint (fault_calls (SYS_REOPEN), ==, 0);
    expect_written (fixture, ALIGN, 2 * ALIGN);
}

/* The odd end goes through another description; the even part before it does not. */
static void
test_odd_tail (Fixture *fixture, gconstpointer data)
{
    open_as_direct (fixture, O_WRONLY);
    lose_plain (fixture);
    g_assert_cmpuint (write_some (fixture, 0, ALIGN + 7), ==, ALIGN);
    g_assert_cmpuint (write_some (fixture, ALIGN, 7), ==, 7);
    expect_written (fixture, 0, ALIGN);
    expect_steps_down (fixture, 0);
}

/* A transfer that has begun opens nothing any more. */
static void
test_opens_early (Fixture *fixture, gconstpointer data)
{
    open_as_direct (fixture, O_WRONLY);
    write_all (fixture, 0, ALIGN + 7);
    g_assert_cmpuint (fault_calls (SYS_REOPEN), ==, 0);
    expect_written (fixture, 0, ALIGN + 7);
}

/* An odd beginning goes as far as direct requests can begin. */
static void
test_odd_head (Fixture *fixture, gconstpointer data)
{
    open_as_direct (fixture, O_WRONLY);
    g_assert_cmpuint (write_some (fixture, 100, 2 * ALIGN), ==, ALIGN - 100);
    write_all (fixture, ALIGN, ALIGN + 100);
    expect_written (fixture, 100, 2 * ALIGN);
}

/* Direct I/O wants aligned memory: what lies elsewhere is not refused by the kernel but by us. */
static void
test_odd_memory (Fixture *fixture, gconstpointer data)
{
    size_t bytes = 0;

    open_as_direct (fixture, O_WRONLY);
    lose_plain (fixture);
    g_assert_true (
        ioh_storage_write (&fixture->storage, fixture->buffer + 8, ALIGN, ALIGN, &bytes, NULL));
    g_assert_cmpuint (bytes, ==, ALIGN);
    expect_written (fixture, 0, 0);
}

static void
refuse (SysCall call, unsigned first, unsigned last, int error_number)
{
    const Fault fault = {call, first, last, FAULT_INSTEAD, -error_number, 0};

    fault_arm (&fault);
}

/* A direct write that is refused is done otherwise, at once and from then on; told once. */
static void
test_write_refused (Fixture *fixture, gconstpointer data)
{
    open_as_direct (fixture, O_WRONLY);
    refuse (SYS_PWRITE, 1, 1, EINVAL);
    write_all (fixture, 0, 2 * ALIGN);
    write_all (fixture, 2 * ALIGN, ALIGN);
    fault_disarm ();
    g_assert_cmpint (fixture->storage.direct_fd, ==, -1);
    expect_written (fixture, 0, 3 * ALIGN);
    expect_steps_down (fixture, 1);
}

static void
test_read_refused (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    open_as_direct (fixture, O_RDONLY);
    refuse (SYS_PREAD, 1, 1, EINVAL);
    ioh_storage_read (&fixture->storage, fixture->buffer, 2 * ALIGN, 0, &bytes, &error);
    fault_disarm ();
    g_assert_no_error (error);
    g_assert_cmpuint (bytes, ==, 2 * ALIGN);
    g_assert_cmpint (fixture->buffer[ALIGN], ==, 'o');
    expect_steps_down (fixture, 1);
}

/* With cache=direct there is nothing to step down to, and the message says what to do. */
static void
test_refused_for_good (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    fixture->plan.cache_steps_down = FALSE;
    open_as_direct (fixture, O_WRONLY);
    refuse (SYS_PWRITE, 1, 1, EINVAL);
    g_assert_false (
        ioh_storage_write (&fixture->storage, fixture->buffer, ALIGN, ALIGN, &bytes, &error));
    fault_disarm ();
    g_assert_error (error, IOH_ERROR, IOH_EXIT_FILE);
    g_assert_cmpint (ioh_error_details (error)->stage, ==, IOH_STAGE_WRITE);
    g_assert_cmpuint (ioh_error_details (error)->offset, ==, ALIGN);
    g_assert_nonnull (strstr (error->message, "use --cache=auto"));
    expect_steps_down (fixture, 0);
}

/* A failure is no refusal. */
static void
test_failure (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    open_as_direct (fixture, O_WRONLY);
    refuse (SYS_PWRITE, 1, 1, ENOSPC);
    g_assert_false (
        ioh_storage_write (&fixture->storage, fixture->buffer, ALIGN, 0, &bytes, &error));
    fault_disarm ();
    g_assert_error (error, IOH_ERROR, IOH_EXIT_NO_ROOM);
    expect_steps_down (fixture, 0);
}

/* A write that takes nothing and says nothing would be tried for ever. */
static void
test_write_of_nothing (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    open_as_direct (fixture, O_WRONLY);
    refuse (SYS_PWRITE, 1, 1, 0);
    g_assert_false (
        ioh_storage_write (&fixture->storage, fixture->buffer, ALIGN, 0, &bytes, &error));
    fault_disarm ();
    g_assert_error (error, IOH_ERROR, IOH_EXIT_NO_ROOM);
}

/* A second description that cannot be had: refused at open, it is a step down like others. */
static void
test_open_refused (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    int fd = open (fixture->path, O_WRONLY | O_CLOEXEC);

    refuse (SYS_REOPEN, 1, FAULT_FOR_EVER, EACCES);
    ioh_storage_init (&fixture->storage, fixture->options, &fixture->plan, fd, O_WRONLY, FALSE,
                      fixture->report, &error);
    fault_disarm ();
    g_assert_no_error (error);
    g_assert_cmpint (fixture->storage.direct_fd, ==, -1);
    expect_steps_down (fixture, 1);
    write_all (fixture, 0, ALIGN + 7);
    expect_written (fixture, 0, ALIGN + 7);
}

/* Nobody but the caller can open the file: odd ends are written through the caller's descriptor
 * with its flag taken off for the moment. */
static void
test_not_ours (Fixture *fixture, gconstpointer data)
{
    refuse (SYS_REOPEN, 1, FAULT_FOR_EVER, EACCES);
    open_as_direct (fixture, O_WRONLY);
    write_all (fixture, 100, ALIGN);
    g_assert_cmpuint (fault_calls (SYS_SET_FLAGS), ==, 4);
    fault_disarm ();
    expect_written (fixture, 100, ALIGN);
}

static void
test_not_ours_read (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 0;

    refuse (SYS_REOPEN, 1, FAULT_FOR_EVER, EACCES);
    open_as_direct (fixture, O_RDONLY);
    ioh_storage_read (&fixture->storage, fixture->buffer, 50, 100, &bytes, &error);
    unsigned flags_set = fault_calls (SYS_SET_FLAGS);
    fault_disarm ();
    g_assert_no_error (error);
    g_assert_cmpuint (bytes, ==, 50);
    g_assert_cmpuint (flags_set, ==, 2);
}

/* Descriptions of our own write where they are told whatever becomes of the caller's, and as safely
 * as he has opened it. */
static void
test_detached (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    int fd = open (fixture->path, O_WRONLY | O_DSYNC | O_CLOEXEC);

    fixture->plan.cache = IOH_CACHE_KEEP;
    ioh_storage_init (&fixture->storage, fixture->options, &fixture->plan, fd, O_WRONLY, FALSE,
                      fixture->report, &error);
    g_assert_no_error (error);
    ioh_storage_detach (&fixture->storage);
    g_assert_cmpint (fixture->storage.plain_fd, !=, fd);
    g_assert_cmpint (fcntl (fixture->storage.plain_fd, F_GETFL) & O_DSYNC, ==, O_DSYNC);
    g_assert_cmpint (fcntl (fd, F_SETFL, O_APPEND), ==, 0);
    write_all (fixture, ALIGN, ALIGN);
    expect_written (fixture, ALIGN, ALIGN);
}

/* What may not be opened again is used as it is. */
static void
test_not_detached (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    int fd = open (fixture->path, O_WRONLY | O_CLOEXEC);

    fixture->plan.cache = IOH_CACHE_KEEP;
    ioh_storage_init (&fixture->storage, fixture->options, &fixture->plan, fd, O_WRONLY, FALSE,
                      fixture->report, &error);
    refuse (SYS_REOPEN, 1, FAULT_FOR_EVER, EACCES);
    ioh_storage_detach (&fixture->storage);
    fault_disarm ();
    g_assert_cmpint (fixture->storage.plain_fd, ==, fd);
    write_all (fixture, ALIGN, ALIGN);
    expect_written (fixture, ALIGN, ALIGN);
}

static void
write_dropping (Fixture *fixture)
{
    g_autoptr (GError) error = NULL;
    int fd = open (fixture->path, O_WRONLY | O_CLOEXEC);

    fixture->plan.cache = IOH_CACHE_DROP;
    ioh_storage_init (&fixture->storage, fixture->options, &fixture->plan, fd, O_WRONLY, FALSE,
                      fixture->report, &error);
    g_assert_no_error (error);
    write_all (fixture, 0, ALIGN);
    write_all (fixture, ALIGN, ALIGN);
}

/* cache=drop asks the kernel to drop the pages, and stops asking when it does not know how. */
static void
test_dropped_by_kernel (Fixture *fixture, gconstpointer data)
{
    refuse (SYS_PWRITE_DONTCACHE, 1, FAULT_FOR_EVER, EOPNOTSUPP);
    write_dropping (fixture);
    g_assert_cmpuint (fault_calls (SYS_PWRITE_DONTCACHE), ==, 1);
    g_assert_cmpuint (fault_calls (SYS_PWRITE), ==, 2);
    fault_disarm ();
    expect_written (fixture, 0, 2 * ALIGN);
}

static void
test_end_of_file (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t bytes = 42;

    open_as_direct (fixture, O_RDONLY);
    ioh_storage_read (&fixture->storage, fixture->buffer, ALIGN, BUFFER_BYTES, &bytes, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (bytes, ==, 0);
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*run) (Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"/storage/aligned", test_aligned},
        {"/storage/odd-tail", test_odd_tail},
        {"/storage/opens-early", test_opens_early},
        {"/storage/odd-head", test_odd_head},
        {"/storage/odd-memory", test_odd_memory},
        {"/storage/write-refused", test_write_refused},
        {"/storage/read-refused", test_read_refused},
        {"/storage/refused-for-good", test_refused_for_good},
        {"/storage/failure", test_failure},
        {"/storage/write-of-nothing", test_write_of_nothing},
        {"/storage/open-refused", test_open_refused},
        {"/storage/not-ours", test_not_ours},
        {"/storage/not-ours-read", test_not_ours_read},
        {"/storage/detached", test_detached},
        {"/storage/not-detached", test_not_detached},
        {"/storage/dropped-by-kernel", test_dropped_by_kernel},
        {"/storage/end-of-file", test_end_of_file},
    };

    g_test_init (&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (tests); i++)
        g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    return g_test_run ();
}
