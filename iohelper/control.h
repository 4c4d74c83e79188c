/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CONTROL_H
#define IOH_CONTROL_H

#include <glib.h>

#include "cancel.h"
#include "wire.h"

/* The line to the program that manages the transfer: a pipe or socket on which it says "commit"
 * when the hypervisor has reported success, and whose hang-up tells that it has gone; so does its
 * death, where it is our parent and has made the line, a pair of sockets. The end of a
 * stream alone proves nothing: a hypervisor that failed or was killed ends it as well. */
typedef struct IohControl IohControl;

/* Starts listening to FD, which stays the caller's and must stay open. A manager that goes away
 * before it has said "commit" ends the transfer as SIGTERM would when POLICY is to cancel. NULL
 * with the error set when FD cannot be used or there is no thread to be had. */
IohControl *ioh_control_new (int fd, IohParentDeath policy, GError **error);

/* Tells that signals are watched for, see ioh_cancel_new. One that is to end the transfer is sent
 * only then, or after some seconds in which nothing came of it. CONTROL may be NULL. */
void ioh_control_watched (IohControl *control);

/* Waits for the manager's word. TRUE when the transfer may be completed: it was said, or the
 * manager has gone and POLICY is to finish, or CONTROL is NULL. FALSE without an error when a
 * signal came, with it when the manager has gone and no signal says so. */
gboolean ioh_control_await (IohControl *control, IohCancel *cancel, GError **error);

/* TRUE when the manager went away before it said anything; CONTROL may be NULL. */
gboolean ioh_control_is_gone (IohControl *control);

/* The thread ends with the manager's end of the line, or with the process. */
void ioh_control_free (IohControl *control);

#endif
