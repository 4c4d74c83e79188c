/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A temporary directory that cannot be left behind. A small shell in a session of its own waits for
 * the end of a pipe whose only writer is this process; the end comes when the directory is freed
 * and just as well when the test aborts or is killed, and then the shell removes the directory.
 */
#include "scratch.h"

#include "autofd.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>

struct _IohScratch {
    char *path;
    GPid remover_pid;
    int alive_fd;
};

static void
scratch_setup (gpointer unused)
{
    setsid ();
}

static gboolean
scratch_guard (IohScratch *self, GError **error)
{
    const char *const argv[] = {"sh", "-c", "cat > /dev/null; rm -rf -- \"$0\"", self->path, NULL};
    int pipe_fds[2];
    IOH_AUTOFD waiting_fd = -1;

    if (pipe2 (pipe_fds, O_CLOEXEC) < 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "pipe2: %s",
                     g_strerror (errno));
        return FALSE;
    }
    waiting_fd = pipe_fds[0];
    self->alive_fd = pipe_fds[1];
    return g_spawn_async_with_pipes_and_fds (NULL, argv, NULL,
                                             G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH |
                                                 G_SPAWN_STDOUT_TO_DEV_NULL |
                                                 G_SPAWN_STDERR_TO_DEV_NULL,
                                             scratch_setup, NULL, waiting_fd, -1, -1, NULL, NULL, 0,
                                             &self->remover_pid, NULL, NULL, NULL, error);
}

const char *
ioh_scratch_default_parent (void)
{
    const char *named = g_getenv ("TMPDIR");

    return named != NULL && *named != '\0' ? named : "/var/tmp";
}

IohScratch *
ioh_scratch_new (const char *parent, GError **error)
{
    g_autoptr (IohScratch) self = g_new0 (IohScratch, 1);

    self->alive_fd = -1;
    self->path = g_build_filename (parent != NULL ? parent : ioh_scratch_default_parent (),
                                   "iohelper.XXXXXX", NULL);
    if (g_mkdtemp (self->path) == NULL) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                     "cannot make a directory like %s: %s", self->path, g_strerror (errno));
        return NULL;
    }
    if (!scratch_guard (self, error)) {
        rmdir (self->path);
        return NULL;
    }
    return g_steal_pointer (&self);
}

const char *
ioh_scratch_path (const IohScratch *self)
{
    return self->path;
}

char *
ioh_scratch_list (const IohScratch *self)
{
    g_autoptr (GDir) dir = g_dir_open (self->path, 0, NULL);
    g_autoptr (GPtrArray) names = g_ptr_array_new ();
    const char *name;

    g_assert (dir != NULL);
    while ((name = g_dir_read_name (dir)) != NULL)
        g_ptr_array_add (names, (gpointer) g_intern_string (name));
    g_ptr_array_sort (names, (GCompareFunc) (void (*) (void)) g_strcmp0);
    g_ptr_array_add (names, NULL);
    return g_strjoinv (" ", (char **) names->pdata);
}

void
ioh_scratch_free (IohScratch *self)
{
    ioh_autofd_clear (&self->alive_fd);
    if (self->remover_pid > 0)
        while (waitpid (self->remover_pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    g_free (self->path);
    g_free (self);
}

static uint64_t
scratch_memory_available (void)
{
    g_autofree char *text = NULL;
    const char *line;
    unsigned long long kib = 0;

    if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
        return 0;
    line = strstr (text, "MemAvailable:");
    if (line == NULL || sscanf (line, "MemAvailable: %llu kB", &kib) != 1)
        return 0;
    return (uint64_t) kib * 1024;
}

uint64_t
ioh_scratch_room (const char *path)
{
    struct statfs fs;
    uint64_t room;

    if (statfs (path, &fs) < 0)
        return 0;
    room = (uint64_t) fs.f_bavail * (uint64_t) fs.f_bsize;
    return fs.f_type == TMPFS_MAGIC ? MIN (room, scratch_memory_available ()) : room;
}
