/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-sandbox - what a confined process can still do, and how it ends when it tries anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cancel.h"
#include "sandbox.h"
#include "sys.h"
#include "wire.h"

/* The exit status of a process that is not confined because this machine has no filters. */
#define STATUS_NO_FILTERS 77

/* What the clean-up says. */
#define CLEANED "cleaned\n"

static void
clean (gpointer data)
{
    const char *text = data;

    if (write (STDERR_FILENO, text, strlen (text)) < 0)
        _exit (99);
}

static void
enter (const IohSandboxNeeds *needs)
{
    g_autofree char *why = NULL;

    if (!ioh_sandbox_enter (needs, clean, (gpointer) CLEANED, &why))
        _exit (STATUS_NO_FILTERS);
}

static const IohSandboxNeeds plain_save = {.direction = IOH_SAVE};

static void
expect (gboolean condition)
{
    if (!condition)
        _exit (3);
}

/* What a process came to that did one thing and nothing else: there is no way back from a sandbox.
 * *OUT_SAID, freed by the caller, is its standard error. */
static int
status_of (void (*run) (void), char **out_said)
{
    GString *said = g_string_new (NULL);
    int fds[2] = {-1, -1};
    int status = 0;
    char text[256];
    ssize_t got;

    g_assert_cmpint (pipe (fds), ==, 0);
    pid_t child = fork ();
    if (child == 0) {
        dup2 (fds[1], STDERR_FILENO);
        run ();
        _exit (0);
    }
    close (fds[1]);
    while ((got = read (fds[0], text, sizeof text)) > 0)
        g_string_append_len (said, text, got);
    close (fds[0]);
    g_assert_cmpint (waitpid (child, &status, 0), ==, child);
    *out_said = g_string_free (said, FALSE);
    return WIFSIGNALED (status) ? -WTERMSIG (status) : WEXITSTATUS (status);
}

/* TRUE when the test cannot be made here. */
static gboolean
is_skipped (int status)
{
    if (status != STATUS_NO_FILTERS || g_strcmp0 (g_getenv ("IOH_MUST_WORK"), "1") == 0)
        return FALSE;
    g_test_skip ("this machine filters no system calls");
    return TRUE;
}

static void
test_allowed (gconstpointer data)
{
    g_autofree char *said = NULL;
    int status = status_of ((void (*) (void)) data, &said);

    if (is_skipped (status))
        return;
    g_assert_cmpstr (said, ==, "");
    g_assert_cmpint (status, ==, 0);
}

typedef struct {
    void (*run) (void);
    int number;
} Forbidden;

static void
test_forbidden (gconstpointer data)
{
    const Forbidden *forbidden = data;
    g_autofree char *said = NULL;
    g_autofree char *number =
        g_strdup_printf (" system call number: %d\n" CLEANED, forbidden->number);
    int status = status_of (forbidden->run, &said);

    if (is_skipped (status))
        return;
    g_test_message ("%s", said);
    g_assert_true (g_str_has_prefix (said, "iohelper: "));
    g_assert_true (g_str_has_suffix (said, number));
    g_assert_nonnull (strstr (said, "--no-sandbox"));
    g_assert_cmpint (status, ==, IOH_EXIT_INTERNAL);
}

static gpointer
do_nothing (gpointer data)
{
    return data;
}

static void
run_usual_work (void)
{
    char text[3] = "";
    int fds[2];

    enter (&plain_save);
    expect (ioh_sys_pipe (fds) >= 0 && ioh_sys_write (fds[1], "ab", 2) == 2);
    expect (ioh_sys_read (fds[0], text, 2) == 2 && strcmp (text, "ab") == 0);
    char *much = g_malloc0 (64 * 1024 * 1024);
    expect (much[1024] == 0);
    g_free (much);
    expect (g_thread_join (g_thread_new ("thread", do_nothing, text)) == text);
    expect (ioh_cancel_thread ("thread", do_nothing, NULL, NULL));
    expect (kill (getpid (), 0) == 0);
}

