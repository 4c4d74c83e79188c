/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-queue - what every backend of the queue promises: nothing is lost, repeated or exchanged,
 * whatever comes back short, late, in another order or not at all.
 */
#include "queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fault.h"
#include "pattern.h"
#include "scratch.h"
#include "sys.h"

#define DEPTH 8
#define BLOCK_BYTES ((size_t) 64 * 1024)
#define ALIGN ((size_t) 4096)

typedef struct {
    IohQueueKind kind;
    IohQueue *queue; /* NULL when this host has none of the kind */
    char *directory;
    int fd;
    char *memory;
    IohRequest requests[DEPTH];
} Fixture;

static IohQueue *
queue_or_skip (IohQueueKind kind, const IohQueueSetup *setup)
{
    IohQueue *queue = NULL;
    int result = ioh_queue_new (kind, setup, &queue);

    if (result < 0)
        g_assert_cmpint (kind, ==, IOH_QUEUE_IO_URING);
    if (result == -ENOPKG)
        g_test_skip ("this build is without io_uring");
    else if (result < 0)
        scratch_lacks ("io_uring");
    return queue;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
    fixture->kind = (IohQueueKind) GPOINTER_TO_INT (data);
    fixture->directory = scratch_new ();
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    fixture->fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint (fixture->fd, >=, 0);
    fixture->memory = aligned_alloc (ALIGN, DEPTH * BLOCK_BYTES);
    const IohQueueSetup setup = {
        .depth = DEPTH,
        .memory = fixture->memory,
        .buffer_bytes = BLOCK_BYTES,
        .align = ALIGN,
    };
    fixture->queue = queue_or_skip (fixture->kind, &setup);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
    fault_disarm ();
    fault_reverse_queues (FALSE);
    ioh_queue_free (fixture->queue);
    close (fixture->fd);
    free (fixture->memory);
    scratch_remove (fixture->directory);
}

/* Submits a request for one block at OFFSET by way of buffer INDEX. */
static IohRequest *
submit (Fixture *fixture, IohRequestKind kind, unsigned index, uint64_t offset)
{
    IohRequest *request = &fixture->requests[index];

    *request = (IohRequest){
        .kind = kind,
        .fd = fixture->fd,
        .buffer_index = index,
        .buffer = fixture->memory + index * BLOCK_BYTES,
        .length = BLOCK_BYTES,
        .offset = offset,
    };
    if (kind == IOH_REQUEST_WRITE)
        pattern_fill (request->buffer, BLOCK_BYTES, offset);
    g_assert_cmpint (ioh_queue_submit (fixture->queue, request), ==, 0);
    return request;
}

static void
wait_for (Fixture *fixture, const IohRequest *request)
{
    g_assert_true (ioh_queue_wait (fixture->queue) == request);
    g_assert_cmpuint (ioh_queue_in_flight (fixture->queue), ==, 0);
}

static void
assert_written (Fixture *fixture, size_t length)
{
    g_autofree char *path = g_build_filename (fixture->directory, "file", NULL);
    size_t there = 0;
    g_autofree uint8_t *content = scratch_read (path, &there);

    g_assert_cmpuint (there, ==, length);
    g_assert_cmpuint (pattern_mismatch (content, length, 0), ==, length);
}

/* Carries out COUNT requests of KIND, a buffer used again as soon as it comes back. */
static void
run_many (Fixture *fixture, IohRequestKind kind, unsigned count)
{
    unsigned submitted = 0;
    unsigned finished = 0;
    IohRequest *request;

    while (submitted < DEPTH && submitted < count) {
        submit (fixture, kind, submitted, submitted * BLOCK_BYTES);
        submitted++;
    }
    g_assert_cmpuint (ioh_queue_in_flight (fixture->queue), ==, submitted);
    while ((request = ioh_queue_wait (fixture->queue)) != NULL) {
        g_assert_cmpuint (request->done, ==, BLOCK_BYTES);
        g_assert_cmpuint (pattern_mismatch (request->buffer, BLOCK_BYTES, request->offset), ==,
                          BLOCK_BYTES);
        finished++;
        if (submitted < count) {
            submit (fixture, kind, request->buffer_index, submitted * BLOCK_BYTES);
            submitted++;
        }
    }
    g_assert_cmpuint (finished, ==, count);
}

static void
test_many (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    run_many (fixture, IOH_REQUEST_WRITE, 5 * DEPTH + 1);
    assert_written (fixture, (5 * DEPTH + 1) * BLOCK_BYTES);
    run_many (fixture, IOH_REQUEST_READ, 5 * DEPTH + 1);
}

static void
test_any_order (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    fault_reverse_queues (TRUE);
    run_many (fixture, IOH_REQUEST_WRITE, 5 * DEPTH + 1);
    run_many (fixture, IOH_REQUEST_READ, 5 * DEPTH + 1);
    fault_reverse_queues (FALSE);
    assert_written (fixture, (5 * DEPTH + 1) * BLOCK_BYTES);
}

/* The descriptor says when there is something to reap, and only then. */
static void
test_poll (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    struct pollfd finished = {.fd = ioh_queue_fd (fixture->queue), .events = POLLIN};
    g_assert_cmpint (poll (&finished, 1, 0), ==, 0);
    g_assert_null (ioh_queue_reap (fixture->queue));
    submit (fixture, IOH_REQUEST_WRITE, 0, 0);
    submit (fixture, IOH_REQUEST_WRITE, 1, BLOCK_BYTES);
    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmpint (poll (&finished, 1, -1), ==, 1);
        g_assert_nonnull (ioh_queue_reap (fixture->queue));
    }
    g_assert_null (ioh_queue_reap (fixture->queue));
    g_assert_cmpint (poll (&finished, 1, 0), ==, 0);
    g_assert_null (ioh_queue_wait (fixture->queue));
}

