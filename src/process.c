/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * process - starts the helper so that nothing leaks, and learns how it ended.
 *
 * Owns no process after it returns. The host program's handling of SIGCHLD is its own: no handler
 * is installed, no child but ours is waited for. posix_spawn does not copy the page tables of a big
 * manager and reports a program that cannot be executed here, not by an exit status.
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "descriptor.h"
#include "error-private.h"
#include "message.h"

/* More than enough for the ends and lines of one helper. */
#define PROCESS_MOST_FDS 16

/* A copy of FD above the numbers that the child will use, so that placing one descriptor never
 * overwrites another that is still to be placed. -errno on failure. */
static int
process_copy (int fd)
{
    ioh_auto_descriptor null_fd = -1;

    if (fd < 0)
        fd = null_fd = open ("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
    int copy = fd < 0 ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, PROCESS_MOST_FDS);
    if (copy >= 0)
        return copy;
    /* what fcntl says when the limit of descriptors is below the number asked for */
    return errno == EINVAL ? -EMFILE : -errno;
}

/* An errno value, 0 on success. */
static int
process_place (posix_spawn_file_actions_t *actions, const int *copies, unsigned count)
{
    int result = 0;

    for (unsigned i = 0; result == 0 && i < count; i++)
        result = posix_spawn_file_actions_adddup2 (actions, copies[i], (int) i);
    return result != 0 ? result : posix_spawn_file_actions_addclosefrom_np (actions, (int) count);
}

static int
process_attributes (posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    int result = posix_spawnattr_setflags (
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    sigemptyset (&none);
    sigfillset (&all);
    if (result == 0)
        result = posix_spawnattr_setpgroup (attributes, 0);
    if (result == 0)
        result = posix_spawnattr_setsigmask (attributes, &none);
    return result != 0 ? result : posix_spawnattr_setsigdefault (attributes, &all);
}

static int
process_run (const char *const *argv, const char *const *environment, const int *copies,
             unsigned count, pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    int result = posix_spawn_file_actions_init (&actions);
    if (result != 0)
        return result;
    result = posix_spawnattr_init (&attributes);
    if (result == 0) {
        result = process_place (&actions, copies, count);
        if (result == 0)
            result = process_attributes (&attributes);
        if (result == 0)
            result = posix_spawn (out_pid, argv[0], &actions, &attributes, (char *const *) argv,
                                  (char *const *) environment);
        posix_spawnattr_destroy (&attributes);
    }
    posix_spawn_file_actions_destroy (&actions);
    return result;
}

gboolean
ioh_process_start (const char *const *argv, const char *const *environment, const int *fds,
                   unsigned count, IohProcess *out_process, GError **error)
{
    int copies[PROCESS_MOST_FDS];
    unsigned made = 0;
    int result = 0;

    g_assert (count <= PROCESS_MOST_FDS);
    while (result >= 0 && made < count) {
        result = process_copy (fds[made]);
        if (result >= 0)
            copies[made++] = result;
    }
    result =
        result < 0 ? -result : process_run (argv, environment, copies, count, &out_process->pid);
    while (made > 0)
        close (copies[--made]);
    if (result != 0) {
        g_autofree char *what = g_strdup_printf (_ ("cannot start %s"), argv[0]);
        return ioh_transfer_error_errno (error, IOH_TRANSFER_ERROR_SPAWN, result, what);
    }
    /* from here on the number cannot be mistaken for another process */
    out_process->pid_fd = pidfd_open (out_process->pid, 0);
    return TRUE;
}

void
ioh_process_signal (const IohProcess *process, int signal_number)
{
    if (process->pid_fd >= 0)
        pidfd_send_signal (process->pid_fd, signal_number, NULL, 0);
    else
        kill (process->pid, signal_number);
}

/* waitid for PROCESS; -1 when somebody else has reaped it. */
static int
process_wait (const IohProcess *process, siginfo_t *out_info, int options)
{
    gboolean by_fd = process->pid_fd >= 0;
    int result;

    out_info->si_pid = 0;
    do
        result = waitid (by_fd ? P_PIDFD : P_PID, (id_t) (by_fd ? process->pid_fd : process->pid),
                         out_info, WEXITED | options);
    while (result < 0 && errno == EINTR);
    return result;
}

gboolean
ioh_process_has_ended (const IohProcess *process)
{
    siginfo_t info;

    return process_wait (process, &info, WNOHANG | WNOWAIT) < 0 || info.si_pid != 0;
}

IohEnded
ioh_process_reap (const IohProcess *process, int *out_number)
{
    siginfo_t info;

    *out_number = 0;
    if (process_wait (process, &info, 0) < 0)
        return IOH_ENDED_UNKNOWN;
    *out_number = info.si_status;
    return info.si_code == CLD_EXITED ? IOH_ENDED_EXITED : IOH_ENDED_SIGNALLED;
}
