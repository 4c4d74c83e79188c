/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_STREAM_H
#define IOH_STREAM_H

#include <glib.h>

#include "libiohelper-transfer.h"

/* The channel between the hypervisor and the helper, both ends of it. */
typedef struct {
    int hypervisor_fd; /* owned; close-on-exec and blocking, as the helper's */
    int helper_fd;
    IohTransportKind kind; /* never auto */
    guint64 bytes;         /* what it holds: the pipe's capacity, the sender's buffer */
    GPtrArray *notes;      /* texts that a person should know, or NULL; owned */
} IohStream;

/* How wide the channel is to be, and its SELinux context or NULL. */
typedef struct {
    IohTransportKind kind;
    IohCache cache; /* of the file's side: the choice depends on it */
    guint64 pipe_bytes;
    guint64 socket_bytes;
    const char *label;
} IohStreamWish;

/* Makes the channel. A size that the kernel refuses gives a narrower one, never an error. FALSE
 * with the error set when there is none to be had, or it cannot be labelled. */
gboolean ioh_stream_open (IohStream *out_stream, IohDirection direction, const IohStreamWish *wish,
                          GError **error);

/* Closes what is left open of it. */
void ioh_stream_clear (IohStream *stream);

#endif
