/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue-wrap - stands in front of the backends of the queue.
 *
 * Owns nothing of a request but its result, which it may replace before the queue sees it, and the
 * order in which finished requests come back.
 */
#include "fault.h"
#include "queue-backend.h"

#define QUEUE_MOST_HELD 64

extern const IohQueueBackend __real_ioh_queue_uring;
extern const IohQueueBackend __real_ioh_queue_threads;
extern const IohQueueBackend __wrap_ioh_queue_uring;
extern const IohQueueBackend __wrap_ioh_queue_threads;

typedef struct {
    const IohQueueBackend *real;
    gpointer state;
    IohRequest *held[QUEUE_MOST_HELD]; /* finished, to be handed back from the end */
    unsigned held_count;
} WrappedQueue;

static int
wrapped_open (const IohQueueBackend *real, const IohQueueSetup *setup, gpointer *out_state,
              int *out_fd)
{
    FaultVerdict verdict = fault_enter (SYS_QUEUE_OPEN);
    WrappedQueue *queue = g_new0 (WrappedQueue, 1);

    queue->real = real;
    int result = verdict.instead ? (int) verdict.result : real->open (setup, &queue->state, out_fd);
    if (result < 0)
        g_free (queue);
    else
        *out_state = queue;
    return result;
}

static int
wrapped_open_uring (const IohQueueSetup *setup, gpointer *out_state, int *out_fd)
{
    return wrapped_open (&__real_ioh_queue_uring, setup, out_state, out_fd);
}

static int
wrapped_open_threads (const IohQueueSetup *setup, gpointer *out_state, int *out_fd)
{
    return wrapped_open (&__real_ioh_queue_threads, setup, out_state, out_fd);
}

static int
wrapped_submit (gpointer state, IohRequest *request)
{
    WrappedQueue *queue = state;
    FaultVerdict verdict = fault_enter (SYS_QUEUE_SUBMIT);

    return verdict.instead ? (int) verdict.result : queue->real->submit (queue->state, request);
}

/* What is finished now, the last to finish first. */
static IohRequest *
wrapped_reap_reversed (WrappedQueue *queue)
{
    IohRequest *request;

    while (queue->held_count < QUEUE_MOST_HELD &&
           (request = queue->real->reap (queue->state)) != NULL)
        queue->held[queue->held_count++] = request;
    return queue->held_count > 0 ? queue->held[--queue->held_count] : NULL;
}

static IohRequest *
wrapped_reap (gpointer state)
{
    WrappedQueue *queue = state;
    IohRequest *request = fault_queues_reversed () || queue->held_count > 0
                              ? wrapped_reap_reversed (queue)
                              : queue->real->reap (queue->state);

    if (request == NULL)
        return NULL;
    FaultVerdict verdict = fault_enter (SYS_QUEUE_REAP);
    if (verdict.instead)
        request->result = (ssize_t) verdict.result;
    if (verdict.shortens && request->result > (ssize_t) verdict.short_to)
        request->result = (ssize_t) verdict.short_to;
    return request;
}

/* What is held back is there already. */
static void
wrapped_wait (gpointer state)
{
    WrappedQueue *queue = state;

    if (queue->held_count == 0)
        queue->real->wait (queue->state);
}

static void
wrapped_close (gpointer state)
{
    WrappedQueue *queue = state;

    queue->real->close (queue->state);
    g_free (queue);
}

static int
wrapped_probe_uring (void)
{
    return __real_ioh_queue_uring.probe ();
}

const IohQueueBackend __wrap_ioh_queue_uring = {
    .open = wrapped_open_uring,
    .submit = wrapped_submit,
    .reap = wrapped_reap,
    .wait = wrapped_wait,
    .close = wrapped_close,
    .probe = wrapped_probe_uring,
};

const IohQueueBackend __wrap_ioh_queue_threads = {
    .open = wrapped_open_threads,
    .submit = wrapped_submit,
    .reap = wrapped_reap,
    .wait = wrapped_wait,
    .close = wrapped_close,
};
