/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fifo - opens a FIFO, which the other side may never do.
 *
 * Owns the thread that waits in open: only there the kernel tells that somebody has come, whether
 * he writes anything or not, and the descriptor blocks as any other. Without O_NONBLOCK nobody is
 * missed who comes and goes.
 */
#include "fifo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "errand.h"
#include "error.h"
#include "i18n.h"
#include "sys.h"

/* Shared by the thread and whoever waits for it. */
typedef struct {
    char *path;
    int flags;
    int fd; /* or -errno */
} FifoOpening;

static void
opening_run (gpointer data)
{
    FifoOpening *opening = data;

    opening->fd = ioh_sys_open (AT_FDCWD, opening->path, opening->flags, 0);
}

static void
opening_clear (gpointer data)
{
    FifoOpening *opening = data;

    ioh_sys_clear_fd (&opening->fd);
    g_free (opening->path);
}

/* The descriptor, or -errno as ioh_errand. */
static int
fifo_await (const char *path, int flags, const IohPatience *patience)
{
    FifoOpening *opening = g_atomic_rc_box_new0 (FifoOpening);

    opening->path = g_strdup (path);
    opening->flags = flags;
    opening->fd = -1;
    int result = ioh_errand ("fifo", opening_run, opening, opening_clear, patience);
    if (result >= 0) {
        result = opening->fd;
        opening->fd = -1;
    }
    g_atomic_rc_box_release_full (opening, opening_clear);
    return result;
}

int
ioh_fifo_open (const IohOptions *options, const char *path, int flags, IohCancel *cancel,
               GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, options->file_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    const IohPatience patience = ioh_cancel_patience (cancel, options->stall_us);
    gint64 seconds = options->stall_us / G_USEC_PER_SEC;
    int fd = fifo_await (path, flags, &patience);

    if (fd >= 0)
        return fd;
    if (fd == -ETIME)
        ioh_error_set (
            error, IOH_EXIT_FILE, &place,
            ngettext ("timed out: nobody has opened the other end for %" PRId64 " second",
                      "timed out: nobody has opened the other end for %" PRId64 " seconds",
                      seconds),
            seconds);
    else if (fd != -ECANCELED)
        ioh_error_errno (error, &place, -fd);
    return -1;
}
