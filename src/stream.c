/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stream - makes the pipe or socketpair that the bytes of the hypervisor cross.
 *
 * Owns its width and its label. It never carries a byte itself.
 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/socket.h>

#include "context.h"
#include "descriptor.h"
#include "error-private.h"
#include "message.h"

/* Below this there is nothing to gain. */
#define STREAM_LEAST_PIPE_BYTES 4096

/* Measured with a real QEMU by the comparison in tests/bench. A save by socket is as fast as by
 * pipe (to O_DIRECT, 4 to 15 % faster) for 60 to 70 % of the CPU: there is no lock that the two
 * sides share, and pages come by the eight. A restore past the page cache is 8 % faster by socket;
 * one from it, where a pipe takes the cached pages as they are, is 7 % faster by pipe. */
static IohTransportKind
stream_kind (IohDirection direction, const IohStreamWish *wish)
{
    if (wish->kind != IOH_TRANSPORT_AUTO)
        return wish->kind;
    return direction == IOH_RESTORE && wish->cache == IOH_CACHE_KEEP ? IOH_TRANSPORT_PIPE
                                                                     : IOH_TRANSPORT_SOCKET;
}

static gboolean
stream_failed (IohStage stage, int error_number, const char *what, GError **error)
{
    const IohTransferErrorPrivate details = {IOH_SIDE_STREAM, stage, -1, error_number};

    return ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_STREAM, &details, "%s: %s", what,
                                   g_strerror (error_number));
}

/* The pipe's capacity after it was asked to be BYTES. Without privileges a user's pipes share a
 * limit, so that the thirtieth may have to be smaller than the first. *OUT_ERRNO: why it is smaller
 * than asked for, else 0. */
static guint64
stream_widen_pipe (int fd, guint64 bytes, int *out_errno)
{
    int capacity = fcntl (fd, F_GETPIPE_SZ);

    *out_errno = 0;
    for (; capacity >= 0 && bytes > (guint64) capacity && bytes >= STREAM_LEAST_PIPE_BYTES;
         bytes /= 2) {
        int result = fcntl (fd, F_SETPIPE_SZ, (int) bytes);
        if (result >= 0)
            return (guint64) result;
        if (*out_errno == 0)
            *out_errno = errno;
        if (errno != EPERM && errno != EBUSY && errno != ENOMEM)
            break;
    }
    return (guint64) MAX (capacity, 0);
}

/* The sender's buffer after it was asked to be BYTES: on a Unix socket no other counts. The kernel
 * cuts it to net.core.wmem_max without a word, and books twice of what one asked for. */
static guint64
stream_widen_socket (int fd, guint64 bytes)
{
    int wanted = (int) MIN (bytes, G_MAXINT / 2);
    int booked = 0;
    socklen_t length = sizeof booked;

    setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    if (getsockopt (fd, SOL_SOCKET, SO_SNDBUF, &booked, &length) < 0)
        return 0;
    return (guint64) booked / 2;
}

static int
stream_make_sockets (const char *label, int out_fds[2])
{
    if (label != NULL) {
        int result = ioh_context_set_for_sockets (label);
        if (result < 0)
            return result;
    }
    int result = socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out_fds) < 0 ? -errno : 0;
    if (label != NULL)
        ioh_context_set_for_sockets (NULL);
    return result;
}

static int
stream_make_pipe (const char *label, int out_fds[2])
{
    if (pipe2 (out_fds, O_CLOEXEC) < 0)
        return -errno;
    int result = label != NULL ? ioh_context_set (out_fds[1], label) : 0;
    if (result < 0) {
        ioh_descriptor_clear (&out_fds[0]);
        ioh_descriptor_clear (&out_fds[1]);
    }
    return result;
}

/* Makes the two ends, without the label where nothing keeps one. OUT_FDS[1] is the sender's. */
static gboolean
stream_make (IohStream *stream, const char *label, int out_fds[2], GError **error)
{
    int (*make) (const char *, int *) =
        stream->kind == IOH_TRANSPORT_PIPE ? stream_make_pipe : stream_make_sockets;
    int result = make (label, out_fds);

    if (result == -EOPNOTSUPP && label != NULL) {
        g_ptr_array_add (stream->notes,
                         g_strdup_printf (_ ("the stream's label %s was not set: %s"), label,
                                          g_strerror (EOPNOTSUPP)));
        label = NULL;
        result = make (NULL, out_fds);
    }
    if (result == 0)
        return TRUE;
    if (label != NULL) {
        g_autofree char *what =
            g_strdup_printf (_ ("cannot make a stream with the label %s"), label);
        return stream_failed (IOH_STAGE_LABEL, -result, what, error);
    }
    return stream_failed (IOH_STAGE_OPEN, -result, _ ("cannot make a stream"), error);
}

/* The label to use: the one wished for, or NULL with a note where SELinux is disabled. */
static gboolean
stream_label (IohStream *stream, const char *wish, const char **out_label, GError **error)
{
    *out_label = NULL;
    if (wish == NULL)
        return TRUE;
    switch (ioh_contexts ()) {
    case IOH_CONTEXTS_NOT_BUILT:
        return ioh_transfer_error_set (
            error, IOH_TRANSFER_ERROR_USAGE, NULL,
            _ ("stream-label: this library was built without SELinux support"));
    case IOH_CONTEXTS_DISABLED:
        g_ptr_array_add (
            stream->notes,
            g_strdup_printf (_ ("SELinux is disabled: the stream's label %s was not set"), wish));
        return TRUE;
    default:
        *out_label = wish;
        return TRUE;
    }
}

/* A narrower stream is slower, which somebody may wonder about. A socket's limit is the system's,
 * and the same for every one. */
static void
stream_widen (IohStream *stream, int sender_fd, const IohStreamWish *wish)
{
    int refused = 0;

    if (stream->kind != IOH_TRANSPORT_PIPE) {
        stream->bytes = stream_widen_socket (sender_fd, wish->socket_bytes);
        return;
    }
    stream->bytes = stream_widen_pipe (sender_fd, wish->pipe_bytes, &refused);
    if (refused != 0)
        g_ptr_array_add (stream->notes,
                         g_strdup_printf (_ ("the stream's pipe holds %" PRIu64
                                             " bytes instead of %" PRIu64 ": %s"),
                                          stream->bytes, wish->pipe_bytes, g_strerror (refused)));
}

gboolean
ioh_stream_open (IohStream *out_stream, IohDirection direction, const IohStreamWish *wish,
                 GError **error)
{
    IohStream stream = {.hypervisor_fd = -1, .helper_fd = -1};
    const char *label = NULL;
    int fds[2] = {-1, -1};

    stream.notes = g_ptr_array_new_with_free_func (g_free);
    stream.kind = stream_kind (direction, wish);
    if (!stream_label (&stream, wish->label, &label, error) ||
        !stream_make (&stream, label, fds, error)) {
        ioh_stream_clear (&stream);
        return FALSE;
    }
    stream.helper_fd = direction == IOH_SAVE ? fds[0] : fds[1];
    stream.hypervisor_fd = direction == IOH_SAVE ? fds[1] : fds[0];
    stream_widen (&stream, fds[1], wish);
    *out_stream = stream;
    return TRUE;
}

void
ioh_stream_clear (IohStream *stream)
{
    ioh_descriptor_clear (&stream->hypervisor_fd);
    ioh_descriptor_clear (&stream->helper_fd);
    g_clear_pointer (&stream->notes, g_ptr_array_unref);
}
