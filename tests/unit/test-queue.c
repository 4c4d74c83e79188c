/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-queue - several requests under way, through io_uring and through threads: the same results.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "buffers.h"
#include "fault.h"
#include "pattern.h"
#include "queue.h"
#include "scratch.h"

#define DEPTH 4
#define BLOCK 65536

typedef struct {
    char *directory;
    char *path;
    int fd;
    char *memory;
    IohQueue *queue;
    IohRequest requests[DEPTH];
} Fixture;

/* DATA is the kind of queue. */
static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    IohQueueKind kind = (IohQueueKind) GPOINTER_TO_INT (data);
    IohQueueSetup setup = {.depth = DEPTH, .buffer_bytes = BLOCK, .align = 4096};

    fixture->directory = scratch_new ();
    fixture->path = scratch_file (fixture->directory, "file", 0, 0);
    fixture->fd = open (fixture->path, O_RDWR | O_CLOEXEC);
    fixture->memory = ioh_buffer_new (DEPTH * BLOCK, 4096, NULL);
    setup.memory = fixture->memory;
    pattern_fill (fixture->memory, DEPTH * BLOCK, 0);
    g_assert_cmpint (ioh_queue_new (kind, &setup, &fixture->queue), ==, 0);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    ioh_queue_free (fixture->queue);
    ioh_buffer_free (fixture->memory, DEPTH * BLOCK);
    close (fixture->fd);
    g_free (fixture->path);
    scratch_remove (fixture->directory);
}

static void
submit (Fixture *fixture, IohRequestKind kind, unsigned index, size_t length, uint64_t offset)
{
    fixture->requests[index] = (IohRequest){
        .kind = kind,
        .fd = fixture->fd,
        .buffer_index = index,
        .buffer = fixture->memory + index * BLOCK,
        .length = length,
        .offset = offset,
    };
    g_assert_cmpint (ioh_queue_submit (fixture->queue, &fixture->requests[index]), ==, 0);
}

static void
submit_all (Fixture *fixture, IohRequestKind kind)
{
    for (unsigned i = 0; i < DEPTH; i++)
        submit (fixture, kind, i, BLOCK, i * BLOCK);
}

/* Waits for all that is in flight; each comes back once. */
static void
wait_all (Fixture *fixture)
{
    gboolean seen[DEPTH] = {FALSE};
    IohRequest *request;
    unsigned in_flight = ioh_queue_in_flight (fixture->queue);

    while ((request = ioh_queue_wait (fixture->queue)) != NULL) {
        g_assert_false (seen[request->buffer_index]);
        seen[request->buffer_index] = TRUE;
        g_assert_cmpuint (ioh_queue_in_flight (fixture->queue), ==, --in_flight);
    }
    g_assert_cmpuint (in_flight, ==, 0);
}

static void
test_writes (Fixture *fixture, gconstpointer data)
{
    size_t length = 0;

    submit_all (fixture, IOH_REQUEST_WRITE);
    g_assert_cmpuint (ioh_queue_in_flight (fixture->queue), ==, DEPTH);
    wait_all (fixture);
    for (unsigned i = 0; i < DEPTH; i++)
        g_assert_cmpuint (fixture->requests[i].done, ==, BLOCK);
    g_autofree uint8_t *content = scratch_read (fixture->path, &length);
    g_assert_cmpuint (length, ==, DEPTH * BLOCK);
    g_assert_cmpuint (pattern_mismatch (content, length, 0), ==, length);
}

static void
test_reads (Fixture *fixture, gconstpointer data)
{
    g_assert_cmpint (pwrite (fixture->fd, fixture->memory, DEPTH * BLOCK, 0), ==, DEPTH * BLOCK);
    memset (fixture->memory, 0, DEPTH * BLOCK);
    submit_all (fixture, IOH_REQUEST_READ);
    wait_all (fixture);
    g_assert_cmpuint (pattern_mismatch (fixture->memory, DEPTH * BLOCK, 0), ==, DEPTH * BLOCK);
}

/* The file ends inside a request: what was there, then the end. */
static void
test_end_of_file (Fixture *fixture, gconstpointer data)
{
    g_assert_cmpint (pwrite (fixture->fd, fixture->memory, 5000, 0), ==, 5000);
    submit (fixture, IOH_REQUEST_READ, 0, BLOCK, 0);
    submit (fixture, IOH_REQUEST_READ, 1, BLOCK, BLOCK);
    wait_all (fixture);
    g_assert_cmpuint (fixture->requests[0].done, ==, 5000);
    g_assert_cmpuint (fixture->requests[1].done, ==, 0);
    g_assert_cmpint (fixture->requests[1].result, ==, 0);
}

static void
test_error (Fixture *fixture, gconstpointer data)
{
    int fd = fixture->fd;

    fixture->fd = open (fixture->path, O_RDONLY | O_CLOEXEC);
    submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK, 0);
    wait_all (fixture);
    g_assert_cmpint (fixture->requests[0].result, ==, -EBADF);
    g_assert_cmpuint (fixture->requests[0].done, ==, 0);
    close (fd);
}

static void
arm (FaultManner manner, unsigned last, gint64 result, size_t short_to)
{
    const Fault fault = {SYS_QUEUE_REAP, 1, last, manner, result, short_to};

    fault_arm (&fault);
}

