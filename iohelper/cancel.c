/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cancel - turns the signals that end a transfer into something poll can wait for.
 *
 * Owns the signal mask of the process and a signalfd. Blocking the signals instead of handling them
 * means no system call is ever interrupted by them and no global is needed.
 */
#include "cancel.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"

struct IohCancel {
    int fd;
    int signal_number;
};

/* A signal that whoever started us ignores (nohup, a background job) stays ignored. */
static void
cancel_add_unless_ignored (sigset_t *set, int signal_number)
{
    struct sigaction action;

    if (sigaction (signal_number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset (set, signal_number);
}

IohCancel *
ioh_cancel_new (GError **error)
{
    sigset_t set;

    sigemptyset (&set);
    cancel_add_unless_ignored (&set, SIGTERM);
    cancel_add_unless_ignored (&set, SIGINT);
    cancel_add_unless_ignored (&set, SIGHUP);
    int fd = signalfd (-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        ioh_error_internal (error, _ ("cannot watch for signals"), errno);
        return NULL;
    }
    sigprocmask (SIG_BLOCK, &set, NULL);
    IohCancel *cancel = g_new0 (IohCancel, 1);
    cancel->fd = fd;
    return cancel;
}

void
ioh_cancel_free (IohCancel *cancel)
{
    if (cancel == NULL)
        return;
    ioh_sys_close (cancel->fd);
    g_free (cancel);
}

int
ioh_cancel_fd (const IohCancel *cancel)
{
    return cancel->fd;
}

int
ioh_cancel_signal (IohCancel *cancel)
{
    struct signalfd_siginfo info;

    if (cancel->signal_number == 0 && read (cancel->fd, &info, sizeof info) == sizeof info)
        cancel->signal_number = (int) info.ssi_signo;
    return cancel->signal_number;
}

IohPatience
ioh_cancel_patience (IohCancel *cancel, gint64 limit_us)
{
    return (IohPatience){cancel, limit_us > 0 ? g_get_monotonic_time () + limit_us : 0};
}

int
ioh_cancel_wait (const IohPatience *patience, int fd, short events)
{
    gint64 left_us =
        patience->until_us > 0 ? MAX (patience->until_us - g_get_monotonic_time (), 0) : -1;
    struct pollfd fds[2] = {{.fd = fd, .events = events},
                            {.fd = ioh_cancel_fd (patience->cancel), .events = POLLIN}};

    int ready = ioh_sys_poll (fds, G_N_ELEMENTS (fds), left_us);
    if (ioh_cancel_signal (patience->cancel) != 0)
        return -ECANCELED;
    if (ready < 0)
        return ready;
    return ready == 0 ? -ETIME : 0;
}

gboolean
ioh_cancel_thread (const char *name, GThreadFunc run, gpointer data, GError **error)
{
    sigset_t all;
    sigset_t before;

    sigfillset (&all);
    /* it tells a thread what it has done itself: the sandbox's, and blocked it would kill */
    sigdelset (&all, SIGSYS);
    pthread_sigmask (SIG_SETMASK, &all, &before);
    GThread *thread = g_thread_try_new (name, run, data, error);
    pthread_sigmask (SIG_SETMASK, &before, NULL);
    if (thread != NULL)
        g_thread_unref (thread);
    return thread != NULL;
}

void
ioh_cancel_die (int signal_number)
{
    sigset_t set;

    signal (signal_number, SIG_DFL);
    sigemptyset (&set);
    sigaddset (&set, signal_number);
    sigprocmask (SIG_UNBLOCK, &set, NULL);
    raise (signal_number);
    _exit (128 + signal_number);
}
