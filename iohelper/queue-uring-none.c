/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue-uring-none - the place of the io_uring queue in a build without liburing.
 */
#include <errno.h>

#include "queue-backend.h"

static int
uring_open (const IohQueueSetup *setup, gpointer *out_state, int *out_fd)
{
    return -ENOPKG;
}

static int
uring_probe (void)
{
    return ENOPKG;
}

const IohQueueBackend ioh_queue_uring = {
    .open = uring_open,
    .probe = uring_probe,
};
