/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * control - listens to the program that manages the transfer.
 *
 * Owns a thread that reads the line from it, so that its death is noticed at once and the transfer
 * never has to ask. Children that a manager has forked may hold its end of the line: where it is
 * our parent, the kernel tells of its death as well. Must never touch the descriptor's flags, which
 * it shares with other processes.
 */
#include "control.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "error.h"
#include "i18n.h"
#include "probe.h"
#include "sys.h"

/* How long a manager that has gone may wait for its signal to be watched for. What comes before,
 * the look at the ends, takes longer only where storage does not answer. */
#define CONTROL_GRACE_US (5 * G_USEC_PER_SEC)

typedef enum {
    CONTROL_SILENT,
    CONTROL_COMMITTED,
    CONTROL_GONE,
} ControlState;

struct IohControl {
    gatomicrefcount references; /* the transfer and the thread */
    IohParentDeath policy;
    int news_fd; /* readable once the state has changed */
    ControlState state;
    gboolean gone; /* known before the signal of ours, which comes before the state */
    GMutex lock;
    GCond turn;
    gboolean watched; /* with the lock: the signal is noticed and kills nobody */

    /* the thread's own */
    IohChannel channel;
    int parent_fd; /* readable when the manager is our parent and has died, or -1 */
    char word[sizeof IOH_CONTROL_COMMIT];
    size_t length; /* of the word so far; grows no further than a word can be long */
};

static void
control_unref (IohControl *control)
{
    if (!g_atomic_ref_count_dec (&control->references))
        return;
    ioh_sys_clear_fd (&control->news_fd);
    ioh_sys_clear_fd (&control->parent_fd);
    g_cond_clear (&control->turn);
    g_mutex_clear (&control->lock);
    g_free (control);
}

static void
control_set_state (IohControl *control, ControlState state)
{
    const uint64_t one = 1;

    __atomic_store_n (&control->state, state, __ATOMIC_RELEASE);
    ioh_sys_write (control->news_fd, &one, sizeof one);
}

/* TRUE when BYTE ends the word that was waited for. Other lines are for later versions. */
static gboolean
control_take (IohControl *control, char byte)
{
    gboolean complete = byte == '\n' && control->length == strlen (IOH_CONTROL_COMMIT) &&
                        strncmp (control->word, IOH_CONTROL_COMMIT, control->length) == 0;

    if (byte == '\n')
        control->length = 0;
    else if (control->length < sizeof control->word)
        control->word[control->length++] = byte;
    return complete;
}

/* Waits for the line, or for its maker to die. -errno when there is no waiting. */
static int
control_wait (const IohControl *control, gboolean *out_died)
{
    struct pollfd fds[] = {
        {.fd = control->channel.fd, .events = POLLIN},
        {.fd = control->parent_fd, .events = POLLIN},
    };
    int result = ioh_sys_poll (fds, G_N_ELEMENTS (fds), -1);

    *out_died = fds[1].revents != 0;
    return result;
}

/* Reads until the word has come (TRUE) or the manager has gone. */
static gboolean
control_listen (IohControl *control)
{
    gboolean died = FALSE;

    for (;;) {
        char byte = 0;
        ssize_t got = ioh_channel_read (&control->channel, &byte, 1);
        if (got == -EAGAIN) {
            /* what it said last has been read; a line that cannot be waited for is as good as gone
             */
            if (died || control_wait (control, &died) < 0)
                return FALSE;
        } else if (got <= 0) {
            return FALSE;
        } else if (control_take (control, byte)) {
            return TRUE;
        }
    }
}

/* Tells of the death of our parent, if it has made the line FD; else -1. Of sockets the kernel
 * knows who made them. Anybody else may have made the line for others, and end before them. */
static int
control_open_parent (int fd)
{
    struct ucred maker = {0};
    pid_t parent = getppid ();

    if (ioh_sys_get_option (fd, SOL_SOCKET, SO_PEERCRED, &maker, sizeof maker) < 0 ||
        maker.pid <= 0 || maker.pid != parent)
        return -1;
    int parent_fd = pidfd_open (parent, 0);
    /* the number was the parent's all the time, and nobody else's */
    if (parent_fd >= 0 && getppid () != parent)
        ioh_sys_clear_fd (&parent_fd);
    return parent_fd;
}

