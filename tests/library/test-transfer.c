/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-transfer - saves and restores through the library with the real helper.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

#define MIB (1024 * 1024)

typedef struct {
    char *directory;
    char *path;
    unsigned fds;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    fixture->directory = scratch_new ();
    fixture->path = g_build_filename (fixture->directory, "image", NULL);
    fixture->fds = scratch_count_fds ();
}

/* Nothing is left open, and nothing but the image is left behind. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
    g_autofree char *names = scratch_names (fixture->directory);

    g_assert_cmpuint (scratch_count_fds (), ==, fixture->fds);
    g_assert_true (g_str_equal (names, "image") || g_str_equal (names, ""));
    scratch_remove (fixture->directory);
    g_free (fixture->path);
}

/* There and back with LENGTH bytes. */
static void
round_trip (const char *path, IohTransportKind kind, size_t length)
{
    g_autoptr (IohTransfer) save = ioh_transfer_new_save (path);
    g_autoptr (IohTransfer) restore = ioh_transfer_new_restore (path);
    g_autoptr (GError) error = NULL;
    size_t came = 0;

    g_object_set (save, "transport", kind, "expect-size", (gint64) length, NULL);
    g_object_set (restore, "transport", kind, "expect-size", (gint64) length, NULL);
    gboolean saved = manager_save (save, length, &error);
    g_assert_no_error (error);
    g_assert_true (saved);
    manager_check_image (path, length);
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (save);
    g_assert_true (ioh_transfer_result_is_done (result));
    g_assert_true (ioh_transfer_result_is_durable (result));
    g_assert_true (ioh_transfer_result_is_published (result));
    g_assert_cmpuint (ioh_transfer_result_get_bytes (result), ==, length);
    g_assert_cmpuint (ioh_transfer_result_get_length (result), ==, length);

    gboolean restored = manager_restore (restore, &came, &error);
    g_assert_no_error (error);
    g_assert_true (restored);
    g_assert_cmpuint (came, ==, length);
}

static void
test_round_trip (Fixture *fixture, gconstpointer data)
{
    static const size_t lengths[] = {0, 1, 4097, MIB, 5 * MIB + 777};

    for (IohTransportKind kind = IOH_TRANSPORT_AUTO; kind <= IOH_TRANSPORT_SOCKET; kind++)
        for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
            round_trip (fixture->path, kind, lengths[i]);
}

static void
test_result (Fixture *fixture, gconstpointer data)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;

    g_object_set (transfer, "engine", "copy", "cache", IOH_CACHE_KEEP, "sync", IOH_SYNC_NONE, NULL);
    g_assert_null (ioh_transfer_get_result (transfer));
    manager_save (transfer, 100000, &error);
    g_assert_no_error (error);
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_assert_cmpstr (ioh_transfer_result_get_engine (result), ==, "copy");
    g_assert_cmpstr (ioh_transfer_result_get_cache (result), ==, "keep");
    g_assert_false (ioh_transfer_result_is_durable (result));
    g_assert_cmpuint (ioh_transfer_result_get_allocated (result), >=, 100000);
    g_assert_cmpint (ioh_transfer_result_get_exit_status (result), ==, 0);
    g_assert_cmpint (ioh_transfer_result_get_signal (result), ==, 0);
    g_assert_null (ioh_transfer_result_get_message (result));
    g_assert_cmpint (ioh_transfer_result_get_side (result), ==, IOH_SIDE_NONE);
    g_assert_cmpint (ioh_transfer_result_get_offset (result), ==, -1);
    double total = ioh_transfer_result_get_total_seconds (result);
    g_assert_cmpfloat (total, >, 0);
    g_assert_cmpfloat (total, >=, ioh_transfer_result_get_stream_seconds (result));
    g_assert_cmpfloat (total, >=, ioh_transfer_result_get_file_seconds (result));
    g_assert_cmpfloat (total, >=, ioh_transfer_result_get_flush_seconds (result));
    g_assert_true (g_str_has_prefix (ioh_transfer_result_get_report (result), "{"));
}

