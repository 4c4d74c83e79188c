/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue-threads - requests through a few threads that wait for the file in our stead.
 *
 * Owns the threads, the list of what they are to do and the list of what they have done. Serves
 * where io_uring is forbidden. A request is touched by one thread at a time; the lists are what the
 * lock protects.
 */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "queue-backend.h"
#include "sys.h"

/* More keep no disk busier and cost memory each; measured with depths of 4 to 16 on two CPUs. */
#define THREADS_MAX 4

/* Requests in the order they came. */
typedef struct {
    IohRequest *head;
    IohRequest **tail;
} ThreadsList;

typedef struct {
    GMutex lock;
    GCond work; /* something to do, or to end */
    GCond done; /* something finished */
    ThreadsList waiting;
    ThreadsList finished;
    gboolean ends;
    int event_fd; /* readable while something finished may be left; changed under the lock */
    GThread *threads[THREADS_MAX];
    unsigned thread_count;
} ThreadsQueue;

static void
threads_list_init (ThreadsList *list)
{
    list->head = NULL;
    list->tail = &list->head;
}

static void
threads_list_push (ThreadsList *list, IohRequest *request)
{
    request->next = NULL;
    *list->tail = request;
    list->tail = &request->next;
}

static IohRequest *
threads_list_pop (ThreadsList *list)
{
    IohRequest *request = list->head;

    if (request == NULL)
        return NULL;
    list->head = request->next;
    if (list->head == NULL)
        list->tail = &list->head;
    return request;
}

static ssize_t
threads_carry_out (const IohRequest *request)
{
    char *buffer = request->buffer + request->done;
    size_t length = request->length - request->done;
    uint64_t offset = request->offset + request->done;

    return request->kind == IOH_REQUEST_READ ? ioh_sys_pread (request->fd, buffer, length, offset)
                                             : ioh_sys_pwrite (request->fd, buffer, length, offset);
}

/* The next request, or NULL when the queue ends. */
static IohRequest *
threads_take (ThreadsQueue *queue)
{
    IohRequest *request;

    g_mutex_lock (&queue->lock);
    while ((request = threads_list_pop (&queue->waiting)) == NULL && !queue->ends)
        g_cond_wait (&queue->work, &queue->lock);
    g_mutex_unlock (&queue->lock);
    return request;
}

static void
threads_give (ThreadsQueue *queue, IohRequest *request)
{
    g_mutex_lock (&queue->lock);
    if (queue->finished.head == NULL)
        eventfd_write (queue->event_fd, 1);
    threads_list_push (&queue->finished, request);
    g_cond_signal (&queue->done);
    g_mutex_unlock (&queue->lock);
}

static gpointer
threads_main (gpointer data)
{
    ThreadsQueue *queue = data;
    IohRequest *request;

    while ((request = threads_take (queue)) != NULL) {
        request->result = threads_carry_out (request);
        threads_give (queue, request);
    }
    return NULL;
}

static void
threads_close (gpointer state)
{
    ThreadsQueue *queue = state;

    g_mutex_lock (&queue->lock);
    queue->ends = TRUE;
    g_cond_broadcast (&queue->work);
    g_mutex_unlock (&queue->lock);
    for (unsigned i = 0; i < queue->thread_count; i++)
        g_thread_join (queue->threads[i]);
    ioh_sys_clear_fd (&queue->event_fd);
    g_cond_clear (&queue->work);
    g_cond_clear (&queue->done);
    g_mutex_clear (&queue->lock);
    g_free (queue);
}

static int
threads_open (const IohQueueSetup *setup, gpointer *out_state, int *out_fd)
{
    int event_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (event_fd < 0)
        return -errno;
    ThreadsQueue *queue = g_new0 (ThreadsQueue, 1);
    g_mutex_init (&queue->lock);
    g_cond_init (&queue->work);
    g_cond_init (&queue->done);
    threads_list_init (&queue->waiting);
    threads_list_init (&queue->finished);
    queue->event_fd = event_fd;
    for (unsigned i = 0; i < MIN (setup->depth, THREADS_MAX); i++) {
        GThread *thread = g_thread_try_new ("ioh-queue", threads_main, queue, NULL);
        if (thread == NULL)
            break;
        queue->threads[queue->thread_count++] = thread;
    }
    /* fewer than wanted are slower, none at all is an end */
    if (queue->thread_count == 0) {
        threads_close (queue);
        return -EAGAIN;
    }
    *out_state = queue;
    *out_fd = event_fd;
    return 0;
}

static int
threads_submit (gpointer state, IohRequest *request)
{
    ThreadsQueue *queue = state;

    g_mutex_lock (&queue->lock);
    threads_list_push (&queue->waiting, request);
    g_cond_signal (&queue->work);
    g_mutex_unlock (&queue->lock);
    return 0;
}

static IohRequest *
threads_reap (gpointer state)
{
    ThreadsQueue *queue = state;
    eventfd_t count;

    g_mutex_lock (&queue->lock);
    IohRequest *request = threads_list_pop (&queue->finished);
    if (queue->finished.head == NULL)
        eventfd_read (queue->event_fd, &count);
    g_mutex_unlock (&queue->lock);
    return request;
}

static void
threads_wait (gpointer state)
{
    ThreadsQueue *queue = state;

    g_mutex_lock (&queue->lock);
    while (queue->finished.head == NULL)
        g_cond_wait (&queue->done, &queue->lock);
    g_mutex_unlock (&queue->lock);
}

const IohQueueBackend ioh_queue_threads = {
    .open = threads_open,
    .submit = threads_submit,
    .reap = threads_reap,
    .wait = threads_wait,
    .close = threads_close,
};
