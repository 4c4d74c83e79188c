/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * errand - does in a thread what may take for ever, and waits for it no longer than one would.
 *
 * Owns the thread and the news that it is done. One that was given up ends by itself, or with the
 * process, and frees what it was given.
 */
#include "errand.h"

#include <errno.h>

#include "sys.h"

/* Of the thread. */
typedef struct {
    void (*run) (gpointer data);
    gpointer data;
    GDestroyNotify clear;
    int done_fd; /* the end of a pipe: closed when RUN has returned */
} Errand;

static void
errand_free (Errand *errand)
{
    ioh_sys_clear_fd (&errand->done_fd);
    g_atomic_rc_box_release_full (errand->data, errand->clear);
    g_free (errand);
}

static gpointer
errand_main (gpointer thread_data)
{
    Errand *errand = thread_data;

    errand->run (errand->data);
    errand_free (errand);
    return NULL;
}

int
ioh_errand (const char *name, void (*run) (gpointer data), gpointer data, GDestroyNotify clear,
            const IohPatience *patience)
{
    int fds[2];
    int result = ioh_sys_pipe (fds);

    if (result < 0)
        return result;
    ioh_autofd done_fd = fds[0];
    Errand *errand = g_new0 (Errand, 1);
    *errand = (Errand){run, g_atomic_rc_box_acquire (data), clear, fds[1]};
    if (!ioh_cancel_thread (name, errand_main, errand, NULL)) {
        errand_free (errand);
        return -EAGAIN;
    }
    return ioh_cancel_wait (patience, done_fd, POLLIN);
}
