/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transport - the channel between the hypervisor and us, as wide as the kernel allows.
 *
 * Owns the tuning of the stream's descriptor, and the descriptor when it is a socket of ours. QEMU
 * flushes bursts of 131,328 bytes, 33 slots of a pipe: in a default pipe of 16 it blocks in the
 * middle of each.
 */
#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "i18n.h"
#include "label.h"
#include "size.h"
#include "sys.h"

/* A nap that ends so much later than it should means that this processor has others to run. Then a
 * save's naps give them the time that the hypervisor lacks: beside a busy process 17,600 Mbit/s
 * with naps, 23,000 without; on an idle machine 20,700 and 17,400 (tests/bench/compare null-pipe).
 * A restore naps all the same: 12,200 with naps, 11,200 without, beside a busy process. */
#define TRANSPORT_LATE_US 300

/* What every pipe has; below it there is nothing to gain. */
#define TRANSPORT_LEAST_PIPE_BYTES 4096

int
ioh_transport_grow_pipe (int fd, int wanted, int *out_errno)
{
    int size = ioh_sys_get_pipe_size (fd);

    *out_errno = 0;
    for (int bytes = wanted; size >= 0 && bytes > size && bytes >= TRANSPORT_LEAST_PIPE_BYTES;
         bytes /= 2) {
        int result = ioh_sys_set_pipe_size (fd, bytes);
        if (result >= 0)
            return result;
        /* EPERM: a limit of the user or the system; EBUSY, ENOMEM: too full, too fragmented */
        if (*out_errno == 0)
            *out_errno = -result;
        if (result != -EPERM && result != -EBUSY && result != -ENOMEM)
            break;
    }
    return MAX (size, TRANSPORT_LEAST_PIPE_BYTES);
}

/* A socket that poll calls writable takes this much without blocking. */
static size_t
transport_socket_chunk (int fd)
{
    int bytes = ioh_sys_get_send_buffer (fd);

    return bytes > 0 ? (size_t) bytes / 4 : 64 * IOH_KIB;
}

static void
transport_grow (IohTransport *transport, const IohPlan *plan, const IohFacts *facts,
                IohReport *report)
{
    int fd = transport->channel.fd;

    transport->pipe_bytes = facts->stream.pipe_bytes;
    if (plan->pipe_bytes > 0) {
        int refused = 0;
        transport->pipe_bytes = ioh_transport_grow_pipe (fd, plan->pipe_bytes, &refused);
        ioh_report_pipe_size (report, transport->pipe_bytes, refused);
    }
    transport->chunk_bytes = (size_t) transport->pipe_bytes;
    if (facts->stream.kind == IOH_END_SOCKET)
        transport->chunk_bytes = transport_socket_chunk (fd);
    transport->chunk_bytes = MIN (transport->chunk_bytes, plan->batch_bytes);
}

static void
transport_note_cut (const IohSocketBuffer *buffer, IohReport *report)
{
    ioh_report_note (report,
                     _ ("the socket's buffer is %" PRIu64 " bytes instead of %" PRIu64
                        "; sysctl %s=%" PRIu64 " allows that"),
                     buffer->used, buffer->asked, IOH_SOCKET_BUFFER_SYSCTL, buffer->asked);
}

/* A save has its say where it creates the target. */
static void
transport_note_label (const IohOptions *options, IohReport *report)
{
    if (options->label == NULL || options->command != IOH_COMMAND_RESTORE)
        return;
    if (!ioh_address_has_path (options->listen))
        ioh_report_note (report, _ ("the label %s was not set: only created files get one"),
                         options->label);
    else if (ioh_labels () == IOH_LABELS_DISABLED)
        ioh_report_note (report, _ ("SELinux is disabled: the label %s was not set"),
                         options->label);
}

gboolean
ioh_transport_open (IohTransport *transport, const IohOptions *options, const IohPlan *plan,
                    const IohFacts *facts, IohCancel *cancel, IohReport *report, GError **error)
{
    int fd = options->stream_fd;

    transport->name = options->stream_name;
    transport->stall_us = options->stall_us;
    transport->peer.fd = -1;
    transport_note_label (options, report);
    if (options->listen != NULL || options->connect != NULL) {
        if (!ioh_peer_open (&transport->peer, options, cancel, error))
            return FALSE;
        fd = transport->peer.fd;
        ioh_report_peer (report, &transport->peer);
        if (options->verbosity > 0 && transport->peer.buffer.cut)
            transport_note_cut (&transport->peer.buffer, report);
    }
    ioh_channel_init (&transport->channel, fd, facts->stream.kind);
    transport_grow (transport, plan, facts, report);
    return TRUE;
}

gboolean
ioh_transport_finish (IohTransport *transport, uint64_t delivered, IohCancel *cancel,
                      GError **error)
{
    const IohPlace place = ioh_transport_place (transport, IOH_STAGE_CLOSE, delivered);

    if (transport->peer.fd >= 0 && !ioh_peer_finish (&transport->peer, transport->name, delivered,
                                                     transport->stall_us, cancel, error))
        return FALSE;
    int result = ioh_sys_close (transport->channel.fd);
    transport->peer.fd = -1;
    return result >= 0 || ioh_error_errno (error, &place, -result);
}