/* Libraries that look for a file late live without it. */
static void
run_open (void)
{
    enter (&plain_save);
    expect (open ("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES);
    expect (ioh_sys_open (AT_FDCWD, "/tmp/new", O_WRONLY | O_CREAT, 0600) == -EACCES);
    expect (ioh_sys_reopen (STDERR_FILENO, O_WRONLY) == -EACCES);
}

/* Tracers take a call away by making its number -1. */
static void
run_traced (void)
{
    enter (&plain_save);
    syscall (-1);
}

static void
run_signal (void)
{
    enter (&plain_save);
    ioh_cancel_die (SIGTERM);
}

static void
test_signal (void)
{
    g_autofree char *said = NULL;
    int status = status_of (run_signal, &said);

    if (!is_skipped (status))
        g_assert_cmpint (status, ==, -SIGTERM);
}

/* A signal of that number that does not come from the filter is an ordinary one. */
static void
run_other_signal (void)
{
    enter (&plain_save);
    kill (getpid (), SIGSYS);
}

static void
test_other_signal (void)
{
    g_autofree char *said = NULL;
    int status = status_of (run_other_signal, &said);

    if (!is_skipped (status))
        g_assert_cmpint (status, ==, -SIGSYS);
}

static void
run_socket (void)
{
    enter (&plain_save);
    socket (AF_UNIX, SOCK_STREAM, 0);
}

static gpointer
call_socket (gpointer data)
{
    int fd = GPOINTER_TO_INT (data);
    char byte;

    while (read (fd, &byte, 1) < 0)
        continue;
    socket (AF_UNIX, SOCK_STREAM, 0);
    return NULL;
}

/* A thread that was there before, and that no signal is delivered to. */
static void
run_other_thread (void)
{
    int fds[2];

    expect (pipe (fds) == 0);
    expect (ioh_cancel_thread ("old", call_socket, GINT_TO_POINTER (fds[0]), NULL));
    enter (&plain_save);
    close (fds[1]);
    for (;;)
        ioh_sys_poll (NULL, 0, -1);
}

static void
run_fork (void)
{
    enter (&plain_save);
    syscall (SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static void
run_execve (void)
{
    char *arguments[] = {NULL};

    enter (&plain_save);
    execve ("/bin/true", arguments, arguments);
}

static void
run_code (void)
{
    enter (&plain_save);
    mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
run_kill (void)
{
    enter (&plain_save);
    kill (getppid (), 0);
}

static void
run_unlink (void)
{
    enter (&plain_save);
    ioh_sys_unlink (AT_FDCWD, "/nonexistent/file");
}

static void
run_truncate (void)
{
    const IohSandboxNeeds needs = {.direction = IOH_RESTORE};

    enter (&needs);
    ioh_sys_truncate (STDERR_FILENO, 0);
}

static void
run_ring (void)
{
    enter (&plain_save);
    syscall (SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0);
}

/* The same calls where they belong to the transfer. */
static void
run_full_save (void)
{
    const IohSandboxNeeds needs = {.direction = IOH_SAVE, .publishes = TRUE, .submits = TRUE};

    enter (&needs);
    expect (ioh_sys_unlink (AT_FDCWD, "/nonexistent/file") == -ENOENT);
    expect (ioh_sys_truncate (STDERR_FILENO, 0) == -EINVAL);
    expect (syscall (SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0) < 0 && errno == EBADF);
}

static void
run_new_ring (void)
{
    const IohSandboxNeeds needs = {.direction = IOH_SAVE, .publishes = TRUE, .submits = TRUE};

    enter (&needs);
    syscall (SYS_io_uring_setup, 1, NULL);
}

/* Under valgrind there is no filter, and that is told. */
static void
test_valgrind (void)
{
    g_autofree char *why = NULL;
    g_autofree char *before = g_strdup (g_getenv ("LD_PRELOAD"));

    g_setenv ("LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so", TRUE);
    g_assert_false (ioh_sandbox_enter (&plain_save, clean, NULL, &why));
    g_assert_nonnull (strstr (why, "valgrind"));
    if (before != NULL)
        g_setenv ("LD_PRELOAD", before, TRUE);
    else
        g_unsetenv ("LD_PRELOAD");
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *path;
        Forbidden forbidden;
    } tests[] = {
        {"/sandbox/socket", {run_socket, SYS_socket}},
        {"/sandbox/other-thread", {run_other_thread, SYS_socket}},
        {"/sandbox/fork", {run_fork, SYS_clone}},
        {"/sandbox/execve", {run_execve, SYS_execve}},
        {"/sandbox/code", {run_code, SYS_mmap}},
        {"/sandbox/kill", {run_kill, SYS_kill}},
        {"/sandbox/unlink", {run_unlink, SYS_unlinkat}},
        {"/sandbox/truncate", {run_truncate, SYS_ftruncate}},
        {"/sandbox/ring", {run_ring, SYS_io_uring_enter}},
        {"/sandbox/new-ring", {run_new_ring, SYS_io_uring_setup}},
    };

    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/sandbox/usual-work", (gconstpointer) run_usual_work, test_allowed);
    g_test_add_data_func ("/sandbox/open", (gconstpointer) run_open, test_allowed);
    g_test_add_data_func ("/sandbox/traced", (gconstpointer) run_traced, test_allowed);
    g_test_add_data_func ("/sandbox/full-save", (gconstpointer) run_full_save, test_allowed);
    g_test_add_func ("/sandbox/signal", test_signal);
    g_test_add_func ("/sandbox/other-signal", test_other_signal);
    g_test_add_func ("/sandbox/valgrind", test_valgrind);
    for (unsigned i = 0; i < G_N_ELEMENTS (tests); i++)
        g_test_add_data_func (tests[i].path, &tests[i].forbidden, test_forbidden);
    return g_test_run ();
}
