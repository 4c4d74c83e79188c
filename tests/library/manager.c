/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * manager - plays a virtualization manager, and its hypervisor.
 */
#include "manager.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "pattern.h"
#include "scratch.h"

#define MANAGER_PIECE 65536

typedef struct {
    int fd;
    size_t length;
} Job;

static void
manager_ignore (GObject *object, GAsyncResult *async_result, gpointer data)
{
    *(gboolean *) data = TRUE;
}

void
manager_init (int *argc, char ***argv)
{
    gboolean done = FALSE;

    g_test_init (argc, argv, NULL);
    signal (SIGPIPE, SIG_IGN);
    /* the default main context and the threads behind tasks */
    GTask *task = g_task_new (NULL, NULL, manager_ignore, &done);
    g_task_return_boolean (task, TRUE);
    g_object_unref (task);
    while (!done)
        g_main_context_iteration (NULL, TRUE);
}

static gpointer
manager_write_thread (gpointer data)
{
    g_autofree Job *job = data;
    g_autofree uint8_t *piece = g_malloc (MANAGER_PIECE);
    size_t done = 0;
    ssize_t written = 0;

    while (written >= 0 && done < job->length) {
        size_t bytes = MIN (MANAGER_PIECE, job->length - done);
        pattern_fill (piece, bytes, done);
        written = write (job->fd, piece, bytes);
        if (written > 0)
            done += (size_t) written;
    }
    close (job->fd);
    return GSIZE_TO_POINTER (done);
}

static gpointer
manager_read_thread (gpointer data)
{
    g_autofree Job *job = data;
    g_autofree uint8_t *piece = g_malloc (MANAGER_PIECE);
    size_t done = 0;
    ssize_t got;

    while ((got = read (job->fd, piece, MANAGER_PIECE)) > 0) {
        g_assert_cmpuint (pattern_mismatch (piece, (size_t) got, done), ==, (size_t) got);
        done += (size_t) got;
    }
    close (job->fd);
    return GSIZE_TO_POINTER (done);
}

GThread *
manager_write (int fd, size_t length)
{
    Job *job = g_new (Job, 1);

    *job = (Job){fd, length};
    return g_thread_new ("writer", manager_write_thread, job);
}

GThread *
manager_read (int fd)
{
    Job *job = g_new (Job, 1);

    *job = (Job){fd, 0};
    return g_thread_new ("reader", manager_read_thread, job);
}

size_t
manager_join (GThread *thread)
{
    return GPOINTER_TO_SIZE (g_thread_join (thread));
}

gboolean
manager_save (IohTransfer *transfer, size_t length, GError **error)
{
    int fd = ioh_transfer_start (transfer, error);

    if (fd < 0)
        return FALSE;
    GThread *writer = manager_write (fd, length);
    gboolean done = ioh_transfer_finish (transfer, NULL, error);
    manager_join (writer);
    return done;
}

gboolean
manager_restore (IohTransfer *transfer, size_t *out_length, GError **error)
{
    int fd = ioh_transfer_start (transfer, error);

    if (fd < 0)
        return FALSE;
    GThread *reader = manager_read (fd);
    gboolean done = ioh_transfer_finish (transfer, NULL, error);
    *out_length = manager_join (reader);
    return done;
}

void
manager_await_state (IohTransfer *transfer, IohTransferState state)
{
    while (ioh_transfer_get_state (transfer) != state) {
        g_assert_cmpint (ioh_transfer_get_state (transfer), <, IOH_TRANSFER_STATE_DONE);
        g_main_context_iteration (NULL, TRUE);
    }
}

void
manager_await_phase (IohTransfer *transfer, IohPhase phase)
{
    IohPhase now;

    for (;;) {
        ioh_transfer_get_progress (transfer, &now, NULL, NULL, NULL);
        if (now == phase)
            return;
        g_assert_cmpint (ioh_transfer_get_state (transfer), <, IOH_TRANSFER_STATE_DONE);
        g_main_context_iteration (NULL, TRUE);
    }
}

/* Whether PID has ended, be it reaped or not. */
static gboolean
manager_has_ended (int pid)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
    g_autofree char *text = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL))
        return TRUE;
    /* the state follows the name, which is in brackets */
    const char *state = strrchr (text, ')');
    return state == NULL || state[1] == '\0' || state[2] == 'Z' || state[2] == 'X';
}

void
manager_await_exit (int pid)
{
    while (!manager_has_ended (pid))
        g_thread_yield ();
}

gboolean
manager_under_valgrind (void)
{
    const char *preloaded = g_getenv ("LD_PRELOAD");

    return preloaded != NULL && strstr (preloaded, "vgpreload") != NULL;
}

void
manager_await_fds (unsigned fds)
{
    while (scratch_count_fds () > fds)
        g_thread_yield ();
}

char *
manager_make_image (const char *directory, const char *name, size_t length)
{
    g_autofree char *content = g_malloc (length + 1);
    g_autoptr (GError) error = NULL;
    char *path = g_build_filename (directory, name, NULL);

    pattern_fill (content, length, 0);
    g_file_set_contents (path, content, (gssize) length, &error);
    g_assert_no_error (error);
    return path;
}

void
manager_check_image (const char *path, size_t length)
{
    size_t found = 0;
    g_autofree uint8_t *content = scratch_read (path, &found);

    g_assert_cmpuint (found, ==, length);
    g_assert_cmpuint (pattern_mismatch (content, found, 0), ==, found);
}