/* What comes back short is continued, and comes back once. */
static void
test_short (Fixture *fixture, gconstpointer data)
{
    size_t length = 0;

    arm (FAULT_SHORT, 7, 0, 4096);
    submit_all (fixture, IOH_REQUEST_WRITE);
    wait_all (fixture);
    fault_disarm ();
    for (unsigned i = 0; i < DEPTH; i++)
        g_assert_cmpuint (fixture->requests[i].done, ==, BLOCK);
    g_autofree uint8_t *content = scratch_read (fixture->path, &length);
    g_assert_cmpuint (pattern_mismatch (content, length, 0), ==, DEPTH * BLOCK);
}

/* A rest that is no longer aligned is not for the queue. */
static void
test_odd_rest (Fixture *fixture, gconstpointer data)
{
    arm (FAULT_SHORT, 1, 0, 5000);
    submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK, 0);
    wait_all (fixture);
    fault_disarm ();
    g_assert_cmpuint (fixture->requests[0].done, ==, 5000);
    g_assert_cmpint (fixture->requests[0].result, ==, 5000);
}

static void
test_again (Fixture *fixture, gconstpointer data)
{
    arm (FAULT_INSTEAD, 10, -EAGAIN, 0);
    submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK, 0);
    wait_all (fixture);
    fault_disarm ();
    g_assert_cmpuint (fixture->requests[0].done, ==, BLOCK);
}

/* Asked to try again for ever, it gives up: nothing here may go round at full speed. */
static void
test_again_for_ever (Fixture *fixture, gconstpointer data)
{
    arm (FAULT_INSTEAD, FAULT_FOR_EVER, -EAGAIN, 0);
    submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK, 0);
    wait_all (fixture);
    fault_disarm ();
    g_assert_cmpint (fixture->requests[0].result, ==, -EAGAIN);
}

static void
test_submit_refused (Fixture *fixture, gconstpointer data)
{
    const Fault fault = {SYS_QUEUE_SUBMIT, 1, 1, FAULT_INSTEAD, -ENOMEM, 0};
    IohRequest request = {.fd = fixture->fd, .buffer = fixture->memory, .length = 4096};

    fault_arm (&fault);
    g_assert_cmpint (ioh_queue_submit (fixture->queue, &request), ==, -ENOMEM);
    fault_disarm ();
    g_assert_cmpuint (ioh_queue_in_flight (fixture->queue), ==, 0);
}

/* poll tells when there is something to reap, and reap never waits. */
static void
test_poll (Fixture *fixture, gconstpointer data)
{
    struct pollfd pollfd = {.fd = ioh_queue_fd (fixture->queue), .events = POLLIN};

    g_assert_null (ioh_queue_reap (fixture->queue));
    g_assert_cmpint (poll (&pollfd, 1, 0), ==, 0);
    submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK, 0);
    g_assert_cmpint (poll (&pollfd, 1, -1), ==, 1);
    g_assert_true (ioh_queue_reap (fixture->queue) == &fixture->requests[0]);
    g_assert_null (ioh_queue_reap (fixture->queue));
}

/* The queue is used up and used again. */
static void
test_many (Fixture *fixture, gconstpointer data)
{
    for (unsigned i = 0; i < 50; i++) {
        submit_all (fixture, i % 2 == 0 ? IOH_REQUEST_WRITE : IOH_REQUEST_READ);
        wait_all (fixture);
    }
    g_assert_cmpuint (pattern_mismatch (fixture->memory, DEPTH * BLOCK, 0), ==, DEPTH * BLOCK);
}

static void
test_no_io_uring (void)
{
    scratch_lacks ("this host refuses io_uring");
}

static void
test_open_refused (void)
{
    const Fault fault = {SYS_QUEUE_OPEN, 1, 1, FAULT_INSTEAD, -ENOSYS, 0};
    const IohQueueSetup setup = {.depth = 1};
    IohQueue *queue = NULL;

    fault_arm (&fault);
    g_assert_cmpint (ioh_queue_new (IOH_QUEUE_THREADS, &setup, &queue), ==, -ENOSYS);
    fault_disarm ();
    g_assert_null (queue);
}

typedef void (*QueueTest) (Fixture *fixture, gconstpointer data);

typedef struct {
    const char *name;
    QueueTest run;
} QueueRow;

static const QueueRow queue_rows[] = {
    {"writes", test_writes},
    {"reads", test_reads},
    {"end-of-file", test_end_of_file},
    {"error", test_error},
    {"short", test_short},
    {"odd-rest", test_odd_rest},
    {"again", test_again},
    {"again-for-ever", test_again_for_ever},
    {"submit-refused", test_submit_refused},
    {"poll", test_poll},
    {"many", test_many},
};

static void
add_tests (IohQueueKind kind)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (queue_rows); i++) {
        g_autofree char *path =
            g_strdup_printf ("/queue/%s/%s", ioh_wire_queue_name (kind), queue_rows[i].name);
        g_test_add (path, Fixture, GINT_TO_POINTER (kind), fixture_set_up, queue_rows[i].run,
                    fixture_tear_down);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    if (ioh_queue_probe_io_uring () == 0)
        add_tests (IOH_QUEUE_IO_URING);
    else if (ioh_queue_probe_io_uring () != ENOPKG)
        g_test_add_func ("/queue/io_uring", test_no_io_uring);
    add_tests (IOH_QUEUE_THREADS);
    g_test_add_func ("/queue/open-refused", test_open_refused);
    return g_test_run ();
}