static void
test_short_goes_on (Fixture *fixture, gconstpointer data)
{
    const Fault shortens = {
        .call = SYS_QUEUE_REAP,
        .first = 1,
        .last = FAULT_FOR_EVER,
        .manner = FAULT_SHORT,
        .short_to = ALIGN,
    };

    if (fixture->queue == NULL)
        return;
    fault_arm (&shortens);
    const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpuint (request->done, ==, BLOCK_BYTES);
    g_assert_cmpuint (fault_calls (SYS_QUEUE_REAP), ==, BLOCK_BYTES / ALIGN);
    assert_written (fixture, BLOCK_BYTES);
}

/* The limit on the file's length cuts a block: the part before it counts. */
static void
test_short_then_failure (Fixture *fixture, gconstpointer data)
{
    struct rlimit before;

    if (fixture->queue == NULL)
        return;
    g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
    const struct rlimit limit = {BLOCK_BYTES + 2 * ALIGN, before.rlim_max};
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
    const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, BLOCK_BYTES);
    wait_for (fixture, request);
    g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
    g_assert_cmpuint (request->done, ==, 2 * ALIGN);
    g_assert_cmpint (request->result, ==, -EFBIG);
}

static void
test_odd_rest_stays (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    g_assert_cmpint (ftruncate (fixture->fd, ALIGN + 1), ==, 0);
    const IohRequest *request = submit (fixture, IOH_REQUEST_READ, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpuint (request->done, ==, ALIGN + 1);
    g_assert_cmpint (request->result, ==, ALIGN + 1);
}

static void
test_end_of_file (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    g_assert_cmpint (ftruncate (fixture->fd, 3 * ALIGN), ==, 0);
    const IohRequest *request = submit (fixture, IOH_REQUEST_READ, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpuint (request->done, ==, 3 * ALIGN);
    g_assert_cmpint (request->result, ==, 0);
}

static void
test_failure (Fixture *fixture, gconstpointer data)
{
    if (fixture->queue == NULL)
        return;
    int fd = fixture->fd;
    fixture->fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);
    const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpint (request->result, ==, -EBADF);
    g_assert_cmpuint (request->done, ==, 0);
    close (fixture->fd);
    fixture->fd = fd;
}

static Fault
fault_again (int result, unsigned last)
{
    return (Fault){
        .call = SYS_QUEUE_REAP,
        .first = 1,
        .last = last,
        .manner = FAULT_INSTEAD,
        .result = result,
    };
}

static void
test_again (Fixture *fixture, gconstpointer data)
{
    static const int answers[] = {-EAGAIN, -EINTR};

    for (unsigned i = 0; i < G_N_ELEMENTS (answers) && fixture->queue != NULL; i++) {
        const Fault again = fault_again (answers[i], 3);
        fault_arm (&again);
        const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, 0);
        wait_for (fixture, request);
        g_assert_cmpuint (request->done, ==, BLOCK_BYTES);
        g_assert_cmpuint (fault_calls (SYS_QUEUE_REAP), ==, 4);
        g_assert_true (fault_disarm ());
    }
}

/* Somebody who always says "again" is not asked for ever. */
static void
test_again_for_ever (Fixture *fixture, gconstpointer data)
{
    const Fault again = fault_again (-EAGAIN, FAULT_FOR_EVER);

    if (fixture->queue == NULL)
        return;
    fault_arm (&again);
    const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpint (request->result, ==, -EAGAIN);
}

/* The rest of a short request cannot be submitted: that ends it, and it is not in flight. */
static void
test_rest_refused (Fixture *fixture, gconstpointer data)
{
    const Fault shortens = {
        .call = SYS_QUEUE_REAP,
        .first = 1,
        .last = 1,
        .manner = FAULT_SHORT,
        .short_to = ALIGN,
    };
    const Fault refuses = {
        .call = SYS_QUEUE_SUBMIT,
        .first = 2,
        .last = 2,
        .manner = FAULT_INSTEAD,
        .result = -ENOMEM,
    };

    if (fixture->queue == NULL)
        return;
    fault_arm (&shortens);
    fault_arm (&refuses);
    const IohRequest *request = submit (fixture, IOH_REQUEST_WRITE, 0, 0);
    wait_for (fixture, request);
    g_assert_cmpint (request->result, ==, -ENOMEM);
    g_assert_cmpuint (request->done, ==, ALIGN);
}

static void
add (const char *name, IohQueueKind kind, void (*test) (Fixture *, gconstpointer))
{
    g_autofree char *path = g_strdup_printf ("/queue/%s/%s", ioh_wire_queue_name (kind), name);

    g_test_add (path, Fixture, GINT_TO_POINTER (kind), set_up, test, tear_down);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    signal (SIGXFSZ, SIG_IGN);
    for (IohQueueKind kind = IOH_QUEUE_IO_URING; kind <= IOH_QUEUE_THREADS; kind++) {
        add ("many", kind, test_many);
        add ("any-order", kind, test_any_order);
        add ("poll", kind, test_poll);
        add ("short-goes-on", kind, test_short_goes_on);
        add ("short-then-failure", kind, test_short_then_failure);
        add ("odd-rest-stays", kind, test_odd_rest_stays);
        add ("end-of-file", kind, test_end_of_file);
        add ("failure", kind, test_failure);
        add ("again", kind, test_again);
        add ("again-for-ever", kind, test_again_for_ever);
        add ("rest-refused", kind, test_rest_refused);
    }
    return g_test_run ();
}
