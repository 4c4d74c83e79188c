/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SOCKET_BUFFER_H
#define IOH_SOCKET_BUFFER_H

#include <glib.h>
#include <stdint.h>

#include "address.h"

/* The room for bytes under way in a socket of ours: what was asked for and what came of it. */
typedef struct {
    uint64_t asked; /* 0: there is no such socket */
    uint64_t used;
    gboolean cut;     /* the kernel has a limit for this, IOH_SOCKET_BUFFER_SYSCTL */
    int error_number; /* why the wish was refused, or 0 */
} IohSocketBuffer;

#define IOH_SOCKET_BUFFER_SYSCTL "net.core.wmem_max"

/* Asks for BYTES in the socket FD. Before a connection is made, and again in a socket that was
 * accepted: not every kind inherits. A refusal is slower, not wrong. */
void ioh_socket_buffer_ask (IohSocketBuffer *buffer, int fd, IohAddressKind kind, uint64_t bytes);

/* Fills in what FD has now. */
void ioh_socket_buffer_read_back (IohSocketBuffer *buffer, int fd, IohAddressKind kind);

#endif
