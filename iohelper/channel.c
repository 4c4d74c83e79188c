/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * channel - reads and writes streams without blocking and without O_NONBLOCK.
 *
 * Owns nothing but the knowledge which call does not wait on which kind of descriptor. Must never
 * set flags: an inherited description is also its other holders'.
 */
#include "channel.h"

#include <errno.h>
#include <limits.h>

#include "sys.h"

void
ioh_channel_init (IohChannel *channel, int fd, IohEndKind kind)
{
    *channel = (IohChannel){.fd = fd, .kind = kind};
}

gboolean
ioh_channel_ready (const IohChannel *channel, short events)
{
    struct pollfd pollfd = {.fd = channel->fd, .events = events};

    return ioh_sys_poll (&pollfd, 1, 0) > 0;
}

ssize_t
ioh_channel_read (IohChannel *channel, void *buffer, size_t length)
{
    if (channel->kind == IOH_END_SOCKET)
        return ioh_sys_recv_nowait (channel->fd, buffer, length);
    if (channel->kind == IOH_END_PIPE && !channel->nowait_refused) {
        ssize_t result = ioh_sys_read_nowait (channel->fd, buffer, length);
        if (result != -EOPNOTSUPP)
            return result;
        channel->nowait_refused = TRUE;
    }
    /* once poll has seen data, a read returns what is there */
    return ioh_channel_ready (channel, POLLIN) ? ioh_sys_read (channel->fd, buffer, length)
                                               : -EAGAIN;
}

ssize_t
ioh_channel_write (IohChannel *channel, const void *buffer, size_t length)
{
    if (channel->kind == IOH_END_SOCKET)
        return ioh_sys_send_nowait (channel->fd, buffer, length);
    if (channel->kind == IOH_END_PIPE && !channel->nowait_refused) {
        ssize_t result = ioh_sys_write_nowait (channel->fd, buffer, length);
        if (result != -EOPNOTSUPP)
            return result;
        channel->nowait_refused = TRUE;
    }
    if (!ioh_channel_ready (channel, POLLOUT))
        return -EAGAIN;
    /* poll promises no more than one slot of a pipe; files and the null device never block */
    gboolean may_block = channel->kind == IOH_END_PIPE || channel->kind == IOH_END_CHAR;
    return ioh_sys_write (channel->fd, buffer, may_block ? MIN (length, PIPE_BUF) : length);
}