/* Ends the transfer as a signal does, once there is one that can clean up and report. */
static void
control_cancel (IohControl *control)
{
    gint64 until_us = g_get_monotonic_time () + CONTROL_GRACE_US;
    gboolean waits = TRUE;

    g_mutex_lock (&control->lock);
    while (waits && !control->watched)
        waits = g_cond_wait_until (&control->turn, &control->lock, until_us);
    g_mutex_unlock (&control->lock);
    kill (getpid (), SIGTERM);
}

static gpointer
control_run (gpointer data)
{
    IohControl *control = data;

    if (control_listen (control)) {
        control_set_state (control, CONTROL_COMMITTED);
    } else {
        __atomic_store_n (&control->gone, TRUE, __ATOMIC_RELEASE);
        /* first the signal, so that it is there when the news is */
        if (control->policy == IOH_PARENT_DEATH_CANCEL)
            control_cancel (control);
        control_set_state (control, CONTROL_GONE);
    }
    control_unref (control);
    return NULL;
}

IohControl *
ioh_control_new (int fd, IohParentDeath policy, GError **error)
{
    IohEndKind kind = ioh_end_kind_of (fd);
    g_autoptr (GError) failure = NULL;

    if (kind != IOH_END_PIPE && kind != IOH_END_SOCKET) {
        ioh_error_usage (error, _ ("--%s: fd %d is not a pipe or a socket"), IOH_OPTION_CONTROL_FD,
                         fd);
        return NULL;
    }
    int news_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (news_fd < 0) {
        ioh_error_internal (error, _ ("cannot listen to the manager"), errno);
        return NULL;
    }
    IohControl *control = g_new0 (IohControl, 1);
    g_atomic_ref_count_init (&control->references);
    control->policy = policy;
    control->news_fd = news_fd;
    g_mutex_init (&control->lock);
    g_cond_init (&control->turn);
    ioh_channel_init (&control->channel, fd, kind);
    control->parent_fd = control_open_parent (fd);
    g_atomic_ref_count_inc (&control->references);
    if (!ioh_cancel_thread ("control", control_run, control, &failure)) {
        ioh_error_internal (error, failure->message, 0);
        control_unref (control);
        g_clear_pointer (&control, control_unref);
    }
    return control;
}

void
ioh_control_watched (IohControl *control)
{
    if (control == NULL)
        return;
    g_mutex_lock (&control->lock);
    control->watched = TRUE;
    g_cond_signal (&control->turn);
    g_mutex_unlock (&control->lock);
}

gboolean
ioh_control_await (IohControl *control, IohCancel *cancel, GError **error)
{
    if (control == NULL)
        return TRUE;
    for (;;) {
        if (ioh_cancel_signal (cancel) != 0)
            return FALSE;
        ControlState state = __atomic_load_n (&control->state, __ATOMIC_ACQUIRE);
        if (state == CONTROL_COMMITTED ||
            (state == CONTROL_GONE && control->policy == IOH_PARENT_DEATH_FINISH_SAVE))
            return TRUE;
        if (state == CONTROL_GONE)
            return ioh_error_internal (error, _ ("the manager of the transfer has gone"), 0);
        struct pollfd fds[] = {
            {.fd = control->news_fd, .events = POLLIN},
            {.fd = ioh_cancel_fd (cancel), .events = POLLIN},
        };
        int result = ioh_sys_poll (fds, G_N_ELEMENTS (fds), IOH_SYS_LOOK_US);
        if (result < 0)
            return ioh_error_internal (error, _ ("cannot wait"), -result);
    }
}

gboolean
ioh_control_is_gone (IohControl *control)
{
    return control != NULL && __atomic_load_n (&control->gone, __ATOMIC_ACQUIRE);
}

void
ioh_control_free (IohControl *control)
{
    if (control != NULL)
        control_unref (control);
}
