/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CHANNEL_H
#define IOH_CHANNEL_H

#include <glib.h>
#include <sys/types.h>

#include "probe.h"

/* A descriptor of bytes in order, without positions: pipe, socket, terminal, character device. It
 * is read and written without ever blocking and without touching its flags, which it shares with
 * other processes. The descriptor is borrowed. */
typedef struct {
    int fd;
    IohEndKind kind;
    gboolean nowait_refused; /* the kernel has no RWF_NOWAIT for this pipe */
} IohChannel;

void ioh_channel_init (IohChannel *channel, int fd, IohEndKind kind);

/* Up to LENGTH bytes; 0 at the end of the stream, -EAGAIN when poll has to wait for POLLIN, -errno
 * on failure. */
ssize_t ioh_channel_read (IohChannel *channel, void *buffer, size_t length);

/* At least one byte of LENGTH; -EAGAIN when poll has to wait for POLLOUT, -errno on failure
 * (-EPIPE: nobody reads any more). */
ssize_t ioh_channel_write (IohChannel *channel, const void *buffer, size_t length);

/* TRUE when EVENTS, an error or a hang-up is there now. */
gboolean ioh_channel_ready (const IohChannel *channel, short events);

#endif
