/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * socket-buffer - the size of a socket's buffer, where each kind of socket keeps it.
 *
 * Owns the calls that differ and the arithmetic of the kernel, which counts twice what was asked
 * for to have room for its own books. Must never fail a transfer.
 */
#include "socket-buffer.h"

#include <linux/vm_sockets.h>
#include <sys/socket.h>

#include "sys.h"

/* vsock has a limit of its own for each socket, which the asker sets. */
static int
socket_buffer_ask_vsock (int fd, uint64_t bytes)
{
    ioh_sys_set_option (fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_MAX_SIZE, &bytes, sizeof bytes);
    return ioh_sys_set_option (fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &bytes, sizeof bytes);
}

/* Beyond the sysctl only with CAP_NET_ADMIN; without it the size is cut, and no error told. */
static int
socket_buffer_ask_kernel (int fd, uint64_t bytes)
{
    int wanted = (int) MIN (bytes, (uint64_t) G_MAXINT / 2);

    if (ioh_sys_set_option (fd, SOL_SOCKET, SO_SNDBUFFORCE, &wanted, sizeof wanted) >= 0)
        return 0;
    return ioh_sys_set_option (fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
}

void
ioh_socket_buffer_ask (IohSocketBuffer *buffer, int fd, IohAddressKind kind, uint64_t bytes)
{
    int result = kind == IOH_ADDRESS_VSOCK ? socket_buffer_ask_vsock (fd, bytes)
                                           : socket_buffer_ask_kernel (fd, bytes);

    buffer->asked = bytes;
    buffer->error_number = -result;
}

void
ioh_socket_buffer_read_back (IohSocketBuffer *buffer, int fd, IohAddressKind kind)
{
    uint64_t bytes = 0;

    if (kind == IOH_ADDRESS_VSOCK)
        ioh_sys_get_option (fd, AF_VSOCK, SO_VM_SOCKETS_BUFFER_SIZE, &bytes, sizeof bytes);
    else
        bytes = (uint64_t) MAX (ioh_sys_get_send_buffer (fd), 0) / 2;
    buffer->used = bytes;
    buffer->cut = kind != IOH_ADDRESS_VSOCK && bytes < buffer->asked && buffer->error_number == 0;
}
