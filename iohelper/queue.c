/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue - requests to a file, several at a time.
 *
 * Owns what is the same for all backends: how many are in flight, the rest of a request that came
 * back short, and answers that only ask for another try. Must never lose track of a request: its
 * buffer belongs to the kernel until it was reaped.
 */
#include "queue.h"

#include <errno.h>

#include "queue-backend.h"

/* An answer that moves nothing is believed after so many. */
#define QUEUE_MAX_RETRIES 16

struct IohQueue {
    const IohQueueBackend *backend;
    gpointer state;
    int fd;
    unsigned in_flight;
    size_t align;
};

int
ioh_queue_new (IohQueueKind kind, const IohQueueSetup *setup, IohQueue **out_queue)
{
    IohQueue *queue = g_new0 (IohQueue, 1);

    queue->backend = kind == IOH_QUEUE_IO_URING ? &ioh_queue_uring : &ioh_queue_threads;
    queue->align = setup->align;
    int result = queue->backend->open (setup, &queue->state, &queue->fd);
    if (result < 0) {
        g_free (queue);
        return result;
    }
    *out_queue = queue;
    return 0;
}

void
ioh_queue_free (IohQueue *queue)
{
    if (queue == NULL)
        return;
    g_assert (queue->in_flight == 0);
    queue->backend->close (queue->state);
    g_free (queue);
}

int
ioh_queue_submit (IohQueue *queue, IohRequest *request)
{
    request->retries = 0;
    int result = queue->backend->submit (queue->state, request);
    if (result >= 0)
        queue->in_flight++;
    return result;
}

/* Whether an answered request has to go on: after a part that leaves an aligned rest, or an answer
 * that only says "again". */
static gboolean
queue_goes_on (const IohQueue *queue, IohRequest *request)
{
    if (request->result == -EINTR || request->result == -EAGAIN)
        return ++request->retries < QUEUE_MAX_RETRIES;
    if (request->result <= 0)
        return FALSE;
    request->done += (size_t) request->result;
    request->retries = 0;
    return request->done < request->length && request->done % queue->align == 0;
}

IohRequest *
ioh_queue_reap (IohQueue *queue)
{
    IohRequest *request;

    while ((request = queue->backend->reap (queue->state)) != NULL) {
        if (queue_goes_on (queue, request)) {
            int result = queue->backend->submit (queue->state, request);
            if (result >= 0)
                continue;
            request->result = result;
        }
        queue->in_flight--;
        return request;
    }
    return NULL;
}

IohRequest *
ioh_queue_wait (IohQueue *queue)
{
    IohRequest *request = ioh_queue_reap (queue);

    while (request == NULL && queue->in_flight > 0) {
        queue->backend->wait (queue->state);
        request = ioh_queue_reap (queue);
    }
    return request;
}

int
ioh_queue_fd (const IohQueue *queue)
{
    return queue->fd;
}

unsigned
ioh_queue_in_flight (const IohQueue *queue)
{
    return queue->in_flight;
}

int
ioh_queue_probe_io_uring (void)
{
    return ioh_queue_uring.probe ();
}
