/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-hygiene - what the helper gets from its manager, and what it does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

#define MIB (1024 * 1024)

typedef struct {
    char *directory;
    char *path;
    unsigned fds;
    IohTransfer *transfer;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    fixture->directory = scratch_new ();
    fixture->path = g_build_filename (fixture->directory, "image", NULL);
    fixture->fds = scratch_count_fds ();
    fixture->transfer = ioh_transfer_new_save (fixture->path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
    g_object_unref (fixture->transfer);
    g_assert_cmpuint (scratch_count_fds (), ==, fixture->fds);
    scratch_remove (fixture->directory);
    g_free (fixture->path);
}

static int
start (Fixture *fixture)
{
    g_autoptr (GError) error = NULL;
    int fd = ioh_transfer_start (fixture->transfer, &error);

    g_assert_no_error (error);
    /* from then on it is the helper and not what becomes it */
    manager_await_phase (fixture->transfer, IOH_PHASE_MOVING);
    return fd;
}

static void
finish (Fixture *fixture, int fd)
{
    g_autoptr (GError) error = NULL;
    GThread *writer = manager_write (fd, MIB);

    gboolean done = ioh_transfer_finish (fixture->transfer, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (done);
    g_assert_cmpuint (manager_join (writer), ==, MIB);
}

/* The strings of a file in /proc that ends each with a zero, with blanks between them. */
static char *
read_proc (int pid, const char *name)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/%s", pid, name);
    g_autofree char *content = NULL;
    gsize length = 0;

    g_assert_true (g_file_get_contents (path, &content, &length, NULL));
    for (gsize i = 0; i + 1 < length; i++)
        if (content[i] == '\0')
            content[i] = ' ';
    return g_strndup (content, length);
}

/* The arguments after those that are always there. */
static char *
read_options (const Fixture *fixture)
{
    g_autofree char *all = read_proc (ioh_transfer_get_pid (fixture->transfer), "cmdline");
    const char *quiet = strstr (all, " --quiet ");

    g_assert_nonnull (quiet);
    return g_strdup (quiet + strlen (" --quiet "));
}

/* What is not changed is left to the helper, whose defaults are the same. */
static void
test_no_options (Fixture *fixture, gconstpointer data)
{
    int fd = start (fixture);
    g_autofree char *options = read_options (fixture);

    g_assert_cmpstr (options, ==, fixture->path);
    finish (fixture, fd);
}

static void
test_all_options (Fixture *fixture, gconstpointer data)
{
    g_object_set (fixture->transfer, "pipe-size", (guint64) 65536, "engine", "copy", "cache",
                  IOH_CACHE_KEEP, "block-size", (guint64) 8192, "queue-depth", 2u, "queue",
                  IOH_QUEUE_THREADS, "offset", (gint64) 512, "expect-size", (gint64) MIB,
                  "rate-limit", (guint64) 1 << 30, "stall-timeout", 60u, "sync", IOH_SYNC_DATA,
                  "exists", IOH_EXISTS_REFUSE, "mode", 0640u, "keep-partial", TRUE, "parent-death",
                  IOH_PARENT_DEATH_FINISH_SAVE, NULL);
    int fd = start (fixture);
    g_autofree char *options = read_options (fixture);
    g_autofree char *wanted = g_strconcat (
        "--pipe-size=65536 --engine=copy --cache=keep --block-size=8192 --queue-depth=2 "
        "--queue=threads --offset=512 --expect-size=1048576 --rate-limit=1073741824 "
        "--stall-timeout=60 --sync=data --exists=refuse "
        "--mode=640 --keep-partial --parent-death=finish-save ",
        fixture->path, NULL);

    g_assert_cmpstr (options, ==, wanted);
    finish (fixture, fd);
}

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
    g_object_set (fixture->transfer, "transport", IOH_TRANSPORT_PIPE, "pipe-size", (guint64) 65536,
                  NULL);
    int fd = start (fixture);
    g_assert_cmpint (fcntl (fd, F_GETPIPE_SZ), ==, 65536);
    g_assert_cmpuint (ioh_transfer_get_stream_size (fixture->transfer), ==, 65536);
    finish (fixture, fd);
}

