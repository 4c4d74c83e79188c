/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_WAITERS_H
#define IOH_WAITERS_H

#include <gio/gio.h>

/* Tasks that wait for the same thing. Any thread. */
typedef struct IohWaiters IohWaiters;

IohWaiters *ioh_waiters_new (void);
IohWaiters *ioh_waiters_ref (IohWaiters *waiters);
void ioh_waiters_unref (IohWaiters *waiters);

/* Takes over TASK until it is completed, or its cancellable is cancelled, whichever is first. */
void ioh_waiters_add (IohWaiters *waiters, GTask *task);

/* Completes all that wait now: with a copy of ERROR, or with TRUE when it is NULL. Not while
 * another thread adds one. */
void ioh_waiters_complete (IohWaiters *waiters, const GError *error);

#endif
