/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queue-uring - requests through io_uring.
 *
 * Owns the ring. Buffers are registered where the limit on locked memory allows it, so that the
 * kernel need not look up and pin their pages for each request. Takes from the ring what no request
 * needs: what is asked through one passes no filter for system calls. liburing returns -errno and
 * leaves errno alone.
 */
#include <errno.h>
#include <liburing.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "queue-backend.h"

typedef struct {
    struct io_uring ring;
    gboolean registered; /* the kernel knows the buffers by their index */
} UringQueue;

static void
uring_register (UringQueue *queue, const IohQueueSetup *setup)
{
    struct iovec *buffers = g_new (struct iovec, setup->depth);

    for (unsigned i = 0; i < setup->depth; i++) {
        buffers[i].iov_base = (char *) setup->memory + i * setup->buffer_bytes;
        buffers[i].iov_len = setup->buffer_bytes;
    }
    queue->registered = io_uring_register_buffers (&queue->ring, buffers, setup->depth) >= 0;
    g_free (buffers);
}

/* Two functions that liburing 2.3 declares and does not export. 0 or -errno. */
static int
uring_tell (const struct io_uring *ring, unsigned operation, const void *argument, unsigned count)
{
    return syscall (__NR_io_uring_register, ring->ring_fd, operation, argument, count) < 0 ? -errno
                                                                                           : 0;
}

/* From then on it takes reads and writes and nothing else. */
static int
uring_restrict (const struct io_uring *ring)
{
    static const unsigned char requests[] = {
        IORING_OP_READ,
        IORING_OP_READ_FIXED,
        IORING_OP_WRITE,
        IORING_OP_WRITE_FIXED,
    };
    struct io_uring_restriction restrictions[G_N_ELEMENTS (requests)] = {0};

    for (unsigned i = 0; i < G_N_ELEMENTS (requests); i++) {
        restrictions[i].opcode = IORING_RESTRICTION_SQE_OP;
        restrictions[i].sqe_op = requests[i];
    }
    int result =
        uring_tell (ring, IORING_REGISTER_RESTRICTIONS, restrictions, G_N_ELEMENTS (restrictions));
    return result < 0 ? result : uring_tell (ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

/* A ring that is to be restricted begins disabled. 0 or -errno. */
static int
uring_begin (UringQueue *queue, const IohQueueSetup *setup, gboolean restricted)
{
    int result =
        io_uring_queue_init (setup->depth, &queue->ring, restricted ? IORING_SETUP_R_DISABLED : 0);

    if (result < 0)
        return result;
    uring_register (queue, setup);
    result = restricted ? uring_restrict (&queue->ring) : 0;
    if (result < 0)
        io_uring_queue_exit (&queue->ring);
    return result;
}

static int
uring_open (const IohQueueSetup *setup, gpointer *out_state, int *out_fd)
{
    UringQueue *queue = g_new0 (UringQueue, 1);
    int result = uring_begin (queue, setup, TRUE);

    /* before Linux 5.10 there were no such rings */
    if (result < 0)
        result = uring_begin (queue, setup, FALSE);
    if (result < 0) {
        g_free (queue);
        return result;
    }
    *out_state = queue;
    *out_fd = queue->ring.ring_fd;
    return 0;
}

static void
uring_close (gpointer state)
{
    UringQueue *queue = state;

    io_uring_queue_exit (&queue->ring);
    g_free (queue);
}

static void
uring_prepare (const UringQueue *queue, struct io_uring_sqe *sqe, const IohRequest *request)
{
    char *buffer = request->buffer + request->done;
    unsigned length = (unsigned) (request->length - request->done);
    uint64_t offset = request->offset + request->done;
    int index = (int) request->buffer_index;
    gboolean reads = request->kind == IOH_REQUEST_READ;

    if (reads && queue->registered)
        io_uring_prep_read_fixed (sqe, request->fd, buffer, length, offset, index);
    else if (reads)
        io_uring_prep_read (sqe, request->fd, buffer, length, offset);
    else if (queue->registered)
        io_uring_prep_write_fixed (sqe, request->fd, buffer, length, offset, index);
    else
        io_uring_prep_write (sqe, request->fd, buffer, length, offset);
}

static int
uring_submit (gpointer state, IohRequest *request)
{
    UringQueue *queue = state;
    /* as many entries as requests in flight: there is always one */
    struct io_uring_sqe *sqe = io_uring_get_sqe (&queue->ring);
    int result;

    g_assert (sqe != NULL);
    uring_prepare (queue, sqe, request);
    io_uring_sqe_set_data (sqe, request);
    do
        result = io_uring_submit (&queue->ring);
    while (result == -EINTR);
    return MIN (result, 0);
}

static IohRequest *
uring_reap (gpointer state)
{
    UringQueue *queue = state;
    struct io_uring_cqe *cqe = NULL;

    if (io_uring_peek_cqe (&queue->ring, &cqe) < 0 || cqe == NULL)
        return NULL;
    IohRequest *request = io_uring_cqe_get_data (cqe);
    request->result = cqe->res;
    io_uring_cqe_seen (&queue->ring, cqe);
    return request;
}

static void
uring_wait (gpointer state)
{
    UringQueue *queue = state;
    struct io_uring_cqe *cqe = NULL;

    while (io_uring_wait_cqe (&queue->ring, &cqe) == -EINTR)
        ;
}

static int
uring_probe (void)
{
    struct io_uring ring;
    int result = io_uring_queue_init (1, &ring, 0);

    if (result >= 0)
        io_uring_queue_exit (&ring);
    return -MIN (result, 0);
}

const IohQueueBackend ioh_queue_uring = {
    .open = uring_open,
    .submit = uring_submit,
    .reap = uring_reap,
    .wait = uring_wait,
    .close = uring_close,
    .probe = uring_probe,
};
