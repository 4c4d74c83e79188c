/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PEER_H
#define IOH_PEER_H

#include <glib.h>
#include <stdint.h>
#include <sys/types.h>

#include "cancel.h"
#include "options.h"
#include "socket-buffer.h"

/* The one peer a stream is exchanged with over a socket of our own, and how that socket came out.
 */
typedef struct {
    int fd; /* O_NONBLOCK; owned by whoever opened it; -1 when there is none */
    IohSocketBuffer buffer;
    gboolean has_process; /* unix: who connected, or listens */
    pid_t pid;
    uid_t uid;
} IohPeer;

/* Waits for one peer at the address of OPTIONS, or goes to it. A listening socket accepts exactly
 * one and is closed then, its path removed; a path that is there is only taken over when no socket
 * listens on it any more. FALSE with the error set, or without it when a signal came. */
gboolean ioh_peer_open (IohPeer *peer, const IohOptions *options, IohCancel *cancel,
                        GError **error);

/* After the last of DELIVERED bytes was sent: ends the stream and, over TCP, waits until the peer's
 * system has acknowledged them all, STALL_US (0: for ever) after the last of them was. FALSE with
 * the error set, or without it when a signal came. */
gboolean ioh_peer_finish (const IohPeer *peer, const char *name, uint64_t delivered,
                          gint64 stall_us, IohCancel *cancel, GError **error);

#endif
