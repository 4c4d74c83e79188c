/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PEER_H
#define IOH_PEER_H

#include <glib.h>
#include <stdint.h>
#include <sys/types.h>

#include "address.h"
#include "cancel.h"
#include "plan.h"

/* The one peer a stream is exchanged with over a socket of our own, and how that socket came out.
 */
typedef struct {
    int fd;                /* O_NONBLOCK; owned by whoever opened it; -1 when there is none */
    uint64_t buffer_asked; /* of the socket's buffer */
    uint64_t buffer_used;
    int buffer_errno;     /* why it was not enlarged, or 0 */
    gboolean has_process; /* unix: who connected, or listens */
    pid_t pid;
    uid_t uid;
} IohPeer;

/* Waits for one peer at ADDRESS, or goes to it, as PLAN says. A listening socket accepts exactly
 * one and is closed then, its path removed; a path that is there is only taken over when no socket
 * listens on it any more. CONTEXT (or NULL) is the SELinux context of the created socket.
 * TIMEOUT_US is how long to wait, 0 for ever. FALSE with the error set, or without it when a signal
 * came. */
gboolean ioh_peer_open (IohPeer *peer, const IohAddress *address, gboolean listens,
                        uint64_t buffer_bytes, const char *context, gint64 timeout_us,
                        IohCancel *cancel, GError **error);

/* Tells the peer that nothing follows and waits until it has got everything. FALSE when a signal
 * came first or, with the error set, when the connection broke. */
gboolean ioh_peer_finish (const IohPeer *peer, const char *name, uint64_t delivered,
                          IohCancel *cancel, GError **error);

#endif
