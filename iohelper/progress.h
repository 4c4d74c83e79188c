/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROGRESS_H
#define IOH_PROGRESS_H

#include <glib.h>
#include <stdint.h>

#include "wire.h"

/* How far a transfer is, told to whoever wants to know: at every change of phase and twice a
 * second, also while the transfer is stuck in a system call. The functions that take one may be
 * given NULL, and do nothing then. */
typedef struct IohProgress IohProgress;

/* One moment of it. */
typedef struct {
    IohPhase phase;
    uint64_t bytes;        /* of the stream, handed over */
    uint64_t expect_bytes; /* how many there will be, IOH_UNSET when that is not known */
    gint64 passed_us;      /* since the transfer began */
} IohMoment;

/* Who is told, in a thread of its own. LAST is the moment of the end. FALSE when nobody listens any
 * more: it is not called again. */
typedef gboolean IohProgressTell (gpointer listener, const IohMoment *moment, gboolean last);

/* Begins counting. EXPECT_BYTES may be IOH_UNSET. */
IohProgress *ioh_progress_new (uint64_t expect_bytes);

/* Tells LISTENER from now on; takes it over and frees it with FREE, also on failure. FALSE with the
 * error set when there is no thread to be had. */
gboolean ioh_progress_add (IohProgress *progress, IohProgressTell *tell, gpointer listener,
                           GDestroyNotify free_listener, GError **error);

/* What the transfer is doing now, and how far it has come: cheap, called by the one thread that
 * runs it. */
void ioh_progress_phase (IohProgress *progress, IohPhase phase);
void ioh_progress_bytes (IohProgress *progress, uint64_t bytes);
void ioh_progress_expect (IohProgress *progress, uint64_t expect_bytes);

/* Tells the last moment and stops. Returns within a second even if a listener hangs. */
void ioh_progress_free (IohProgress *progress);

#endif
