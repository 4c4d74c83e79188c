/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CANCEL_H
#define IOH_CANCEL_H

#include <glib.h>

/* The signals that end a transfer: SIGTERM, SIGINT, SIGHUP. From ioh_cancel_new on they are only
 * noticed here, so that the transfer can clean up first. One per process, owned by main. */
typedef struct IohCancel IohCancel;

/* Blocks the signals (those the caller ignores stay ignored) and watches for them. Threads
 * that are there already were started by ioh_cancel_thread. NULL on failure. */
IohCancel *ioh_cancel_new (GError **error);
void ioh_cancel_free (IohCancel *cancel);

/* Readable when a signal has come; for poll. */
int ioh_cancel_fd (const IohCancel *cancel);

/* The signal that came, 0 for none. Never waits; remembers the first. */
int ioh_cancel_signal (IohCancel *cancel);

/* How long to wait for something that is not in our hands. */
typedef struct {
    IohCancel *cancel;
    gint64 until_us; /* on the monotonic clock; 0: for ever */
} IohPatience;

/* From now on for LIMIT_US; 0: for ever. */
IohPatience ioh_cancel_patience (IohCancel *cancel, gint64 limit_us);

/* Waits for EVENTS on FD. 0, -ECANCELED when a signal came first, -ETIME when patience is at an
 * end, -errno when there is no waiting. */
int ioh_cancel_wait (const IohPatience *patience, int fd, short events);

/* Starts a thread that no signal is delivered to, before or after ioh_cancel_new: signals are for
 * the thread that runs the transfer. It is detached. */
gboolean ioh_cancel_thread (const char *name, GThreadFunc run, gpointer data, GError **error);

/* Dies of SIGNAL_NUMBER, as a shell or a manager expects of a process it signalled. */
void ioh_cancel_die (int signal_number) G_GNUC_NORETURN;

#endif
