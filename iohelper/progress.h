/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROGRESS_H
#define IOH_PROGRESS_H

#include <glib.h>
#include <stdint.h>

#include "wire.h"

/* Tells a descriptor how far a transfer is: one JSON object a line (members in wire.h), at every
 * change of phase and at least once a second, also while the transfer is stuck in a system call.
 * The functions that take one may be given NULL, and do nothing then. */
typedef struct IohProgress IohProgress;

/* Starts telling FD, which stays the caller's and must stay open. EXPECT_BYTES may be IOH_UNSET. A
 * reader that is slow misses lines, one that is gone misses all; neither is an error. NULL with the
 * error set when FD cannot be used or there is no thread to be had. */
IohProgress *ioh_progress_new (int fd, uint64_t expect_bytes, GError **error);

/* What the transfer is doing now, and how far it has come: cheap, called by the one thread that
 * runs it. */
void ioh_progress_phase (IohProgress *progress, IohPhase phase);
void ioh_progress_bytes (IohProgress *progress, uint64_t bytes);
void ioh_progress_expect (IohProgress *progress, uint64_t expect_bytes);

/* Tells a last line and stops. Returns within a second even if FD hangs. */
void ioh_progress_free (IohProgress *progress);

#endif
