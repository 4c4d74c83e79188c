/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * launch REPORT_FD COMMAND [ARGUMENT...]
 *
 * Runs one command and writes what it cost to REPORT_FD, as one line of JSON.
 *
 * The comparison does not start its candidates itself: the kernel carries the peak resident size
 * of the starting process over exec, and an interpreter is larger than most candidates. It also
 * dies with its parent and takes the command along, so that a killed comparison leaves no
 * hypervisor behind; told to end by SIGTERM it kills the command and still waits for its end.
 * It must not hold the stream open: end of file is part of what is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
launch_exec (char **command, pid_t parent)
{
    sigset_t none;

    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != parent)
        _exit (127);
    execvp (command[0], command);
    fprintf (stderr, "launch: %s: %s\n", command[0], g_strerror (errno));
    _exit (127);
}

/* Everything but standard error and the report belongs to the command alone. */
static gboolean
launch_let_go (int report_fd)
{
    int null_fd = open ("/dev/null", O_RDWR | O_CLOEXEC);

    if (null_fd < 0 || dup2 (null_fd, STDIN_FILENO) < 0 || dup2 (null_fd, STDOUT_FILENO) < 0)
        return FALSE;
    if (report_fd > 3 && close_range (3, (unsigned int) report_fd - 1, 0) != 0)
        return FALSE;
    return close_range ((unsigned int) report_fd + 1, ~0U, 0) == 0;
}

/* The signals are blocked: whatever arrives, and whenever, is seen here. */
static gboolean
launch_wait (pid_t child, const sigset_t *signals, int *out_status, struct rusage *out_usage)
{
    for (;;) {
        pid_t ended = wait4 (child, out_status, WNOHANG, out_usage);

        if (ended != 0)
            return ended == child;
        if (sigwaitinfo (signals, NULL) == SIGTERM)
            kill (child, SIGKILL);
    }
}

static int
launch_report (int report_fd, int status, const struct rusage *usage)
{
    int written =
        dprintf (report_fd,
                 "{\"exit\": %d, \"signal\": %d, \"user\": %ld.%06ld, \"system\": %ld.%06ld, "
                 "\"rss_kib\": %ld}\n",
                 WIFEXITED (status) ? WEXITSTATUS (status) : -1,
                 WIFSIGNALED (status) ? WTERMSIG (status) : 0, (long) usage->ru_utime.tv_sec,
                 (long) usage->ru_utime.tv_usec, (long) usage->ru_stime.tv_sec,
                 (long) usage->ru_stime.tv_usec, usage->ru_maxrss);

    return written < 0 ? 1 : 0;
}

int
main (int argc, char **argv)
{
    struct rusage usage;
    sigset_t signals;
    guint64 report_fd;
    pid_t parent = getpid ();
    pid_t child;
    int status;

    if (argc < 3 || !g_ascii_string_to_unsigned (argv[1], 10, 3, G_MAXINT, &report_fd, NULL)) {
        fprintf (stderr, "usage: launch REPORT_FD COMMAND [ARGUMENT...], REPORT_FD above 2\n");
        return 2;
    }
    if (fcntl ((int) report_fd, F_SETFD, FD_CLOEXEC) != 0) {
        fprintf (stderr, "launch: descriptor %s: %s\n", argv[1], g_strerror (errno));
        return 2;
    }
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset (&signals);
    sigaddset (&signals, SIGTERM);
    sigaddset (&signals, SIGCHLD);
    sigprocmask (SIG_BLOCK, &signals, NULL);
    child = fork ();
    if (child == 0)
        launch_exec (argv + 2, parent);
    if (child < 0 || !launch_let_go ((int) report_fd) ||
        !launch_wait (child, &signals, &status, &usage)) {
        fprintf (stderr, "launch: %s\n", g_strerror (errno));
        return 1;
    }
    return launch_report ((int) report_fd, status, &usage);
}
