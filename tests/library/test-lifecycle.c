/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-lifecycle - transfers that are watched, cancelled, killed, stopped or dropped on the way.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

#define MIB (1024 * 1024)
#define OLD_LENGTH 54321

typedef struct {
    char *directory;
    char *path; /* an older image */
    unsigned fds;
    IohTransfer *transfer; /* a save that was started */
    int fd;                /* the hypervisor's end of it */
    int pid;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    const IohParentDeath *policy = data;
    g_autoptr (GError) error = NULL;

    fixture->directory = scratch_new ();
    fixture->path = manager_make_image (fixture->directory, "image", OLD_LENGTH);
    fixture->fds = scratch_count_fds ();
    fixture->transfer = ioh_transfer_new_save (fixture->path);
    if (policy != NULL)
        g_object_set (fixture->transfer, "parent-death", *policy, NULL);
    fixture->fd = ioh_transfer_start (fixture->transfer, &error);
    g_assert_no_error (error);
    fixture->pid = ioh_transfer_get_pid (fixture->transfer);
    g_assert_cmpint (fixture->pid, >, 0);
}

/* No descriptor, no process and no file is left over. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
    g_clear_object (&fixture->transfer);
    if (fixture->fd >= 0)
        close (fixture->fd);
    g_assert_cmpuint (scratch_count_fds (), ==, fixture->fds);
    manager_await_exit (fixture->pid);
    g_autofree char *names = scratch_names (fixture->directory);
    g_assert_cmpstr (names, ==, "image");
    scratch_remove (fixture->directory);
    g_free (fixture->path);
}

/* The hypervisor's end becomes a writer's. */
static GThread *
write_stream (Fixture *fixture, size_t length)
{
    int fd = fixture->fd;

    fixture->fd = -1;
    return manager_write (fd, length);
}

