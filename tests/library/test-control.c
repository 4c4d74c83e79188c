/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-control - the manager's word, and what its absence leads to.
 */
#include "control.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error.h"

typedef struct {
    int fds[2]; /* the manager's end, ours */
    IohCancel *cancel;
    IohControl *control;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
    const IohParentDeath *policy = data;
    g_autoptr (GError) error = NULL;

    g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fixture->fds), ==, 0);
    fixture->cancel = ioh_cancel_new (&error);
    g_assert_no_error (error);
    fixture->control = ioh_control_new (fixture->fds[1], *policy, &error);
    g_assert_no_error (error);
    ioh_control_watched (fixture->control);
}

static void
close_manager (Fixture *fixture)
{
    if (fixture->fds[0] >= 0)
        close (fixture->fds[0]);
    fixture->fds[0] = -1;
}

/* Our end stays open, as it must while the thread may still read it. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
    close_manager (fixture);
    ioh_control_free (fixture->control);
    ioh_cancel_free (fixture->cancel);
}

static void
say (const Fixture *fixture, const char *text)
{
    g_assert_cmpint (write (fixture->fds[0], text, strlen (text)), ==, strlen (text));
}

static void
test_commit (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    say (fixture, IOH_CONTROL_COMMIT "\n");
    g_assert_true (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
    /* from then on the manager may go */
    close_manager (fixture);
    g_assert_true (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_cmpint (ioh_cancel_signal (fixture->cancel), ==, 0);
}

static void
test_in_pieces (Fixture *fixture, gconstpointer data)
{
    const char *text = "unknown\n\ncommitted\nxcommit\n" IOH_CONTROL_COMMIT "\n";
    g_autoptr (GError) error = NULL;

    for (; *text != '\0'; text++) {
        char one[2] = {*text, '\0'};
        say (fixture, one);
    }
    g_assert_true (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
}

/* Nothing but the word counts as the word. */
static void
test_other_words (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *long_line = g_strnfill (100000, 'c');

    say (fixture, "commi\ncommit \n commit\nCOMMIT\ncommitcommit\n");
    say (fixture, long_line);
    say (fixture, "\n" IOH_CONTROL_COMMIT);
    close_manager (fixture);
    g_assert_false (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
    g_assert_cmpint (ioh_cancel_signal (fixture->cancel), ==, SIGTERM);
}

static void
test_gone (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    close_manager (fixture);
    g_assert_false (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
    g_assert_cmpint (ioh_cancel_signal (fixture->cancel), ==, SIGTERM);
}

/* An earlier test has blocked it. */
static void
unblock_sigterm (void)
{
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, SIGTERM);
    sigprocmask (SIG_UNBLOCK, &set, NULL);
}

/* A manager that has gone before its signal is watched for waits with it: it would kill us. */
static void
test_gone_early (void)
{
    g_autoptr (GError) error = NULL;
    int fds[2];

    unblock_sigterm ();
    g_assert_cmpint (pipe2 (fds, O_CLOEXEC), ==, 0);
    close (fds[1]);
    IohControl *control = ioh_control_new (fds[0], IOH_PARENT_DEATH_CANCEL, &error);
    g_assert_no_error (error);
    while (!ioh_control_is_gone (control))
        g_thread_yield ();
    IohCancel *cancel = ioh_cancel_new (&error);
    g_assert_no_error (error);
    g_assert_cmpint (ioh_cancel_signal (cancel), ==, 0);
    ioh_control_watched (control);
    g_assert_false (ioh_control_await (control, cancel, &error));
    g_assert_no_error (error);
    g_assert_cmpint (ioh_cancel_signal (cancel), ==, SIGTERM);
    ioh_control_free (control);
    ioh_cancel_free (cancel);
}

/* Where SIGTERM is ignored (nohup and the like), a lost manager is a failure all the same. */
static void
test_gone_signal_ignored (void)
{
    const IohParentDeath policy = IOH_PARENT_DEATH_CANCEL;
    g_autoptr (GError) error = NULL;
    Fixture fixture;

    /* what is blocked is kept even when ignored */
    unblock_sigterm ();
    signal (SIGTERM, SIG_IGN);
    set_up (&fixture, &policy);
    close_manager (&fixture);
    g_assert_false (ioh_control_await (fixture.control, fixture.cancel, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_INTERNAL);
    tear_down (&fixture, NULL);
    signal (SIGTERM, SIG_DFL);
}

static void
test_gone_finish (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    close_manager (fixture);
    g_assert_true (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
    g_assert_cmpint (ioh_cancel_signal (fixture->cancel), ==, 0);
}

static void
test_signal (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) error = NULL;

    kill (getpid (), SIGTERM);
    g_assert_false (ioh_control_await (fixture->control, fixture->cancel, &error));
    g_assert_no_error (error);
    /* an end that is noticed from now on adds nothing */
    say (fixture, IOH_CONTROL_COMMIT "\n");
}

static void
test_not_a_line (void)
{
    g_autoptr (GError) error = NULL;
    int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

    g_assert_null (ioh_control_new (fd, IOH_PARENT_DEATH_CANCEL, &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    close (fd);
}

static void
test_none (void)
{
    g_assert_true (ioh_control_await (NULL, NULL, NULL));
    ioh_control_free (NULL);
}

int
main (int argc, char **argv)
{
    static const IohParentDeath cancel = IOH_PARENT_DEATH_CANCEL;
    static const IohParentDeath finish = IOH_PARENT_DEATH_FINISH_SAVE;

    g_test_init (&argc, &argv, NULL);
    g_test_add ("/control/commit", Fixture, &cancel, set_up, test_commit, tear_down);
    g_test_add ("/control/in-pieces", Fixture, &cancel, set_up, test_in_pieces, tear_down);
    g_test_add ("/control/other-words", Fixture, &cancel, set_up, test_other_words, tear_down);
    g_test_add ("/control/gone-cancel", Fixture, &cancel, set_up, test_gone, tear_down);
    g_test_add_func ("/control/gone-early", test_gone_early);
    g_test_add_func ("/control/gone-signal-ignored", test_gone_signal_ignored);
    g_test_add ("/control/gone-finish-save", Fixture, &finish, set_up, test_gone_finish, tear_down);
    g_test_add ("/control/signal", Fixture, &cancel, set_up, test_signal, tear_down);
    g_test_add_func ("/control/not-a-line", test_not_a_line);
    g_test_add_func ("/control/none", test_none);
    return g_test_run ();
}