/* The caller's descriptor stays the caller's, its position is where the stream begins. */
static void
test_descriptor (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    size_t came = 0;

    int fd = open (fixture->path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    g_assert_cmpint (write (fd, "header", 6), ==, 6);
    g_autoptr (IohTransfer) save = ioh_transfer_new_save_to_fd (fd);
    manager_save (save, 3 * MIB + 1, &error);
    g_assert_no_error (error);
    g_assert_cmpint (lseek (fd, 0, SEEK_CUR), ==, 6 + 3 * MIB + 1);

    g_assert_cmpint (lseek (fd, 6, SEEK_SET), ==, 6);
    g_autoptr (IohTransfer) restore = ioh_transfer_new_restore_from_fd (fd);
    close (fd);
    manager_restore (restore, &came, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (came, ==, 3 * MIB + 1);
}

static void
test_relative_path (Fixture *fixture, gconstpointer data)
{
    g_autofree char *before = g_get_current_dir ();
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save ("--image");
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (g_chdir (fixture->directory), ==, 0);
    manager_save (transfer, 1000, &error);
    g_assert_cmpint (g_chdir (before), ==, 0);
    g_assert_no_error (error);
    g_autofree char *odd = g_build_filename (fixture->directory, "--image", NULL);
    manager_check_image (odd, 1000);
    g_assert_cmpint (g_remove (odd), ==, 0);
}

static void
see_it_waiting (IohTransfer *transfer, IohPhase phase, guint64 bytes, gint64 expected,
                double seconds, gpointer data)
{
    g_assert_cmpint (phase, ==, IOH_PHASE_WAITING);
    (*(guint *) data)++;
}

/* It does so for longer than a flush takes. */
static void
watch_it_wait (IohTransfer *transfer)
{
    guint count = 0;

    g_signal_connect (transfer, "progress", G_CALLBACK (see_it_waiting), &count);
    while (count < 3) {
        g_assert_cmpint (ioh_transfer_get_state (transfer), <, IOH_TRANSFER_STATE_DONE);
        g_main_context_iteration (NULL, TRUE);
    }
    g_signal_handlers_disconnect_by_data (transfer, &count);
}

/* Until the program has said that all is well, the old file is the file. */
static void
test_publishes_on_finish (Fixture *fixture, gconstpointer data)
{
    g_autofree char *old = manager_make_image (fixture->directory, "image", 4321);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;

    int fd = ioh_transfer_start (transfer, &error);
    g_assert_no_error (error);
    manager_join (manager_write (fd, 8765));
    manager_await_phase (transfer, IOH_PHASE_WAITING);
    watch_it_wait (transfer);
    manager_check_image (old, 4321);
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_RUNNING);
    gboolean done = ioh_transfer_finish (transfer, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (done);
    manager_check_image (fixture->path, 8765);
    /* it may be asked again */
    g_assert_true (ioh_transfer_finish (transfer, NULL, &error));
}

static void
expect_error (GError **error, IohTransferError code, IohSide side, IohStage stage, int error_number,
              const char *text)
{
    g_assert_error (*error, IOH_TRANSFER_ERROR, (int) code);
    g_assert_cmpint (ioh_transfer_error_get_side (*error), ==, side);
    g_assert_cmpint (ioh_transfer_error_get_stage (*error), ==, stage);
    g_assert_cmpint (ioh_transfer_error_get_errno (*error), ==, error_number);
    g_assert_nonnull (strstr ((*error)->message, text));
    g_clear_error (error);
}

static void
test_no_directory (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = g_build_filename (fixture->directory, "none", "image", NULL);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);
    g_autoptr (GError) error = NULL;

    g_assert_false (manager_save (transfer, MIB, &error));
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_assert_cmpstr (ioh_transfer_result_get_message (result), ==, error->message);
    g_assert_cmpint (ioh_transfer_result_get_errno (result), ==, ENOENT);
    g_assert_cmpint (ioh_transfer_result_get_exit_status (result), ==, IOH_TRANSFER_ERROR_FILE);
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_FAILED);
    expect_error (&error, IOH_TRANSFER_ERROR_FILE, IOH_SIDE_FILE, IOH_STAGE_OPEN, ENOENT, path);
}

