/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transport - the channel between the hypervisor and us, as wide as the kernel allows.
 *
 * Owns the tuning of the stream's descriptor, not the descriptor. QEMU flushes bursts of 131,328
 * bytes, 33 slots of a pipe: in a default pipe of 16 it blocks in the middle of each.
 */
#include "transport.h"

#include <errno.h>

#include "sys.h"

/* What a pipe has when nobody asks; below it there is nothing to gain. */
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
    return MAX (size, 0);
}

void
ioh_transport_init (IohTransport *transport, const IohOptions *options, const IohPlan *plan,
                    const IohFacts *facts, IohReport *report)
{
    ioh_channel_init (&transport->channel, options->stream_fd, facts->stream.kind);
    transport->name = options->stream_name;
    transport->pipe_bytes = facts->stream.pipe_bytes;
    if (plan->pipe_bytes > 0) {
        int refused = 0;
        transport->pipe_bytes =
            ioh_transport_grow_pipe (options->stream_fd, plan->pipe_bytes, &refused);
        ioh_report_pipe_size (report, transport->pipe_bytes, refused);
    }
}

IohPlace
ioh_transport_place (const IohTransport *transport, IohStage stage, uint64_t offset)
{
    return (IohPlace){IOH_SIDE_STREAM, transport->name, stage, offset};
}
