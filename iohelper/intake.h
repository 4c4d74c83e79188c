/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_INTAKE_H
#define IOH_INTAKE_H

#include <glib.h>
#include <stdint.h>

#include "transport.h"

/* Reads a stream into memory while its writer goes on writing. */
typedef struct {
    IohTransport *transport; /* borrowed */
    int read_fd;             /* the pipe of our own; -1 when there is none */
    int write_fd;
    size_t pipe_bytes; /* its capacity */
    size_t held;       /* bytes in it */
} IohIntake;

/* Prepares to read TRANSPORT. Never fails: without a pipe of its own it reads the stream itself. */
void ioh_intake_init (IohIntake *intake, IohTransport *transport);

/* Up to LENGTH bytes into BUFFER; 0 at the end, -EAGAIN when it is time for ioh_transport_wait,
 * -errno on failure. *TAKEN grows by what has left the stream, which may be more. */
ssize_t ioh_intake_read (IohIntake *intake, void *buffer, size_t length, uint64_t *taken);

void ioh_intake_clear (IohIntake *intake);

#endif