static void
test_socket_buffer (Fixture *fixture, gconstpointer data)
{
    int booked = 0;
    socklen_t length = sizeof booked;

    g_object_set (fixture->transfer, "transport", IOH_TRANSPORT_SOCKET, "socket-buffer",
                  (guint64) 100000, NULL);
    int fd = start (fixture);
    g_assert_cmpint (getsockopt (fd, SOL_SOCKET, SO_SNDBUF, &booked, &length), ==, 0);
    g_assert_cmpint (booked, ==, 200000);
    g_assert_cmpuint (ioh_transfer_get_stream_size (fixture->transfer), ==, 100000);
    finish (fixture, fd);
}

/* More than the kernel gives is no error. */
static void
test_too_much (Fixture *fixture, gconstpointer data)
{
    g_object_set (fixture->transfer, "transport", IOH_TRANSPORT_PIPE, "pipe-size",
                  (guint64) 1 << 30, "socket-buffer", (guint64) 1 << 30, NULL);
    int fd = start (fixture);
    g_assert_cmpuint (ioh_transfer_get_stream_size (fixture->transfer), >=, 4096);
    g_assert_cmpuint (ioh_transfer_get_stream_size (fixture->transfer), <=, 1 << 30);
    finish (fixture, fd);
}

static int
count_fds_of (int pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/fd", pid);
    g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
    int count = 0;

    g_assert_nonnull (directory);
    for (const char *name; (name = g_dir_read_name (directory)) != NULL;)
        count++;
    return count;
}

/* Whether a descriptor of the process PID refers to what FD does here. */
static gboolean
holds (int pid, int fd)
{
    g_autofree char *own = g_strdup_printf ("/proc/self/fd/%d", fd);
    g_autofree char *wanted = g_file_read_link (own, NULL);
    g_autofree char *path = g_strdup_printf ("/proc/%d/fd", pid);
    g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
    gboolean found = FALSE;

    for (const char *name; (name = g_dir_read_name (directory)) != NULL;) {
        g_autofree char *other = g_build_filename (path, name, NULL);
        g_autofree char *target = g_file_read_link (other, NULL);
        found = found || g_strcmp0 (target, wanted) == 0;
    }
    return found;
}

/* A manager whose descriptors are not close-on-exec. */
static void
test_nothing_leaks_in (Fixture *fixture, gconstpointer data)
{
    int leaky[20];

    for (guint i = 0; i < G_N_ELEMENTS (leaky); i++) {
        leaky[i] = socket (AF_UNIX, SOCK_STREAM, 0);
        g_assert_cmpint (leaky[i], >=, 0);
    }
    int fd = start (fixture);
    int pid = ioh_transfer_get_pid (fixture->transfer);
    for (guint i = 0; i < G_N_ELEMENTS (leaky); i++) {
        g_assert_false (holds (pid, leaky[i]));
        close (leaky[i]);
    }
    /* for its own use it has a few more by now, but none of the hypervisor's end */
    g_assert_cmpint (count_fds_of (pid), <, 20);
    g_assert_false (holds (pid, fd));
    finish (fixture, fd);
}

/* A child that is started while a transfer is under way has none of its descriptors. */
static void
test_nothing_leaks_out (Fixture *fixture, gconstpointer data)
{
    const char *const argv[] = {"sleep", "100", NULL};
    g_autoptr (GError) error = NULL;
    GPid child;

    int fd = start (fixture);
    g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
    g_spawn_async (NULL, (char **) argv, NULL,
                   G_SPAWN_SEARCH_PATH | G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_DO_NOT_REAP_CHILD,
                   NULL, NULL, &child, &error);
    g_assert_no_error (error);
    g_assert_false (holds (child, fd));
    /* the stream ends although the child lives on */
    finish (fixture, fd);
    kill (child, SIGKILL);
    g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
}

