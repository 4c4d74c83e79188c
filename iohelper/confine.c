/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * confine - a transfer that has begun, or a look at an image, keeps only what it needs.
 *
 * Owns the choice of what that is; how system calls are filtered is for sandbox. May assume that
 * every descriptor of ours is close-on-exec, so that one which is not was inherited.
 */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "i18n.h"
#include "sys.h"

void
ioh_confine_privileges (void)
{
    prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static gboolean
confine_is_named (const IohOptions *options, int fd)
{
    return fd <= STDERR_FILENO || fd == options->stream_fd || fd == options->file_fd ||
           fd == options->progress_fd || fd == options->control_fd;
}

/* Without /proc nothing is closed. */
static void
confine_close_inherited (const IohOptions *options)
{
    g_autoptr (GDir) directory = g_dir_open ("/proc/self/fd", 0, NULL);
    const char *name;

    while (directory != NULL && (name = g_dir_read_name (directory)) != NULL) {
        int fd = atoi (name);
        int flags = fcntl (fd, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && !confine_is_named (options, fd))
            ioh_sys_close (fd);
    }
}

/* What libraries only read once they need it, and could not open any more. */
static void
confine_prepare_libraries (void)
{
    /* the C library's translations, and what makes UTF-8 of them */
    g_free (g_locale_to_utf8 (strerror (EIO), -1, NULL, NULL, NULL));

    /* what names of temporary files are drawn from */
    g_random_int ();
}

void
ioh_confine (const IohOptions *options, const IohPlan *plan, IohSandboxClean clean, gpointer data,
             IohReport *report)
{
    const IohSandboxNeeds needs = {
        .direction = plan->direction,
        .publishes = plan->direction == IOH_SAVE && plan->publish != IOH_PUBLISH_IN_PLACE,
        .submits = plan->engine->queues && plan->queue == IOH_QUEUE_IO_URING,
    };
    g_autofree char *why = NULL;

    if (options->no_sandbox) {
        ioh_report_sandbox (report, IOH_REPORT_SANDBOX_NONE, _ ("asked for"));
        return;
    }
    confine_close_inherited (options);
    confine_prepare_libraries ();
    if (ioh_sandbox_enter (&needs, clean, data, &why)) {
        ioh_report_sandbox (report, IOH_REPORT_SANDBOX_SECCOMP,
                            _ ("only what the transfer needs was kept"));
        return;
    }
    ioh_report_sandbox (report, IOH_REPORT_SANDBOX_BASIC, why);
    if (options->verbosity > 0)
        ioh_report_note (report, _ ("system calls are not filtered: %s"), why);
}

void
ioh_confine_reader (const IohOptions *options)
{
    const IohSandboxNeeds needs = {.direction = IOH_RESTORE};
    g_autofree char *why = NULL;

    if (options->no_sandbox)
        return;
    ioh_confine_privileges ();
    confine_close_inherited (options);
    confine_prepare_libraries ();
    ioh_sandbox_enter (&needs, NULL, NULL, &why);
}
