/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sandbox-seccomp - a filter for system calls, through libseccomp.
 *
 * Owns the list of what a transfer calls once it has begun, and what is said when it calls anything
 * else. Two kinds of calls are neither allowed nor fatal: those that libraries make late and can do
 * without. The handler of a signal is given nothing, so what it needs is in the one variable here.
 */
#include "sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "i18n.h"
#include "wire.h"

/* Linux: the kernel sent the signal because a filter said so. */
#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1
#endif

/* What calls are for; 0: every transfer. */
enum {
    SANDBOX_SAVE = 1 << 0,
    SANDBOX_RESTORE = 1 << 1,
    SANDBOX_PUBLISH = 1 << 2,
    SANDBOX_SUBMIT = 1 << 3,
};

typedef struct {
    int number;
    unsigned purpose;
} SandboxCall;

/* Calls whose arguments do not matter: the kernel answers for these without running the filter
 * (Linux 5.11), so that each may be made a million times a second. */
static const SandboxCall sandbox_calls[] = {
    /* the data */
    {SCMP_SYS (read), 0},
    {SCMP_SYS (write), 0},
    {SCMP_SYS (readv), 0},
    {SCMP_SYS (writev), 0},
    {SCMP_SYS (pread64), 0},
    {SCMP_SYS (pwrite64), 0},
    {SCMP_SYS (preadv2), 0},
    {SCMP_SYS (pwritev2), 0},
    {SCMP_SYS (splice), 0},
    {SCMP_SYS (recvfrom), 0},
    {SCMP_SYS (sendto), 0},
    {SCMP_SYS (poll), 0},
    {SCMP_SYS (ppoll), 0},
    {SCMP_SYS (io_uring_enter), SANDBOX_SUBMIT},
    {SCMP_SYS (sendfile), SANDBOX_RESTORE},
    {SCMP_SYS (mincore), SANDBOX_RESTORE},
    {SCMP_SYS (fallocate), SANDBOX_SAVE},
    {SCMP_SYS (ftruncate), SANDBOX_SAVE},
    {SCMP_SYS (fsync), SANDBOX_SAVE},
    {SCMP_SYS (fdatasync), SANDBOX_SAVE},
    {SCMP_SYS (sync_file_range), SANDBOX_SAVE},
    {SCMP_SYS (linkat), SANDBOX_PUBLISH},
    {SCMP_SYS (renameat), SANDBOX_PUBLISH},
    {SCMP_SYS (renameat2), SANDBOX_PUBLISH},
    {SCMP_SYS (unlinkat), SANDBOX_PUBLISH},
    {SCMP_SYS (fadvise64), 0},
    {SCMP_SYS (lseek), 0},
    {SCMP_SYS (fstat), 0},
    {SCMP_SYS (close), 0},
    {SCMP_SYS (pipe2), 0},
    {SCMP_SYS (eventfd2), 0},
    {SCMP_SYS (shutdown), 0},
    {SCMP_SYS (getsockopt), 0},
    {SCMP_SYS (getpeername), 0},
    /* memory, threads and time, on behalf of the libraries */
    {SCMP_SYS (brk), 0},
    {SCMP_SYS (munmap), 0},
    {SCMP_SYS (mremap), 0},
    {SCMP_SYS (madvise), 0},
    {SCMP_SYS (futex), 0},
    {SCMP_SYS (set_robust_list), 0},
    {SCMP_SYS (rseq), 0},
    {SCMP_SYS (membarrier), 0},
    {SCMP_SYS (prctl), 0},
    {SCMP_SYS (sched_yield), 0},
    {SCMP_SYS (sched_getaffinity), 0},
    {SCMP_SYS (sched_getscheduler), 0},
    {SCMP_SYS (sched_getparam), 0},
    {SCMP_SYS (sched_setscheduler), 0},
    {SCMP_SYS (getpid), 0},
    {SCMP_SYS (getppid), 0},
    {SCMP_SYS (gettid), 0},
    {SCMP_SYS (getpgrp), 0},
    {SCMP_SYS (getpgid), 0},
    {SCMP_SYS (getuid), 0},
    {SCMP_SYS (geteuid), 0},
    {SCMP_SYS (getrandom), 0},
    {SCMP_SYS (getrusage), 0},
    {SCMP_SYS (clock_gettime), 0},
    {SCMP_SYS (clock_getres), 0},
    {SCMP_SYS (clock_nanosleep), 0},
    {SCMP_SYS (nanosleep), 0},
    {SCMP_SYS (gettimeofday), 0},
    {SCMP_SYS (rt_sigaction), 0},
    {SCMP_SYS (rt_sigprocmask), 0},
    {SCMP_SYS (rt_sigreturn), 0},
    {SCMP_SYS (sigaltstack), 0},
    {SCMP_SYS (restart_syscall), 0},
    {SCMP_SYS (exit), 0},
    {SCMP_SYS (exit_group), 0},
};

