/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_INTAKE_H
#define IOH_INTAKE_H

#include <glib.h>
#include <stdint.h>

#include "channel.h"

/* Reads a stream into memory while its writer goes on writing. */
typedef struct {
    IohChannel *channel; /* borrowed */
    int read_fd;         /* the pipe of our own; -1 when there is none */
    int write_fd;
    size_t pipe_bytes; /* its capacity */
    size_t held;       /* bytes in it */
} IohIntake;

/* Prepares to read CHANNEL. Never fails: without a pipe of its own it reads the stream itself. */
void ioh_intake_init (IohIntake *intake, IohChannel *channel);

/* Up to LENGTH bytes into BUFFER; 0 at the end, -EAGAIN when poll has to wait for the channel,
 * -errno on failure. *TAKEN grows by what has left the stream, which may be more. */
ssize_t ioh_intake_read (IohIntake *intake, void *buffer, size_t length, uint64_t *taken);

void ioh_intake_clear (IohIntake *intake);

#endif