/* The limit is the helper's by inheritance, and stands in for a full disk. */
static void
test_no_room (Fixture *fixture, gconstpointer data)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;
    struct rlimit before;

    g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
    const struct rlimit small = {2 * MIB, before.rlim_max};
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
    int fd = ioh_transfer_start (transfer, &error);
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
    g_assert_no_error (error);
    GThread *writer = manager_write (fd, 8 * MIB);
    /* the hypervisor learns of it by EPIPE, the manager by the state */
    manager_await_state (transfer, IOH_TRANSFER_STATE_FAILED);
    g_assert_cmpuint (manager_join (writer), <, 8 * MIB);
    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    g_assert_cmpint (ioh_transfer_error_get_offset (error), <=, 2 * MIB);
    expect_error (&error, IOH_TRANSFER_ERROR_NO_ROOM, IOH_SIDE_FILE, IOH_STAGE_WRITE, EFBIG,
                  fixture->path);
    g_assert_false (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
}

/* What fails with a descriptor is told by the path behind it as well. */
static void
test_descriptor_named (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = manager_make_image (fixture->directory, "image", 1000);
    g_autoptr (GError) error = NULL;
    size_t came = 0;

    int fd = open (path, O_RDONLY | O_CLOEXEC);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore_from_fd (fd);
    close (fd);
    g_object_set (transfer, "expect-size", (gint64) 1001, NULL);
    g_assert_false (manager_restore (transfer, &came, &error));
    expect_error (&error, IOH_TRANSFER_ERROR_IMAGE, IOH_SIDE_FILE, IOH_STAGE_CHECK, 0, path);
}

static void
test_empty_stream (Fixture *fixture, gconstpointer data)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;

    g_assert_false (manager_save (transfer, 0, &error));
    expect_error (&error, IOH_TRANSFER_ERROR_STREAM, IOH_SIDE_STREAM, IOH_STAGE_READ, 0,
                  "0 bytes received");
}

static void
test_image_truncated (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = manager_make_image (fixture->directory, "image", 1000);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore (path);
    g_autoptr (GError) error = NULL;
    size_t came = 0;

    g_object_set (transfer, "expect-size", (gint64) 1001, NULL);
    g_assert_false (manager_restore (transfer, &came, &error));
    g_assert_cmpuint (came, ==, 0);
    expect_error (&error, IOH_TRANSFER_ERROR_IMAGE, IOH_SIDE_FILE, IOH_STAGE_CHECK, 0, path);
}

static void
test_reader_gone (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = manager_make_image (fixture->directory, "image", 8 * MIB);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore (path);
    g_autoptr (GError) error = NULL;
    char byte;

    int fd = ioh_transfer_start (transfer, &error);
    g_assert_no_error (error);
    g_assert_cmpint (read (fd, &byte, 1), ==, 1);
    close (fd);
    g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
    expect_error (&error, IOH_TRANSFER_ERROR_STREAM, IOH_SIDE_STREAM, IOH_STAGE_WRITE, EPIPE, "");
}

/* What the helper refuses before it begins, it says on standard error alone. */
static void
test_helper_refuses (Fixture *fixture, gconstpointer data)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;

    g_object_set (transfer, "engine", "unheard-of", NULL);
    g_assert_false (manager_save (transfer, 1, &error));
    g_assert_true (g_str_has_prefix (error->message, "--engine"));
    expect_error (&error, IOH_TRANSFER_ERROR_USAGE, IOH_SIDE_NONE, IOH_STAGE_NONE, 0, "unheard-of");
}