static void
test_two_at_once (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = g_build_filename (fixture->directory, "other", NULL);
    g_autoptr (IohTransfer) other = ioh_transfer_new_save (path);
    g_autoptr (GError) error = NULL;

    int other_fd = ioh_transfer_start (other, &error);
    g_assert_no_error (error);
    int fd = start (fixture);
    manager_await_phase (other, IOH_PHASE_MOVING);
    g_assert_false (holds (ioh_transfer_get_pid (other), fd));
    g_assert_false (holds (ioh_transfer_get_pid (fixture->transfer), other_fd));
    finish (fixture, fd);
    g_assert_cmpint (ioh_transfer_get_state (other), ==, IOH_TRANSFER_STATE_RUNNING);
    GThread *writer = manager_write (other_fd, 1234);
    g_assert_true (ioh_transfer_finish (other, NULL, &error));
    manager_join (writer);
    manager_check_image (path, 1234);
}

static void
test_environment (Fixture *fixture, gconstpointer data)
{
    g_setenv ("SECRET", "of the manager", TRUE);
    g_setenv ("LC_TIME", "C", TRUE);
    int fd = start (fixture);
    g_autofree char *environment = read_proc (ioh_transfer_get_pid (fixture->transfer), "environ");
    g_assert_null (strstr (environment, "SECRET"));
    g_assert_nonnull (strstr (environment, "LC_TIME=C"));
    g_unsetenv ("SECRET");
    finish (fixture, fd);
}

/* Keys that go to everything in the foreground are not for the helper. */
static void
test_process_group (Fixture *fixture, gconstpointer data)
{
    int fd = start (fixture);
    int pid = ioh_transfer_get_pid (fixture->transfer);

    g_assert_cmpint (getpgid (pid), ==, pid);
    g_assert_cmpint (getpgid (pid), !=, getpgrp ());
    finish (fixture, fd);
}

/* One of the signal masks that the kernel tells of a process. */
static guint64
read_signals (int pid, const char *name)
{
    g_autofree char *status = read_proc (pid, "status");
    const char *line = strstr (status, name);

    g_assert_nonnull (line);
    return g_ascii_strtoull (line + strlen (name), NULL, 16);
}

/* While a process starts a thread, the C library blocks every signal in it for a moment. */
static gboolean
is_blocked (int pid, int number)
{
    for (int i = 0; i < 1000; i++) {
        if ((read_signals (pid, "SigBlk:") & ((guint64) 1 << (number - 1))) == 0)
            return FALSE;
        g_usleep (1000);
    }
    return TRUE;
}

/* What the manager blocks and ignores is its own business. */
static void
test_signals (Fixture *fixture, gconstpointer data)
{
    sigset_t set;
    sigset_t before;

    sigemptyset (&set);
    sigaddset (&set, SIGUSR1);
    sigprocmask (SIG_BLOCK, &set, &before);
    signal (SIGUSR2, SIG_IGN);
    int fd = start (fixture);
    int pid = ioh_transfer_get_pid (fixture->transfer);
    guint64 ignored = read_signals (pid, "SigIgn:");
    g_assert_cmpuint (ignored & ((guint64) 1 << (SIGUSR2 - 1)), ==, 0);
    g_assert_false (is_blocked (pid, SIGUSR1));
    signal (SIGUSR2, SIG_DFL);
    sigprocmask (SIG_SETMASK, &before, NULL);
    finish (fixture, fd);
}

static volatile sig_atomic_t children_seen;

static void
see_child (int signal_number)
{
    children_seen++;
}

/* A handler for SIGCHLD stays, and its wait for any child finds none but its own. */
static void
test_sigchld_handler (Fixture *fixture, gconstpointer data)
{
    const struct sigaction handled = {.sa_handler = see_child, .sa_flags = SA_RESTART};
    struct sigaction now;
    struct sigaction before;

    sigaction (SIGCHLD, &handled, &before);
    finish (fixture, start (fixture));
    sigaction (SIGCHLD, &before, &now);
    g_assert_true (now.sa_handler == see_child);
    g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
    g_assert_cmpint (errno, ==, ECHILD);
}

