/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-many - many transfers at once, by a user without privileges whose pipes are limited.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "manager.h"
#include "scratch.h"

#define MIB (1024 * 1024)
#define MANY 50
#define LENGTH (2 * MIB + 17)

/* Pipes of 1 MiB until the user may have no more of them; FDS holds MANY * 4. */
static guint
use_up_pipes (int *fds)
{
    guint count = 0;

    while (count + 2 <= MANY * 4 && pipe2 (fds + count, O_CLOEXEC) == 0) {
        count += 2;
        if (fcntl (fds[count - 1], F_SETPIPE_SZ, MIB) < 0)
            break;
    }
    return count;
}

static char *
name_image (const char *directory, guint number)
{
    g_autofree char *name = g_strdup_printf ("image-%u", number);

    return g_build_filename (directory, name, NULL);
}

typedef struct {
    IohTransfer *transfer;
    GThread *peer;
} Job;

static void
start (Job *job, IohTransfer *transfer, GThread *(*peer) (int fd))
{
    g_autoptr (GError) error = NULL;

    g_object_set (transfer, "transport", IOH_TRANSPORT_PIPE, NULL);
    int fd = ioh_transfer_start (transfer, &error);
    g_assert_no_error (error);
    job->transfer = transfer;
    job->peer = peer (fd);
}

static void
finish (Job *job)
{
    g_autoptr (GError) error = NULL;

    gboolean done = ioh_transfer_finish (job->transfer, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (done);
    g_assert_cmpuint (manager_join (job->peer), ==, LENGTH);
    g_object_unref (job->transfer);
}

static GThread *
write_length (int fd)
{
    return manager_write (fd, LENGTH);
}

/* How many of JOBS have a narrower stream than they asked for. */
static guint
count_narrow (const Job *jobs)
{
    guint narrow = 0;

    for (guint i = 0; i < MANY; i++)
        if (ioh_transfer_get_stream_size (jobs[i].transfer) < MIB)
            narrow++;
    return narrow;
}

static void
test_many (void)
{
    char *directory = scratch_new ();
    unsigned fds = scratch_count_fds ();
    int pipes[MANY * 4];
    guint used = use_up_pipes (pipes);
    Job jobs[MANY];

    for (guint i = 0; i < MANY; i++) {
        g_autofree char *path = name_image (directory, i);
        start (&jobs[i], ioh_transfer_new_save (path), write_length);
    }
    guint narrow = count_narrow (jobs);
    g_test_message ("%u pipes of our own, %u narrow streams", used / 2, narrow);
    /* unless the administrator has lifted the limit, it bites */
    if (used < MANY * 4)
        g_assert_cmpuint (narrow, >, 0);
    for (guint i = 0; i < MANY; i++)
        finish (&jobs[i]);
    for (guint i = 0; i < MANY; i++) {
        g_autofree char *path = name_image (directory, i);
        manager_check_image (path, LENGTH);
        start (&jobs[i], ioh_transfer_new_restore (path), manager_read);
    }
    for (guint i = 0; i < MANY; i++)
        finish (&jobs[i]);
    while (used > 0)
        close (pipes[--used]);
    g_assert_cmpuint (scratch_count_fds (), ==, fds);
    scratch_remove (directory);
}

/* Started and finished by several threads at the same time. */
static gpointer
run_some (gpointer data)
{
    const char *directory = data;

    for (guint i = 0; i < 10; i++) {
        g_autofree char *path =
            g_strdup_printf ("%s/thread-%p-%u", directory, (void *) g_thread_self (), i);
        g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (path);
        g_autoptr (GError) error = NULL;
        gboolean done = manager_save (transfer, MIB + i, &error);
        g_assert_no_error (error);
        g_assert_true (done);
        manager_check_image (path, MIB + i);
    }
    return NULL;
}

static void
test_threads (void)
{
    char *directory = scratch_new ();
    unsigned fds = scratch_count_fds ();
    GThread *threads[8];

    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new ("some", run_some, directory);
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        g_thread_join (threads[i]);
    g_assert_cmpuint (scratch_count_fds (), ==, fds);
    scratch_remove (directory);
}

int
main (int argc, char **argv)
{
    const unsigned nobody = 20000 + (unsigned) getpid () % 40000; /* he has no other pipes */

    /* before there is another thread; /proc/self stays ours by being dumpable */
    if (geteuid () == 0 &&
        (setgroups (0, NULL) < 0 || setresgid (nobody, nobody, nobody) < 0 ||
         setresuid (nobody, nobody, nobody) < 0 || prctl (PR_SET_DUMPABLE, 1, 0, 0, 0) < 0))
        g_error ("cannot become nobody: %s", g_strerror (errno));
    manager_init (&argc, &argv);
    if (access (g_getenv ("IOH_HELPER"), X_OK) < 0) {
        g_print ("1..0 # SKIP nobody may execute %s\n", g_getenv ("IOH_HELPER"));
        return 0;
    }
    g_test_add_func ("/many/at-once", test_many);
    g_test_add_func ("/many/threads", test_threads);
    return g_test_run ();
}