static void
expect_refusal (IohTransfer *transfer, IohTransferError code, const char *text)
{
    g_autoptr (IohTransfer) owned = transfer;
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (ioh_transfer_start (owned, &error), ==, -1);
    g_assert_error (error, IOH_TRANSFER_ERROR, (int) code);
    g_assert_nonnull (strstr (error->message, text));
    g_assert_cmpint (ioh_transfer_get_state (owned), ==, IOH_TRANSFER_STATE_NEW);
    g_clear_error (&error);
    g_assert_false (ioh_transfer_finish (owned, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_USAGE);
}

static IohTransfer *
with_helper (const char *path, const char *helper)
{
    return g_object_new (IOH_TYPE_TRANSFER, "path", path, "helper-path", helper, NULL);
}

static void
test_start_refuses (Fixture *fixture, gconstpointer data)
{
    const char *path = fixture->path;
    int closed = open ("/dev/null", O_WRONLY | O_CLOEXEC);

    close (closed);
    if (!manager_under_valgrind ()) {
        expect_refusal (with_helper (path, "/nonexistent/iohelper"), IOH_TRANSFER_ERROR_SPAWN,
                        g_strerror (ENOENT));
        expect_refusal (with_helper (path, "/dev/null"), IOH_TRANSFER_ERROR_SPAWN,
                        g_strerror (EACCES));
    }
    expect_refusal (ioh_transfer_new_save_to_fd (closed), IOH_TRANSFER_ERROR_USAGE,
                    g_strerror (EBADF));
    expect_refusal (ioh_transfer_new_save ("/dev/fd/3"), IOH_TRANSFER_ERROR_USAGE, "/dev/fd/3");
    expect_refusal (ioh_transfer_new_restore ("/dev/stdin"), IOH_TRANSFER_ERROR_USAGE,
                    "/dev/stdin");
    expect_refusal (ioh_transfer_new_save (""), IOH_TRANSFER_ERROR_USAGE, "empty");
    expect_refusal (g_object_new (IOH_TYPE_TRANSFER, NULL), IOH_TRANSFER_ERROR_USAGE, "path");
    expect_refusal (g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_RESTORE, "path", path, "mode",
                                  0644, NULL),
                    IOH_TRANSFER_ERROR_USAGE, "mode");
    expect_refusal (g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_RESTORE, "path", path,
                                  "keep-partial", TRUE, NULL),
                    IOH_TRANSFER_ERROR_USAGE, "keep-partial");
    expect_refusal (g_object_new (IOH_TYPE_TRANSFER, "path", path, "skip-header", TRUE, NULL),
                    IOH_TRANSFER_ERROR_USAGE, "skip-header");
    expect_refusal (g_object_new (IOH_TYPE_TRANSFER, "direction", IOH_RESTORE, "path", path,
                                  "skip-header", TRUE, "offset", (gint64) 0, NULL),
                    IOH_TRANSFER_ERROR_USAGE, "skip-header and offset");
}

/* What is asked for reaches the helper. */
static void
test_skip_header (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = manager_make_image (fixture->directory, "image", 4321);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore (path);
    g_autoptr (GError) error = NULL;
    size_t came = 0;

    g_object_set (transfer, "skip-header", TRUE, NULL);
    g_assert_false (manager_restore (transfer, &came, &error));
    g_assert_cmpuint (came, ==, 0);
    expect_error (&error, IOH_TRANSFER_ERROR_IMAGE, IOH_SIDE_FILE, IOH_STAGE_CHECK, 0, "libvirt");
}

static void
test_started_twice (Fixture *fixture, gconstpointer data)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (fixture->path);
    g_autoptr (GError) error = NULL;

    int fd = ioh_transfer_start (transfer, &error);
    g_assert_no_error (error);
    g_assert_cmpint (ioh_transfer_start (transfer, &error), ==, -1);
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_USAGE);
    g_clear_error (&error);
    g_test_expect_message ("iohelper", G_LOG_LEVEL_CRITICAL, "*pipe-size*");
    g_object_set (transfer, "pipe-size", (guint64) 4096, NULL);
    g_test_assert_expected_messages ();
    manager_join (manager_write (fd, 10));
    g_assert_true (ioh_transfer_finish (transfer, NULL, &error));
}

int
main (int argc, char **argv)
{
    manager_init (&argc, &argv);
#define ADD(name, function) g_test_add (name, Fixture, NULL, set_up, function, tear_down)
    ADD ("/transfer/round-trip", test_round_trip);
    ADD ("/transfer/result", test_result);
    ADD ("/transfer/descriptor", test_descriptor);
    ADD ("/transfer/relative-path", test_relative_path);
    ADD ("/transfer/publishes-on-finish", test_publishes_on_finish);
    ADD ("/transfer/no-directory", test_no_directory);
    ADD ("/transfer/no-room", test_no_room);
    ADD ("/transfer/empty-stream", test_empty_stream);
    ADD ("/transfer/image-truncated", test_image_truncated);
    ADD ("/transfer/descriptor-named", test_descriptor_named);
    ADD ("/transfer/reader-gone", test_reader_gone);
    ADD ("/transfer/helper-refuses", test_helper_refuses);
    ADD ("/transfer/start-refuses", test_start_refuses);
    ADD ("/transfer/skip-header", test_skip_header);
    ADD ("/transfer/started-twice", test_started_twice);
    return g_test_run ();
}
