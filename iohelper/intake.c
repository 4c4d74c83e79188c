/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * intake - takes the stream's bytes into memory.
 *
 * Owns a pipe of our own between the hypervisor's pipe and the buffer. One lock protects a pipe: a
 * read holds it while it copies, and the hypervisor spins. A splice into the second pipe holds it
 * for microseconds, and the copy then happens where nobody waits.
 */
#include "intake.h"

#include <errno.h>

#include "size.h"
#include "sys.h"

#define INTAKE_PIPE_BYTES ((int) IOH_MIB)

void
ioh_intake_init (IohIntake *intake, IohTransport *transport)
{
    int fds[2];
    int refused = 0;

    *intake = (IohIntake){.transport = transport, .read_fd = -1, .write_fd = -1};
    if (transport->channel.kind != IOH_END_PIPE || ioh_sys_pipe (fds) < 0)
        return;
    intake->read_fd = fds[0];
    intake->write_fd = fds[1];
    intake->pipe_bytes =
        (size_t) ioh_transport_grow_pipe (intake->write_fd, INTAKE_PIPE_BYTES, &refused);
}

void
ioh_intake_clear (IohIntake *intake)
{
    ioh_sys_clear_fd (&intake->read_fd);
    ioh_sys_clear_fd (&intake->write_fd);
}

/* Moves what the stream holds into our pipe, which is empty. As ioh_sys_splice. */
static ssize_t
intake_fill_pipe (IohIntake *intake)
{
    ssize_t moved = ioh_transport_splice (intake->transport, intake->write_fd, intake->pipe_bytes);

    if (moved > 0)
        intake->held = (size_t) moved;
    return moved;
}

ssize_t
ioh_intake_read (IohIntake *intake, void *buffer, size_t length, uint64_t *taken)
{
    ssize_t moved;

    if (intake->held == 0 && intake->write_fd >= 0) {
        moved = intake_fill_pipe (intake);
        /* refused with nothing taken: a kernel or a kind of pipe that does not do this */
        if (moved == -EINVAL || moved == -ENOSYS)
            ioh_intake_clear (intake);
        else if (moved <= 0)
            return moved;
        else
            *taken += (uint64_t) moved;
    }
    if (intake->held > 0) {
        moved = ioh_sys_read (intake->read_fd, buffer, MIN (length, intake->held));
        if (moved > 0)
            intake->held -= (size_t) moved;
        return moved;
    }
    moved = ioh_transport_read (intake->transport, buffer, length);
    if (moved > 0)
        *taken += (uint64_t) moved;
    return moved;
}
