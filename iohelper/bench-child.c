/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-child - the processes of a benchmark: how they start, what they cost, how they end.
 *
 * Owns their descriptors' numbers and their signals. Each dies with its parent. No shell is ever
 * between.
 */
#include "bench-child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"

/* Signals as a program finds them, and an end with its parent. */
static void
child_settle (pid_t parent, int death_signal)
{
    sigset_t none;

    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    prctl (PR_SET_PDEATHSIG, death_signal);
    if (getppid () != parent)
        _exit (IOH_EXIT_INTERNAL);
}

/* Numbers are given in two rounds, so that none is taken that is still wanted. */
static void
child_place_fds (const int fds[IOH_BENCH_CHILD_FDS])
{
    int high[IOH_BENCH_CHILD_FDS];

    for (int i = 0; i < IOH_BENCH_CHILD_FDS; i++) {
        ioh_autofd null_fd = fds[i] < 0 ? open ("/dev/null", O_RDWR | O_CLOEXEC) : -1;
        high[i] = fcntl (fds[i] < 0 ? null_fd : fds[i], F_DUPFD_CLOEXEC, IOH_BENCH_CHILD_FDS);
    }
    for (int i = 0; i < IOH_BENCH_CHILD_FDS; i++)
        if (high[i] < 0 || dup2 (high[i], i) < 0)
            _exit (IOH_EXIT_INTERNAL);
}

static gboolean
child_started (IohBenchChild *child, pid_t pid, GError **error)
{
    *child = IOH_BENCH_CHILD_NONE;
    if (pid < 0)
        return ioh_error_internal (error, _ ("cannot start a process"), errno);
    child->pid = pid;
    child->pid_fd = pidfd_open (pid, 0);
    if (child->pid_fd >= 0)
        return TRUE;
    ioh_error_internal (error, _ ("cannot watch a process"), errno);
    ioh_bench_child_end (child, SIGKILL);
    return FALSE;
}

gboolean
ioh_bench_child_execute (IohBenchChild *child, const char *program, char *const *argv,
                         const int fds[IOH_BENCH_CHILD_FDS], GError **error)
{
    pid_t parent = getpid ();
    pid_t pid = fork ();

    if (pid == 0) {
        /* one that has something to clean up is told, not killed */
        child_settle (parent, SIGTERM);
        child_place_fds (fds);
        execv (program, argv);
        _exit (IOH_EXIT_INTERNAL);
    }
    return child_started (child, pid, error);
}

gboolean
ioh_bench_child_fork (IohBenchChild *child, void (*work) (gpointer), gpointer data, GError **error)
{
    pid_t parent = getpid ();
    pid_t pid = fork ();

    if (pid == 0) {
        child_settle (parent, SIGKILL);
        work (data);
        _exit (IOH_EXIT_DONE);
    }
    return child_started (child, pid, error);
}

static void
child_reap (IohBenchChild *child, int flags)
{
    struct rusage usage;

    if (child->pid == 0 || child->ended ||
        TEMP_FAILURE_RETRY (wait4 (child->pid, &child->status, flags, &usage)) != child->pid)
        return;
    child->ended = TRUE;
    child->end_us = g_get_monotonic_time ();
    child->cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC +
                    usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

gboolean
ioh_bench_child_wait (IohBenchChild *const *children, unsigned count, int fd, IohCancel *cancel)
{
    struct pollfd fds[4] = {{ioh_cancel_fd (cancel), POLLIN, 0}, {fd, POLLIN, 0}};
    unsigned running = count;

    g_assert (count + 2 <= G_N_ELEMENTS (fds));
    for (unsigned i = 0; i < count; i++)
        fds[i + 2] = (struct pollfd){children[i]->pid_fd, POLLIN, 0};
    while (running > 0) {
        ioh_sys_poll (fds, count + 2, -1);
        if (ioh_cancel_signal (cancel) != 0)
            return FALSE;
        for (unsigned i = 0; i < count; i++) {
            if (fds[i + 2].revents == 0)
                continue;
            child_reap (children[i], WNOHANG);
            fds[i + 2].fd = -1;
            running--;
        }
        if (fd >= 0 && (fds[1].revents != 0 || running < count))
            break;
    }
    return TRUE;
}

void
ioh_bench_child_end (IohBenchChild *child, int signal_number)
{
    if (child->pid != 0 && !child->ended) {
        kill (child->pid, signal_number);
        child_reap (child, 0);
    }
    ioh_sys_clear_fd (&child->pid_fd);
    child->pid = 0;
}