typedef struct {
    int number;
    struct scmp_arg_cmp condition;
} SandboxLimitedCall;

/* Calls that are allowed when one argument is right. */
static const SandboxLimitedCall sandbox_limited_calls[] = {
    /* memory that could be executed is not needed any more */
    {SCMP_SYS (mmap), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
    {SCMP_SYS (mprotect), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
    /* threads, not processes */
    {SCMP_SYS (clone), {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD}},
    /* a descriptor's status, not that of a path */
    {SCMP_SYS (newfstatat), {3, SCMP_CMP_EQ, AT_EMPTY_PATH, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_GETFD, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_GETFL, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_SETFL, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_DUPFD_CLOEXEC, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_GETPIPE_SZ, 0}},
    {SCMP_SYS (fcntl), {1, SCMP_CMP_EQ, F_SETPIPE_SZ, 0}},
    /* whether it is a terminal and whose; what a peer has not acknowledged */
    {SCMP_SYS (ioctl), {1, SCMP_CMP_EQ, TCGETS, 0}},
    {SCMP_SYS (ioctl), {1, SCMP_CMP_EQ, TCGETS2, 0}},
    {SCMP_SYS (ioctl), {1, SCMP_CMP_EQ, TIOCGWINSZ, 0}},
    {SCMP_SYS (ioctl), {1, SCMP_CMP_EQ, TIOCGPGRP, 0}},
    {SCMP_SYS (ioctl), {1, SCMP_CMP_EQ, SIOCOUTQ, 0}},
};

typedef struct {
    int number;
    int error_number;
} SandboxRefusedCall;

/* Calls that fail without ending the process. */
static const SandboxRefusedCall sandbox_refused_calls[] = {
    {SCMP_SYS (open), EACCES},
    {SCMP_SYS (openat), EACCES},
    /* its flags cannot be looked at; the C library uses clone instead */
    {SCMP_SYS (clone3), ENOSYS},
};

/* What the handler says and does. */
static struct {
    char *said;
    IohSandboxClean clean;
    gpointer data;
} sandbox_end;

/* Where nobody can be told, the exit status is left. */
static void
sandbox_say (const char *text, size_t length)
{
    ssize_t written = write (STDERR_FILENO, text, length);

    (void) written;
}

/* The calls here are safe in a signal handler. */
static void
sandbox_stop (int number)
{
    char digits[16];
    size_t at = sizeof digits;
    IohSandboxClean clean = __atomic_load_n (&sandbox_end.clean, __ATOMIC_ACQUIRE);

    digits[--at] = '\n';
    do
        digits[--at] = (char) ('0' + number % 10);
    while ((number /= 10) > 0);
    sandbox_say (sandbox_end.said, strlen (sandbox_end.said));
    sandbox_say (digits + at, sizeof digits - at);
    if (clean != NULL)
        clean (sandbox_end.data);
    _exit (IOH_EXIT_INTERNAL);
}

static void
sandbox_take_signal (int signal_number, siginfo_t *info, void *context)
{
    if (info->si_code != SYS_SECCOMP) {
        /* somebody sent it: die of it as anybody would, once it is let through */
        signal (signal_number, SIG_DFL);
        raise (signal_number);
    } else if (info->si_syscall != -1) {
        sandbox_stop (info->si_syscall);
    }
    /* -1: a debugger or tracer has taken the call away and put its own result in its place */
}

/* One call, when its CONDITIONS hold (one or none). What an architecture does not have has a
 * negative number: there is nothing to be said about it. */
static int
sandbox_add (scmp_filter_ctx filter, uint32_t action, int number, unsigned conditions,
             const struct scmp_arg_cmp *condition)
{
    if (number < 0)
        return 0;
    return seccomp_rule_add_array (filter, action, number, conditions, condition);
}

static int
sandbox_allow (scmp_filter_ctx filter, unsigned purposes)
{
    int result = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS (sandbox_calls) && result >= 0; i++)
        if ((sandbox_calls[i].purpose & ~purposes) == 0)
            result = sandbox_add (filter, SCMP_ACT_ALLOW, sandbox_calls[i].number, 0, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (sandbox_limited_calls) && result >= 0; i++)
        result = sandbox_add (filter, SCMP_ACT_ALLOW, sandbox_limited_calls[i].number, 1,
                              &sandbox_limited_calls[i].condition);
    for (unsigned i = 0; i < G_N_ELEMENTS (sandbox_refused_calls) && result >= 0; i++)
        result =
            sandbox_add (filter, SCMP_ACT_ERRNO ((uint32_t) sandbox_refused_calls[i].error_number),
                         sandbox_refused_calls[i].number, 0, NULL);
    return result;
}

/* Signals to ourselves: the end after one, and the manager's death. */
static int
sandbox_allow_signals (scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp self = {0, SCMP_CMP_EQ, (scmp_datum_t) getpid (), 0};
    int result = seccomp_rule_add_array (filter, SCMP_ACT_ALLOW, SCMP_SYS (kill), 1, &self);

    if (result >= 0)
        result = seccomp_rule_add_array (filter, SCMP_ACT_ALLOW, SCMP_SYS (tgkill), 1, &self);
    return result;
}

static unsigned
sandbox_purposes (const IohSandboxNeeds *needs)
{
    unsigned purposes = needs->direction == IOH_SAVE ? SANDBOX_SAVE : SANDBOX_RESTORE;

    if (needs->publishes)
        purposes |= SANDBOX_PUBLISH;
    if (needs->submits)
        purposes |= SANDBOX_SUBMIT;
    return purposes;
}

/* Makes the filter and puts it before all threads. 0 or -errno. */
static int
sandbox_load (const IohSandboxNeeds *needs)
{
    scmp_filter_ctx filter = seccomp_init (SCMP_ACT_TRAP);

    if (filter == NULL)
        return -ENOMEM;
    seccomp_attr_set (filter, SCMP_FLTATR_API_SYSRAWRC, 1);
    seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRAP);
    /* no mitigation of speculation that nobody asked for: before Linux 5.16 it came with a filter
     * and made everything slower */
    seccomp_attr_set (filter, SCMP_FLTATR_CTL_SSB, 1);
    int result = seccomp_attr_set (filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (result >= 0)
        result = sandbox_allow (filter, sandbox_purposes (needs));
    if (result >= 0)
        result = sandbox_allow_signals (filter);
    if (result >= 0)
        result = seccomp_load (filter);
    seccomp_release (filter);
    return result;
}

/* Valgrind makes its own calls as this process. */
static gboolean
sandbox_in_valgrind (void)
{
    const char *preloaded = g_getenv ("LD_PRELOAD");

    return preloaded != NULL && strstr (preloaded, "vgpreload_") != NULL;
}

gboolean
ioh_sandbox_enter (const IohSandboxNeeds *needs, IohSandboxClean clean, gpointer data,
                   char **out_why)
{
    const struct sigaction action = {
        .sa_sigaction = sandbox_take_signal,
        .sa_flags = SA_SIGINFO,
    };
    struct sigaction before;

    if (sandbox_in_valgrind ()) {
        *out_why = g_strdup (_ ("valgrind would be filtered as well"));
        return FALSE;
    }
    g_free (sandbox_end.said);
    sandbox_end.said = g_strdup_printf (
        IOH_PACKAGE ": %s: ",
        _ ("stopped by its own sandbox (see --no-sandbox): forbidden system call number"));
    sandbox_end.data = data;
    __atomic_store_n (&sandbox_end.clean, clean, __ATOMIC_RELEASE);
    sigaction (SIGSYS, &action, &before);
    int result = sandbox_load (needs);
    if (result >= 0)
        return TRUE;
    sigaction (SIGSYS, &before, NULL);
    ioh_sandbox_forget ();
    *out_why = g_strdup (g_strerror (-result));
    return FALSE;
}

void
ioh_sandbox_forget (void)
{
    __atomic_store_n (&sandbox_end.clean, NULL, __ATOMIC_RELEASE);
}