void
ioh_transport_clear (IohTransport *transport)
{
    ioh_sys_clear_fd (&transport->peer.fd);
}

IohPlace
ioh_transport_place (const IohTransport *transport, IohStage stage, uint64_t offset)
{
    return (IohPlace){IOH_SIDE_STREAM, transport->name, stage, offset};
}

/* A restore refills its pipe at half empty. A save has to be back before the pipe is full: of goals
 * from a quarter to seven tenths, a third did best. How much a sending socket holds cannot be seen
 * from here; 256 KiB, if it holds so much, are 18,400 Mbit/s where no goal gave 15,800 (buffer of
 * 1 MiB; 18,300 and 16,600 with the kernel's default). */
static size_t
transport_goal (const IohTransport *transport, gboolean save)
{
    if (transport->channel.kind == IOH_END_SOCKET)
        return save ? 256 * IOH_KIB : 0;
    return (size_t) transport->pipe_bytes / (save ? 3 : 2);
}

void
ioh_transport_pace (IohTransport *transport, IohDirection direction)
{
    gboolean save = direction == IOH_SAVE;

    if (save)
        ioh_sys_work_in_batches ();
    ioh_sys_wake_on_time ();
    ioh_pace_init (&transport->pace, transport_goal (transport, save),
                   save ? TRANSPORT_LATE_US : 0);
}

IohStep
ioh_transport_wait (const IohTransport *transport, short events, IohWait *out_wait)
{
    gint64 wait_us = ioh_pace_wait_us (&transport->pace, g_get_monotonic_time ());

    ioh_wait_for (out_wait, transport->channel.fd, events, IOH_SIDE_STREAM);
    if (wait_us > 0) {
        out_wait->count = 0;
        out_wait->timeout_us = wait_us;
    }
    return IOH_STEP_WAIT;
}

static gboolean
transport_too_early (const IohTransport *transport)
{
    return ioh_pace_wait_us (&transport->pace, g_get_monotonic_time ()) > 0;
}

/* Tells the pace what a call that was asked for LENGTH came to, and passes that on. */
static ssize_t
transport_paced (IohTransport *transport, ssize_t result, size_t length)
{
    ioh_pace_moved (&transport->pace, (size_t) MAX (result, 0));
    if (result < (ssize_t) length)
        ioh_pace_stopped (&transport->pace, g_get_monotonic_time ());
    return result;
}

ssize_t
ioh_transport_read (IohTransport *transport, void *buffer, size_t length)
{
    gboolean drained = transport->drained;

    /* a call that would find nothing costs as much as one that finds something */
    transport->drained = FALSE;
    if (drained || transport_too_early (transport))
        return -EAGAIN;
    ssize_t result = ioh_channel_read (&transport->channel, buffer, length);
    transport->drained = result > 0 && (size_t) result < length;
    return transport_paced (transport, result, length);
}

ssize_t
ioh_transport_write (IohTransport *transport, const void *buffer, size_t length)
{
    if (transport_too_early (transport))
        return -EAGAIN;
    return transport_paced (transport, ioh_channel_write (&transport->channel, buffer, length),
                            length);
}

ssize_t
ioh_transport_splice (IohTransport *transport, int pipe_fd, size_t length)
{
    if (transport_too_early (transport))
        return -EAGAIN;
    /* TCP sockets heed only their own O_NONBLOCK, not the flag of the call */
    if (transport->channel.kind == IOH_END_SOCKET &&
        !ioh_channel_ready (&transport->channel, POLLIN))
        return -EAGAIN;
    /* whatever came, that was all there was: LENGTH is what the pipe may hold at the most */
    return transport_paced (transport,
                            ioh_sys_splice (transport->channel.fd, NULL, pipe_fd, NULL, length,
                                            SPLICE_F_MOVE | SPLICE_F_NONBLOCK),
                            SIZE_MAX / 2);
}

/* Whether a call that sends may be made now; sockets would block once full. */
static gboolean
transport_may_send (const IohTransport *transport)
{
    return !transport_too_early (transport) && (transport->channel.kind != IOH_END_SOCKET ||
                                                ioh_channel_ready (&transport->channel, POLLOUT));
}

ssize_t
ioh_transport_send_file (IohTransport *transport, int fd, uint64_t offset, size_t length)
{
    ssize_t sent;

    length = MIN (length, transport->chunk_bytes);
    if (!transport_may_send (transport))
        return -EAGAIN;
    if (transport->channel.kind == IOH_END_SOCKET)
        sent = ioh_sys_sendfile (transport->channel.fd, fd, &offset, length);
    else
        sent = ioh_sys_splice (fd, &offset, transport->channel.fd, NULL, length,
                               SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    return transport_paced (transport, sent, length);
}

ssize_t
ioh_transport_send_pipe (IohTransport *transport, int pipe_fd, size_t length)
{
    length = MIN (length, transport->chunk_bytes);
    if (!transport_may_send (transport))
        return -EAGAIN;
    return transport_paced (transport,
                            ioh_sys_splice (pipe_fd, NULL, transport->channel.fd, NULL, length,
                                            SPLICE_F_MOVE | SPLICE_F_NONBLOCK),
                            length);
}