/* A program that ignores SIGCHLD loses the exit status of all its children. The report is enough.
 */
static void
test_sigchld_ignored (Fixture *fixture, gconstpointer data)
{
    signal (SIGCHLD, SIG_IGN);
    finish (fixture, start (fixture));
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (fixture->transfer);
    g_assert_cmpint (ioh_transfer_result_get_exit_status (result), ==, -1);
    g_assert_true (ioh_transfer_result_is_done (result));
    signal (SIGCHLD, SIG_DFL);
}

/* Also to tell a failure. */
static void
test_reaped_failure (Fixture *fixture, gconstpointer data)
{
    g_autofree char *path = g_build_filename (fixture->directory, "none", "image", NULL);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);
    g_autoptr (GError) error = NULL;

    signal (SIGCHLD, SIG_IGN);
    g_assert_false (manager_save (transfer, 10, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_FILE);
    g_assert_cmpint (ioh_transfer_error_get_errno (error), ==, ENOENT);
    signal (SIGCHLD, SIG_DFL);
}

/* And when there is no report either, nothing is claimed. */
static void
test_reaped_silence (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    signal (SIGCHLD, SIG_IGN);
    int fd = start (fixture);
    kill (ioh_transfer_get_pid (fixture->transfer), SIGKILL);
    g_assert_false (ioh_transfer_finish (fixture->transfer, NULL, &error));
    g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_DIED);
    close (fd);
    signal (SIGCHLD, SIG_DFL);
}

/* Guest memory is for its owner alone, whatever the manager's mask. */
static void
test_umask (Fixture *fixture, gconstpointer data)
{
    mode_t before = umask (0);
    struct stat st;

    finish (fixture, start (fixture));
    umask (before);
    g_assert_cmpint (stat (fixture->path, &st), ==, 0);
    g_assert_cmpint (st.st_mode & 07777, ==, 0600);
}

/* With ever more descriptors to be had, a start fails cleanly until there are enough. */
static void
test_out_of_descriptors (Fixture *fixture, gconstpointer data)
{
    struct rlimit before;
    int fd = -1;

    g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
    for (rlim_t limit = 3; fd < 0; limit++) {
        const struct rlimit small = {limit, before.rlim_max};
        g_autoptr (GError) error = NULL;
        g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &small), ==, 0);
        fd = ioh_transfer_start (fixture->transfer, &error);
        g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
        g_assert_true ((fd < 0) == (error != NULL));
        if (fd < 0) {
            g_assert_cmpint (ioh_transfer_error_get_errno (error), ==, EMFILE);
            g_assert_cmpuint (scratch_count_fds (), ==, fixture->fds);
        }
        g_assert_cmpuint (limit, <, 100);
    }
    finish (fixture, fd);
}

int
main (int argc, char **argv)
{
    manager_init (&argc, &argv);
#define ADD(name, function)                                                                        \
    g_test_add ("/hygiene/" name, Fixture, NULL, set_up, function, tear_down)
    ADD ("no-options", test_no_options);
    ADD ("all-options", test_all_options);
    ADD ("pipe-size", test_sizes);
    ADD ("socket-buffer", test_socket_buffer);
    ADD ("too-much", test_too_much);
    ADD ("nothing-leaks-in", test_nothing_leaks_in);
    ADD ("nothing-leaks-out", test_nothing_leaks_out);
    ADD ("two-at-once", test_two_at_once);
    ADD ("environment", test_environment);
    ADD ("process-group", test_process_group);
    ADD ("signals", test_signals);
    ADD ("sigchld-handler", test_sigchld_handler);
    ADD ("sigchld-ignored", test_sigchld_ignored);
    ADD ("reaped-failure", test_reaped_failure);
    ADD ("reaped-silence", test_reaped_silence);
    ADD ("umask", test_umask);
    ADD ("out-of-descriptors", test_out_of_descriptors);
    return g_test_run ();
}
