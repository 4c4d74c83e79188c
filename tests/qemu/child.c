/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One child process of a test: started with exactly the descriptors named, waited for with a
 * deadline, always reaped. The kernel kills it when the test dies first (PR_SET_PDEATHSIG), so that
 * neither an abort nor a kill -9 of the test leaves a virtual machine behind. Standard error goes
 * to a memfd: no pipe that could fill up, nothing mixed into the test's own output.
 */
#include "child.h"

#include "autofd.h"

#include <errno.h>
#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define CHILD_FDS_MAX 8

struct _IohChild {
    GPid pid;
    int pid_fd;
    int stderr_fd;
    int status;
    bool reaped;
    char *name;
};

static void
child_setup (gpointer parent_pid)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != GPOINTER_TO_INT (parent_pid))
        _exit (127);
}

static bool
child_exec (IohChild *self, const char *const *argv, const int *fds, size_t n_fds, GError **error)
{
    int source_fds[CHILD_FDS_MAX], target_fds[CHILD_FDS_MAX];
    size_t n_passed = 0;
    int stdin_fd = n_fds > 0 ? fds[0] : -1;
    int stdout_fd = n_fds > 1 ? fds[1] : -1;
    GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH;

    g_assert (n_fds <= CHILD_FDS_MAX);
    for (size_t i = 3; i < n_fds; i++) {
        if (fds[i] < 0)
            continue;
        source_fds[n_passed] = fds[i];
        target_fds[n_passed++] = (int) i;
    }
    if (stdout_fd < 0)
        flags |= G_SPAWN_STDOUT_TO_DEV_NULL;
    return g_spawn_async_with_pipes_and_fds (
        NULL, argv, NULL, flags, child_setup, GINT_TO_POINTER (getpid ()), stdin_fd, stdout_fd,
        self->stderr_fd, source_fds, target_fds, n_passed, &self->pid, NULL, NULL, NULL, error);
}

IohChild *
ioh_child_spawn (const char *const *argv, const int *fds, size_t n_fds, GError **error)
{
    g_autoptr (IohChild) self = g_new0 (IohChild, 1);

    self->reaped = true;
    self->pid_fd = -1;
    self->name = g_path_get_basename (argv[0]);
    self->stderr_fd = memfd_create ("stderr", MFD_CLOEXEC);
    if (self->stderr_fd < 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "memfd_create: %s",
                     g_strerror (errno));
        return NULL;
    }
    if (!child_exec (self, argv, fds, n_fds, error))
        return NULL;
    self->reaped = false;
    self->pid_fd = pidfd_open (self->pid, 0);
    if (self->pid_fd < 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "pidfd_open: %s",
                     g_strerror (errno));
        return NULL;
    }
    return g_steal_pointer (&self);
}

static void
child_reap (IohChild *self)
{
    int status = 0;

    while (waitpid (self->pid, &status, 0) < 0)
        g_assert (errno == EINTR);
    self->reaped = true;
    self->status = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* True when the child has ended before the deadline; the child itself is left as it is. */
static bool
child_ends (IohChild *self, gint64 deadline_us)
{
    struct pollfd pollfd = {.fd = self->pid_fd, .events = POLLIN};

    for (;;) {
        gint64 left_us = MAX (deadline_us - g_get_monotonic_time (), 0);
        int ready = poll (&pollfd, 1, (int) (left_us / 1000));

        if (ready > 0)
            return true;
        if (ready == 0 && left_us == 0)
            return false;
        g_assert (ready == 0 || errno == EINTR);
    }
}

int
ioh_child_wait (IohChild *self, unsigned seconds, GError **error)
{
    if (self->reaped)
        return self->status;
    if (!child_ends (self, g_get_monotonic_time () + seconds * G_USEC_PER_SEC)) {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "%s still runs after %u seconds",
                     self->name, seconds);
        return -1;
    }
    child_reap (self);
    return self->status;
}

void
ioh_child_kill (IohChild *self)
{
    if (!self->reaped)
        kill (self->pid, SIGKILL);
}

char *
ioh_child_stderr (IohChild *self)
{
    GString *text = g_string_new (NULL);
    char chunk[1024];
    ssize_t got;

    while ((got = pread (self->stderr_fd, chunk, sizeof chunk, (off_t) text->len)) > 0)
        g_string_append_len (text, chunk, got);
    return g_strchomp (g_string_free (text, FALSE));
}

void
ioh_child_free (IohChild *self)
{
    if (!self->reaped) {
        ioh_child_kill (self);
        child_reap (self);
    }
    ioh_autofd_clear (&self->pid_fd);
    ioh_autofd_clear (&self->stderr_fd);
    g_free (self->name);
    g_free (self);
}
