/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-stuck - storage that does not answer, for real: a file system that is frozen, in which a
 * helper hangs in the kernel and cannot even be killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

#define MIB (1024 * 1024)

/* The file system, mounted where only this process and its children see it. */
typedef struct {
    ScratchDevice *device;
    char *directory;
    char *path;
    int fd;       /* of its root */
    int alive_fd; /* at whose end it is thawed, whatever has become of the test */
    int guard;    /* the process that does so */
} Frozen;

static const char *program; /* this one */
static Frozen storage = {.fd = -1, .alive_fd = -1};

/* NULL, or what is missing. */
static const char *
storage_make (void)
{
    const char *why = NULL;

    storage.device = scratch_device_new (64 * MIB, 512, &why);
    if (storage.device == NULL)
        return why;
    const char *device = scratch_device_path (storage.device);
    const char *const argv[] = {"mkfs.ext4", "-q", device, NULL};
    int status = -1;
    if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                       &status, NULL) ||
        status != 0)
        return "mkfs.ext4";
    storage.directory = scratch_new ();
    if (unshare (CLONE_NEWNS) < 0 || mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount (device, storage.directory, "ext4", 0, NULL) < 0)
        return "the right to mount";
    storage.path = g_build_filename (storage.directory, "image", NULL);
    storage.fd = open (storage.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return storage.fd < 0 ? "a mounted file system" : NULL;
}

/* Freezes or thaws it. */
static int
storage_order (unsigned long order)
{
    int level = 0;

    return ioctl (storage.fd, order, &level);
}

/* A process that thaws it when this one has gone. */
static void
storage_guard (void)
{
    int fds[2];
    char byte;

    g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
    storage.guard = fork ();
    if (storage.guard == 0) {
        close (fds[1]);
        while (read (fds[0], &byte, 1) < 0 && errno == EINTR)
            continue;
        storage_order (FITHAW);
        _exit (0);
    }
    close (fds[0]);
    storage.alive_fd = fds[1];
}

static void
storage_remove (void)
{
    if (storage.alive_fd >= 0) {
        close (storage.alive_fd);
        waitpid (storage.guard, NULL, 0);
    }
    if (storage.fd >= 0) {
        close (storage.fd);
        g_assert_cmpint (umount (storage.directory), ==, 0);
    }
    if (storage.directory != NULL)
        scratch_remove (storage.directory);
    scratch_device_free (storage.device);
    g_free (storage.path);
}

static void
freeze (void)
{
    g_assert_cmpint (storage_order (FIFREEZE), ==, 0);
}

static void
thaw (void)
{
    g_assert_cmpint (storage_order (FITHAW), ==, 0);
}

static int
start (IohTransfer *transfer)
{
    g_autoptr (GError) error = NULL;
    int fd = ioh_transfer_start (transfer, &error);

    g_assert_no_error (error);
    return fd;
}

static void
count_progress (IohTransfer *transfer, IohPhase phase, guint64 bytes, gint64 expected,
                double seconds, gpointer data)
{
    (*(guint *) data)++;
}

/* Progress keeps coming from a helper that is stuck. */
static void
await_progress (IohTransfer *transfer)
{
    guint count = 0;

    g_signal_connect (transfer, "progress", G_CALLBACK (count_progress), &count);
    while (count < 5)
        g_main_context_iteration (NULL, TRUE);
    g_assert_cmpfloat (ioh_transfer_get_silence (transfer), <, 60);
    g_signal_handlers_disconnect_by_data (transfer, &count);
}

/* It is told that the helper hangs, and the end comes when the storage answers again. */
static void
test_cancel (void)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (storage.path);
    g_autoptr (GError) error = NULL;

    freeze ();
    int fd = start (transfer);
    await_progress (transfer);
    ioh_transfer_cancel (transfer);
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_CANCELLING);
    for (int i = 0; i < 2; i++) {
        g_assert_false (ioh_transfer_finish (transfer, NULL, &error));
        g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED);
        g_assert_nonnull (strstr (error->message, "hangs"));
        g_clear_error (&error);
    }
    g_assert_cmpint (ioh_transfer_get_state (transfer), ==, IOH_TRANSFER_STATE_STUCK);
    g_assert_null (ioh_transfer_get_result (transfer));
    g_assert_cmpint (kill (ioh_transfer_get_pid (transfer), 0), ==, 0);
    thaw ();
    manager_await_state (transfer, IOH_TRANSFER_STATE_CANCELLED);
    g_assert_cmpint (ioh_transfer_get_pid (transfer), ==, -1);
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_assert_false (ioh_transfer_result_is_done (result));
    g_assert_false (g_file_test (storage.path, G_FILE_TEST_EXISTS));
    close (fd);
}

/* Storage that comes back in time has only taken its time. */
static void
test_comes_back (void)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (storage.path);
    g_autoptr (GError) error = NULL;

    int fd = start (transfer);
    manager_await_phase (transfer, IOH_PHASE_MOVING);
    freeze ();
    GThread *writer = manager_write (fd, 20 * MIB);
    await_progress (transfer);
    thaw ();
    gboolean done = ioh_transfer_finish (transfer, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (done);
    manager_join (writer);
    manager_check_image (storage.path, 20 * MIB);
}

/* A program whose helper hangs can end. */
static void
test_program_ends (void)
{
    const char *const argv[] = {program, "--manage", storage.path, NULL};
    g_autoptr (GError) error = NULL;
    g_autofree char *output = NULL;
    int status = -1;

    freeze ();
    g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status,
                  &error);
    g_assert_no_error (error);
    g_assert_cmpint (status, ==, 0);
    int helper = (int) g_ascii_strtoll (output, NULL, 10);
    g_assert_cmpint (helper, >, 0);
    g_assert_cmpint (kill (helper, 0), ==, 0);
    thaw ();
    manager_await_exit (helper);
}

/* That program. */
static int
manage (const char *path)
{
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);

    start (transfer);
    await_progress (transfer);
    g_print ("%d\n", ioh_transfer_get_pid (transfer));
    ioh_transfer_cancel (transfer);
    return 0;
}

int
main (int argc, char **argv)
{
    program = argv[0];
    if (argc == 3 && g_str_equal (argv[1], "--manage"))
        return manage (argv[2]);
    const char *missing = storage_make ();
    if (missing != NULL) {
        storage_remove ();
        if (g_strcmp0 (g_getenv ("IOH_MUST_WORK"), "1") == 0)
            g_error ("needed: %s", missing);
        g_print ("1..0 # SKIP needs %s\n", missing);
        return 0;
    }
    storage_guard ();
    manager_init (&argc, &argv);
    g_test_add_func ("/stuck/cancel", test_cancel);
    g_test_add_func ("/stuck/comes-back", test_comes_back);
    g_test_add_func ("/stuck/program-ends", test_program_ends);
    int status = g_test_run ();
    storage_remove ();
    return status;
}