static void
expect_failure (Fixture *fixture, IohTransferError code, const char *text)
{
    g_autoptr (GError) error = NULL;

    g_assert_false (ioh_transfer_finish (fixture->transfer, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, (int) code);
    g_assert_nonnull (strstr (error->message, text));
    manager_check_image (fixture->path, OLD_LENGTH);
}

typedef struct {
    GThread *thread; /* that everything has to come in */
    guint progressed;
    guint notified;
    guint64 bytes;
    double seconds;
    gboolean finished;
    gboolean done;
} Seen;

static void
see_progress (IohTransfer *transfer, IohPhase phase, guint64 bytes, gint64 expected, double seconds,
              gpointer data)
{
    Seen *seen = data;

    g_assert_true (g_thread_self () == seen->thread);
    g_assert_cmpuint (bytes, >=, seen->bytes);
    g_assert_cmpfloat (seconds, >=, seen->seconds);
    g_assert_cmpint (expected, ==, -1);
    seen->bytes = bytes;
    seen->seconds = seconds;
    seen->progressed++;
}

static void
see_state (IohTransfer *transfer, GParamSpec *spec, gpointer data)
{
    Seen *seen = data;

    g_assert_true (g_thread_self () == seen->thread);
    seen->notified++;
}

static void
see_finish (GObject *object, GAsyncResult *async_result, gpointer data)
{
    g_autoptr (GError) error = NULL;
    Seen *seen = data;

    g_assert_true (g_thread_self () == seen->thread);
    seen->done = ioh_transfer_finish_finish (IOH_TRANSFER (object), async_result, &error);
    g_assert_no_error (error);
    seen->finished = TRUE;
}

/* With a main loop: progress comes by itself while nothing moves, and the end by a callback. */
static void
test_async (Fixture *fixture, gconstpointer data)
{
    Seen seen = {.thread = g_thread_self ()};
    IohTransfer *transfer = fixture->transfer;

    g_signal_connect (transfer, "progress", G_CALLBACK (see_progress), &seen);
    g_signal_connect (transfer, "notify::state", G_CALLBACK (see_state), &seen);
    while (seen.progressed < 4)
        g_main_context_iteration (NULL, TRUE);
    g_assert_cmpuint (seen.bytes, ==, 0);
    g_assert_cmpuint (seen.notified, ==, 1);
    GThread *writer = write_stream (fixture, 5 * MIB);
    ioh_transfer_finish_async (transfer, NULL, see_finish, &seen);
    g_assert_false (seen.finished);
    while (!seen.finished || seen.notified < 2)
        g_main_context_iteration (NULL, TRUE);
    g_assert_true (seen.done);
    g_assert_cmpuint (seen.bytes, ==, 5 * MIB);
    g_assert_cmpuint (manager_join (writer), ==, 5 * MIB);
    manager_check_image (fixture->path, 5 * MIB);
    g_signal_handlers_disconnect_by_data (transfer, &seen);
}

/* Without one, it can be asked. */
static void
test_polled (Fixture *fixture, gconstpointer data)
{
    GThread *writer = write_stream (fixture, 3 * MIB);
    g_autoptr (GError) error = NULL;
    IohPhase phase = IOH_PHASE_OPENING;
    guint64 bytes = 0;
    gint64 expected = 0;
    double seconds = 0;

    while (phase != IOH_PHASE_WAITING || bytes < 3 * MIB) {
        ioh_transfer_get_progress (fixture->transfer, &phase, &bytes, &expected, &seconds);
        g_thread_yield ();
    }
    g_assert_cmpint (expected, ==, -1);
    g_assert_cmpfloat (seconds, >, 0);
    g_assert_true (ioh_transfer_finish (fixture->transfer, NULL, &error));
    manager_join (writer);
    ioh_transfer_get_progress (fixture->transfer, NULL, &bytes, NULL, NULL);
    g_assert_cmpuint (bytes, ==, 3 * MIB);
    g_assert_cmpfloat (ioh_transfer_get_silence (fixture->transfer), ==, 0);
}

static gpointer
cancel_waiting (gpointer data)
{
    g_cancellable_cancel (data);
    return NULL;
}

/* The cancellable ends the waiting; the transfer goes on. */
static void
test_waiting_cancelled (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    g_autoptr (GError) error = NULL;

    GThread *thread = g_thread_new ("cancel", cancel_waiting, cancellable);
    g_assert_false (ioh_transfer_finish (fixture->transfer, cancellable, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_thread_join (thread);
    g_assert_cmpint (ioh_transfer_get_state (fixture->transfer), ==, IOH_TRANSFER_STATE_RUNNING);
    g_clear_error (&error);
    /* at once, with one that is cancelled already */
    g_assert_false (ioh_transfer_finish (fixture->transfer, cancellable, &error));
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    g_clear_error (&error);
    GThread *writer = write_stream (fixture, MIB);
    g_assert_true (ioh_transfer_finish (fixture->transfer, NULL, &error));
    manager_join (writer);
    manager_check_image (fixture->path, MIB);
}

static void
test_cancel (Fixture *fixture, gconstpointer data)
{
    g_assert_cmpint (write (fixture->fd, "some", 4), ==, 4);
    manager_await_phase (fixture->transfer, IOH_PHASE_MOVING);
    ioh_transfer_cancel (fixture->transfer);
    expect_failure (fixture, IOH_TRANSFER_ERROR_CANCELLED, "cancelled");
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (fixture->transfer);
    g_assert_cmpint (ioh_transfer_result_get_signal (result), ==, SIGTERM);
    /* once more makes no difference */
    ioh_transfer_cancel (fixture->transfer);
    expect_failure (fixture, IOH_TRANSFER_ERROR_CANCELLED, "cancelled");
}

/* A hypervisor that failed ends its stream as one that is done does: the cancel tells. */
static void
test_cancel_after_stream (Fixture *fixture, gconstpointer data)
{
    manager_join (write_stream (fixture, 2 * MIB));
    manager_await_phase (fixture->transfer, IOH_PHASE_WAITING);
    ioh_transfer_cancel (fixture->transfer);
    expect_failure (fixture, IOH_TRANSFER_ERROR_CANCELLED, "cancelled");
}

static void
test_cancel_too_late (Fixture *fixture, gconstpointer data)
{
    GThread *writer = write_stream (fixture, 1000);
    g_autoptr (GError) error = NULL;

    g_assert_true (ioh_transfer_finish (fixture->transfer, NULL, &error));
    manager_join (writer);
    ioh_transfer_cancel (fixture->transfer);
    g_assert_cmpint (ioh_transfer_get_state (fixture->transfer), ==, IOH_TRANSFER_STATE_DONE);
    g_assert_true (ioh_transfer_finish (fixture->transfer, NULL, &error));
    manager_check_image (fixture->path, 1000);
}

static void
test_killed (Fixture *fixture, gconstpointer data)
{
    g_assert_cmpint (kill (fixture->pid, SIGKILL), ==, 0);
    expect_failure (fixture, IOH_TRANSFER_ERROR_DIED, "signal 9");
    g_assert_cmpint (ioh_transfer_get_state (fixture->transfer), ==, IOH_TRANSFER_STATE_FAILED);
}

/* Somebody else's SIGTERM is no cancel of ours. */
static void
test_terminated (Fixture *fixture, gconstpointer data)
{
    manager_await_phase (fixture->transfer, IOH_PHASE_MOVING);
    g_assert_cmpint (kill (fixture->pid, SIGTERM), ==, 0);
    expect_failure (fixture, IOH_TRANSFER_ERROR_DIED, "signal 15");
}

/* One that is stopped falls silent, while progress keeps coming; it can be cancelled. */
static void
test_stopped (Fixture *fixture, gconstpointer data)
{
    Seen seen = {.thread = g_thread_self ()};

    manager_await_phase (fixture->transfer, IOH_PHASE_MOVING);
    g_assert_cmpint (kill (fixture->pid, SIGSTOP), ==, 0);
    g_signal_connect (fixture->transfer, "progress", G_CALLBACK (see_progress), &seen);
    while (ioh_transfer_get_silence (fixture->transfer) < 2 || seen.progressed < 2)
        g_main_context_iteration (NULL, TRUE);
    g_signal_handlers_disconnect_by_data (fixture->transfer, &seen);
    ioh_transfer_cancel (fixture->transfer);
    expect_failure (fixture, IOH_TRANSFER_ERROR_CANCELLED, "cancelled");
}

static gpointer
cancel_later (gpointer data)
{
    Fixture *fixture = data;

    g_usleep ((gulong) g_test_rand_int_range (0, 30000));
    ioh_transfer_cancel (fixture->transfer);
    return NULL;
}

/* At a random moment a cancel leaves the old image or, too late, the new one; never less. */
static void
test_cancel_any_time (void)
{
    for (int i = 0; i < 40; i++) {
        g_autoptr (GError) error = NULL;
        Fixture fixture = {0};

        set_up (&fixture, NULL);
        GThread *canceller = g_thread_new ("cancel", cancel_later, &fixture);
        GThread *writer = write_stream (&fixture, 4 * MIB);
        if (ioh_transfer_finish (fixture.transfer, NULL, &error)) {
            manager_check_image (fixture.path, 4 * MIB);
        } else {
            g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED);
            /* on a machine that takes seconds to flush a directory, it says that it may be either
             */
            if (strstr (error->message, "whether the save was completed") == NULL)
                manager_check_image (fixture.path, OLD_LENGTH);
        }
        g_thread_join (canceller);
        manager_join (writer);
        tear_down (&fixture, NULL);
    }
}

/* The last reference goes: the helper does what it was told to do then. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
    gboolean finishes = data != NULL;

    manager_await_phase (fixture->transfer, IOH_PHASE_MOVING);
    g_clear_object (&fixture->transfer);
    size_t written = manager_join (write_stream (fixture, 3 * MIB));
    manager_await_exit (fixture->pid);
    manager_await_fds (fixture->fds);
    if (finishes)
        g_assert_cmpuint (written, ==, 3 * MIB);
    manager_check_image (fixture->path, finishes ? 3 * MIB : OLD_LENGTH);
}

static const char *program; /* this one */

/* A manager of its own process, which is killed once its transfer moves. The hypervisor survives
 * it: its end of the stream is here. So does a child that the manager has forked, which holds
 * copies of all else it had. Returns the process of the helper. */
static int
kill_a_manager (const char *path, const char *policy, int *out_stream_fd, int *out_child)
{
    int lines[2];
    char text[64] = "";
    int pid = 0;
    int fd = 0;

    g_assert_cmpint (pipe2 (lines, 0), ==, 0);
    g_autofree char *out = g_strdup_printf ("%d", lines[1]);
    const char *const argv[] = {program, "--manage", path, policy, out, NULL};
    int manager;
    g_autoptr (GError) error = NULL;
    g_spawn_async (NULL, (char **) argv, NULL,
                   G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, &manager,
                   &error);
    g_assert_no_error (error);
    close (lines[1]);
    g_assert_cmpint (read (lines[0], text, sizeof text - 1), >, 0);
    close (lines[0]);
    g_assert_cmpint (sscanf (text, "%d %d %d", &pid, &fd, out_child), ==, 3);
    g_autofree char *stream = g_strdup_printf ("/proc/%d/fd/%d", manager, fd);
    *out_stream_fd = open (stream, O_WRONLY | O_CLOEXEC);
    g_assert_cmpint (*out_stream_fd, >=, 0);
    g_assert_cmpint (kill (manager, SIGKILL), ==, 0);
    g_assert_cmpint (waitpid (manager, NULL, 0), ==, manager);
    return pid;
}

/* A child of the manager, without the stream. It ends by itself when it is forgotten. */
static int
fork_a_child (int stream_fd)
{
    int child = fork ();

    if (child != 0)
        return child;
    close (stream_fd);
    alarm (60);
    for (;;)
        pause ();
}

static gpointer
start_here (gpointer transfer)
{
    g_autoptr (GError) error = NULL;
    int fd = ioh_transfer_start (transfer, &error);

    g_assert_no_error (error);
    return GINT_TO_POINTER (fd);
}

/* That manager: tells of its helper, its stream and its child, and does nothing more. */
static void G_GNUC_NORETURN
manage (char **arguments)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (arguments[0]);

    g_object_set (transfer, "transport", IOH_TRANSPORT_PIPE, "parent-death",
                  g_str_equal (arguments[1], "cancel") ? IOH_PARENT_DEATH_CANCEL
                                                       : IOH_PARENT_DEATH_FINISH_SAVE,
                  NULL);
    /* the helper is the process's and outlives the thread that started it */
    int fd = GPOINTER_TO_INT (g_thread_join (g_thread_new ("start", start_here, transfer)));
    manager_await_phase (transfer, IOH_PHASE_MOVING);
    int child = fork_a_child (fd);
    dprintf (atoi (arguments[2]), "%d %d %d", ioh_transfer_get_pid (transfer), fd, child);
    for (;;)
        pause ();
}

static void
test_manager_dies (gconstpointer data)
{
    const char *policy = data;
    char *directory = scratch_new ();
    g_autofree char *path = manager_make_image (directory, "image", OLD_LENGTH);
    unsigned fds = scratch_count_fds ();
    int stream_fd;
    int child;

    int pid = kill_a_manager (path, policy, &stream_fd, &child);
    if (g_str_equal (policy, "cancel")) {
        manager_await_exit (pid);
        close (stream_fd);
        manager_check_image (path, OLD_LENGTH);
    } else {
        g_assert_cmpuint (manager_join (manager_write (stream_fd, 3 * MIB)), ==, 3 * MIB);
        manager_await_exit (pid);
        manager_check_image (path, 3 * MIB);
    }
    /* it has lived all the while */
    g_assert_cmpint (kill (child, SIGKILL), ==, 0);
    g_assert_cmpuint (scratch_count_fds (), ==, fds);
    scratch_remove (directory);
}

int
main (int argc, char **argv)
{
    static const IohParentDeath finish = IOH_PARENT_DEATH_FINISH_SAVE;

    program = argv[0];
    if (argc == 5 && g_str_equal (argv[1], "--manage"))
        manage (argv + 2);
    manager_init (&argc, &argv);
#define ADD(name, data, function)                                                                  \
    g_test_add ("/lifecycle/" name, Fixture, data, set_up, function, tear_down)
    ADD ("async", NULL, test_async);
    ADD ("polled", NULL, test_polled);
    ADD ("waiting-cancelled", NULL, test_waiting_cancelled);
    ADD ("cancel", NULL, test_cancel);
    ADD ("cancel-after-stream", NULL, test_cancel_after_stream);
    ADD ("cancel-too-late", NULL, test_cancel_too_late);
    ADD ("killed", NULL, test_killed);
    ADD ("terminated", NULL, test_terminated);
    ADD ("stopped", NULL, test_stopped);
    ADD ("dropped/cancel", NULL, test_dropped);
    ADD ("dropped/finish-save", &finish, test_dropped);
    g_test_add_func ("/lifecycle/cancel-any-time", test_cancel_any_time);
    g_test_add_data_func ("/lifecycle/manager-dies/cancel", "cancel", test_manager_dies);
    g_test_add_data_func ("/lifecycle/manager-dies/finish-save", "finish-save", test_manager_dies);
    return g_test_run ();
}
