/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_LAUNCH_H
#define IOH_LAUNCH_H

#include "settings.h"
#include "watch.h"

/* What is known of a helper that was started. */
typedef struct {
    int pid;
    guint64 stream_bytes; /* what the stream holds */
    GPtrArray *notes;     /* texts that a person should know; owned */
} IohLaunched;

/* Starts a helper as SETTINGS say. *OUT_STREAM_FD is the hypervisor's end, *OUT_LINES are ours; the
 * caller owns both. FALSE with the error set; nothing is left open or running then. */
gboolean ioh_launch (const IohSettings *settings, IohWatchLines *out_lines,
                     IohLaunched *out_launched, int *out_stream_fd, GError **error);

#endif
