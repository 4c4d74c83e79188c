/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-cancel - signals that are noticed instead of obeyed, and death of one in the end.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cancel.h"

static gboolean
is_readable (int fd)
{
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};

    return poll (&pollfd, 1, 0) > 0;
}

/* Signal masks and dispositions are the process's: each test has one of its own. Its exit status
 * is 0 when all is well; -N when signal N ended it. */
static int
status_of (void (*run) (void))
{
    int status = 0;
    pid_t child = fork ();

    if (child == 0) {
        run ();
        _exit (0);
    }
    g_assert_cmpint (waitpid (child, &status, 0), ==, child);
    return WIFSIGNALED (status) ? -WTERMSIG (status) : WEXITSTATUS (status);
}

static void
expect (gboolean condition)
{
    if (!condition)
        _exit (1);
}

static void
run_quiet (void)
{
    IohCancel *cancel = ioh_cancel_new (NULL);

    expect (cancel != NULL);
    expect (!is_readable (ioh_cancel_fd (cancel)));
    expect (ioh_cancel_signal (cancel) == 0);
    ioh_cancel_free (cancel);
}

static void
test_quiet (void)
{
    g_assert_cmpint (status_of (run_quiet), ==, 0);
}

static void
run_noticed (void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    for (unsigned i = 0; i < G_N_ELEMENTS (signals); i++) {
        IohCancel *cancel = ioh_cancel_new (NULL);
        kill (getpid (), signals[i]);
        expect (is_readable (ioh_cancel_fd (cancel)));
        expect (ioh_cancel_signal (cancel) == signals[i]);
        ioh_cancel_free (cancel);
    }
}

static void
test_noticed (void)
{
    g_assert_cmpint (status_of (run_noticed), ==, 0);
}

/* The first one is what counts, however many come and however often it is asked for. */
static void
run_first_counts (void)
{
    /* freed, it would let the second signal through; kept here, it is no leak */
    static IohCancel *cancel;

    cancel = ioh_cancel_new (NULL);
    kill (getpid (), SIGHUP);
    expect (ioh_cancel_signal (cancel) == SIGHUP);
    kill (getpid (), SIGTERM);
    expect (ioh_cancel_signal (cancel) == SIGHUP);
    expect (ioh_cancel_signal (cancel) == SIGHUP);
}

static void
test_first_counts (void)
{
    g_assert_cmpint (status_of (run_first_counts), ==, 0);
}

/* What nohup or a background job has set is respected. */
static void
run_ignored (void)
{
    signal (SIGHUP, SIG_IGN);
    IohCancel *cancel = ioh_cancel_new (NULL);
    kill (getpid (), SIGHUP);
    expect (!is_readable (ioh_cancel_fd (cancel)));
    expect (ioh_cancel_signal (cancel) == 0);
    ioh_cancel_free (cancel);
}

static void
test_ignored (void)
{
    g_assert_cmpint (status_of (run_ignored), ==, 0);
}

/* Signals that are no request to end are left alone. */
static void
run_others (void)
{
    ioh_cancel_new (NULL);
    kill (getpid (), SIGUSR1);
}

static void
test_others (void)
{
    g_assert_cmpint (status_of (run_others), ==, -SIGUSR1);
}

static void
run_dies (void)
{
    IohCancel *cancel = ioh_cancel_new (NULL);

    kill (getpid (), SIGINT);
    ioh_cancel_die (ioh_cancel_signal (cancel));
}

/* Shells and managers tell death by a signal from an exit status. */
static void
test_dies (void)
{
    g_assert_cmpint (status_of (run_dies), ==, -SIGINT);
}

static gpointer
wait_for_ever (gpointer data)
{
    for (;;)
        pause ();
    return data;
}

/* A thread that was there before does not take the signal away. */
static void
run_thread (void)
{
    expect (ioh_cancel_thread ("test", wait_for_ever, NULL, NULL));
    IohCancel *cancel = ioh_cancel_new (NULL);
    kill (getpid (), SIGTERM);
    expect (ioh_cancel_signal (cancel) == SIGTERM);
    ioh_cancel_free (cancel);
}

static void
test_thread (void)
{
    g_assert_cmpint (status_of (run_thread), ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/cancel/quiet", test_quiet);
    g_test_add_func ("/cancel/noticed", test_noticed);
    g_test_add_func ("/cancel/first-counts", test_first_counts);
    g_test_add_func ("/cancel/ignored", test_ignored);
    g_test_add_func ("/cancel/others", test_others);
    g_test_add_func ("/cancel/dies", test_dies);
    g_test_add_func ("/cancel/thread", test_thread);
    return g_test_run ();
}
