/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * engine-splice - moves references to pages instead of bytes.
 *
 * Owns a pipe between the stream and the file. A pipe has one lock: taking everything out of the
 * hypervisor's pipe into ours holds that lock for microseconds, and the slow part (freeing pages,
 * copying into the page cache) happens under the lock of our pipe, which nobody else wants.
 * What sits in our pipe is never lost: where the file refuses a splice it is copied out.
 */
#include "engine-splice.h"

#include <errno.h>
#include <fcntl.h>

#include "buffers.h"
#include "error.h"
#include "i18n.h"
#include "job.h"
#include "readers.h"
#include "size.h"
#include "sys.h"

/* So many blocks are read ahead. Cold, in Mbit/s, libvirt's helper 7,200: four 9,800, six 10,300,
 * eight 10,700, with as many threads and MiB (tests/bench/compare restore-cold-direct). */
#define SPLICE_READERS 6

typedef struct {
    IohJob *job;
    int pipe_fds[2];
    size_t capacity;     /* of our pipe */
    size_t held;         /* bytes in it */
    gboolean ended;      /* the stream has no more */
    gboolean refused;    /* the file does not take splices: bytes are copied out of our pipe */
    char *buffer;        /* for that; NULL until needed */
    size_t fill;         /* bytes in it, */
    size_t given;        /* of which so many were written */
    IohReaders *readers; /* restore with O_DIRECT */
} EngineSplice;

static gboolean
splice_usable (const IohFacts *facts, IohDirection direction, const char **out_why)
{
    IohEndKind stream = facts->stream.kind;
    IohEndKind file = facts->file.kind;

    if (stream != IOH_END_PIPE && stream != IOH_END_SOCKET && stream != IOH_END_UNKNOWN) {
        *out_why = N_ ("the stream is neither a pipe nor a socket");
        return FALSE;
    }
    if (direction == IOH_RESTORE && !facts->file.seekable && file != IOH_END_UNKNOWN) {
        *out_why = N_ ("the image is neither a file nor a block device");
        return FALSE;
    }
    *out_why = N_ ("pages move without being copied through this process");
    return TRUE;
}

static void
splice_end (gpointer state)
{
    EngineSplice *splice = state;

    if (splice == NULL)
        return;
    ioh_readers_free (splice->readers);
    ioh_sys_clear_fd (&splice->pipe_fds[0]);
    ioh_sys_clear_fd (&splice->pipe_fds[1]);
    ioh_buffer_free (splice->buffer, splice->job->plan->block_bytes);
    g_free (splice);
}

static gpointer
splice_begin (IohJob *job, GError **error)
{
    EngineSplice *splice = g_new0 (EngineSplice, 1);
    int refused = 0;

    splice->job = job;
    ioh_transport_pace (&job->transport, job->plan->direction);
    splice->pipe_fds[0] = splice->pipe_fds[1] = -1;
    if (job->plan->direction == IOH_RESTORE)
        return splice;
    int result = ioh_sys_pipe (splice->pipe_fds);
    if (result < 0) {
        ioh_error_internal (error, _ ("cannot make a pipe"), -result);
        splice_end (splice);
        return NULL;
    }
    int wanted = MAX (job->plan->pipe_bytes, (int) IOH_MIB);
    splice->capacity = (size_t) ioh_transport_grow_pipe (splice->pipe_fds[1], wanted, &refused);
    return splice;
}

/* The call does not work here, and nothing was consumed. */
static gboolean
splice_is_refused (ssize_t result)
{
    return result == -EINVAL || result == -ENOSYS;
}

static IohStep
splice_stream_failed (EngineSplice *splice, IohStage stage, uint64_t offset, ssize_t result,
                      GError **error)
{
    const IohPlace place = ioh_transport_place (&splice->job->transport, stage, offset);

    ioh_error_errno (error, &place, (int) -result);
    return IOH_STEP_FAILED;
}

/* Stream to our pipe. */
static IohStep
splice_save_take (EngineSplice *splice, IohWait *out_wait, GError **error)
{
    IohJob *job = splice->job;
    ssize_t got = ioh_transport_splice (&job->transport, splice->pipe_fds[1],
                                        MIN (splice->capacity, job->plan->batch_bytes));

    if (got == -EAGAIN)
        return ioh_transport_wait (&job->transport, POLLIN, out_wait);
    if (splice_is_refused (got))
        return IOH_STEP_UNSUPPORTED;
    if (got < 0)
        return splice_stream_failed (splice, IOH_STAGE_READ, job->taken, got, error);
    splice->ended = got == 0;
    splice->held = (size_t) got;
    job->taken += (size_t) got;
    return IOH_STEP_MOVED;
}

/* Our pipe to the buffer, where the file does not take splices. */
static IohStep
splice_copy_out (EngineSplice *splice, GError **error)
{
    size_t bytes = splice->job->plan->block_bytes;

    if (splice->buffer == NULL)
        splice->buffer = ioh_buffer_new (bytes, splice->job->plan->memory_align, error);
    if (splice->buffer == NULL)
        return IOH_STEP_FAILED;
    ssize_t got = ioh_sys_read (splice->pipe_fds[0], splice->buffer, MIN (bytes, splice->held));
    if (got <= 0) {
        ioh_error_internal (error, _ ("cannot read back from our pipe"), (int) -got);
        return IOH_STEP_FAILED;
    }
    splice->held -= (size_t) got;
    splice->fill = (size_t) got;
    splice->given = 0;
    return IOH_STEP_MOVED;
}

static IohStep
splice_write_buffer (EngineSplice *splice, IohWait *out_wait, GError **error)
{
    IohJob *job = splice->job;
    size_t bytes = 0;
    IohStep step =
        ioh_sink_put (job->sink, splice->buffer + splice->given, splice->fill - splice->given,
                      job->delivered, &bytes, out_wait, error);

    splice->given += bytes;
    job->delivered += bytes;
    return step;
}

/* Our pipe to the file. */
static IohStep
splice_save_give (EngineSplice *splice, IohWait *out_wait, GError **error)
{
    IohJob *job = splice->job;
    size_t bytes = 0;

    if (splice->given < splice->fill)
        return splice_write_buffer (splice, out_wait, error);
    if (splice->refused)
        return splice_copy_out (splice, error);
    IohStep step = ioh_sink_splice (job->sink, splice->pipe_fds[0], splice->held, job->delivered,
                                    &bytes, out_wait, error);
    splice->refused = step == IOH_STEP_UNSUPPORTED;
    splice->held -= bytes;
    job->delivered += bytes;
    return splice->refused ? IOH_STEP_MOVED : step;
}

/* Something was taken and not handed over. */
static gboolean
splice_save_holds (const EngineSplice *splice)
{
    return splice->held > 0 || splice->given < splice->fill;
}

static gboolean
splice_save_rest (gpointer state, GError **error)
{
    EngineSplice *splice = state;
    IohStep step = IOH_STEP_MOVED;
    IohWait wait = {0};

    while (step == IOH_STEP_MOVED && splice_save_holds (splice))
        step = splice_save_give (splice, &wait, error);
    if (step == IOH_STEP_WAIT)
        return ioh_error_internal (error, _ ("cannot wait"), EAGAIN);
    return step == IOH_STEP_MOVED;
}

static IohStep
splice_save_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineSplice *splice = state;

    if (splice_save_holds (splice))
        return splice_save_give (splice, out_wait, error);
    if (splice->ended)
        return IOH_STEP_DONE;
    IohStep step = splice_save_take (splice, out_wait, error);
    if (step != IOH_STEP_MOVED || splice->held == 0)
        return step;
    return splice_save_give (splice, out_wait, error);
}

/* Counts BYTES of the image as delivered. */
static IohStep
splice_delivered (EngineSplice *splice, size_t bytes)
{
    splice->job->taken += bytes;
    splice->job->delivered += bytes;
    return IOH_STEP_MOVED;
}

/* The image's page cache straight into the stream. */
static IohStep
splice_restore_cached (EngineSplice *splice, IohWait *out_wait, GError **error)
{
    IohJob *job = splice->job;
    size_t limit = 0;
    int fd = ioh_source_splice_fd (job->source, &limit);

    if (limit == 0)
        return IOH_STEP_DONE;
    if (fd < 0)
        return IOH_STEP_UNSUPPORTED;
    ssize_t sent = ioh_transport_send_file (&job->transport, fd, job->source->position, limit);
    if (sent == -EAGAIN)
        return ioh_transport_wait (&job->transport, POLLOUT, out_wait);
    if (splice_is_refused (sent))
        return IOH_STEP_UNSUPPORTED;
    if (sent == -EPIPE || sent == -ECONNRESET)
        return splice_stream_failed (splice, IOH_STAGE_WRITE, job->delivered, sent, error);
    if (sent < 0) {
        ioh_storage_failed (&job->source->storage, IOH_STAGE_READ, job->source->position,
                            (int) sent, error);
        return IOH_STEP_FAILED;
    }
    if (sent == 0)
        return IOH_STEP_DONE;
    ioh_source_spliced (job->source, (size_t) sent);
    return splice_delivered (splice, (size_t) sent);
}

/* Reading ahead with O_DIRECT did not work at OFFSET: go on through the page cache, if that is
 * allowed; where it is not, reads that are no splices may still be direct. The blocks already read
 * ahead are read again. */
static IohStep
splice_readers_failed (EngineSplice *splice, uint64_t offset, int result, GError **error)
{
    IohStorage *storage = &splice->job->source->storage;

    /* a read that would not wait, although it was not asked to: other reads do wait */
    if (result == -EAGAIN || result == -ENOSYS ||
        (splice_is_refused (result) && !storage->steps_down))
        return IOH_STEP_UNSUPPORTED;
    if (!ioh_storage_step_down (storage, IOH_STAGE_READ, offset, result, error))
        return IOH_STEP_FAILED;
    g_clear_pointer (&splice->readers, ioh_readers_free);
    return IOH_STEP_MOVED;
}

/* Blocks that were read ahead, in order. */
static IohStep
splice_restore_direct (EngineSplice *splice, IohWait *out_wait, GError **error)
{
    IohJob *job = splice->job;
    uint64_t offset = 0;
    size_t bytes = 0;
    int pipe_fd = -1;
    int result = 0;
    IohStep step = ioh_readers_next (splice->readers, &pipe_fd, &bytes, &offset, &result, out_wait);

    if (step == IOH_STEP_FAILED)
        return splice_readers_failed (splice, offset, result, error);
    bytes = (size_t) MIN (bytes, job->source->end - job->source->position);
    if (step != IOH_STEP_MOVED || bytes == 0)
        return step == IOH_STEP_WAIT ? step : IOH_STEP_DONE;
    ssize_t sent = ioh_transport_send_pipe (&job->transport, pipe_fd, bytes);
    if (sent == -EAGAIN)
        return ioh_transport_wait (&job->transport, POLLOUT, out_wait);
    if (splice_is_refused (sent))
        return IOH_STEP_UNSUPPORTED;
    if (sent < 0)
        return splice_stream_failed (splice, IOH_STAGE_WRITE, job->delivered, sent, error);
    ioh_readers_taken (splice->readers, (size_t) sent);
    job->source->position += (uint64_t) sent;
    return splice_delivered (splice, (size_t) sent);
}

/* TRUE when the readers run; they begin where the position is aligned. */
static gboolean
splice_start_readers (EngineSplice *splice, GError **error)
{
    const IohSource *source = splice->job->source;
    const IohStorage *storage = &source->storage;

    if (splice->readers != NULL)
        return TRUE;
    if (storage->direct_fd < 0 || source->position % storage->align != 0)
        return FALSE;
    splice->readers =
        ioh_readers_new (storage->direct_fd, source->position, source->end,
                         splice->job->plan->block_bytes, storage->align, SPLICE_READERS, error);
    return splice->readers != NULL;
}

static IohStep
splice_restore_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineSplice *splice = state;
    g_autoptr (GError) failure = NULL;

    if (splice_start_readers (splice, &failure))
        return splice_restore_direct (splice, out_wait, error);
    if (failure != NULL) {
        g_propagate_error (error, g_steal_pointer (&failure));
        return IOH_STEP_UNSUPPORTED;
    }
    return splice_restore_cached (splice, out_wait, error);
}

const IohEngine ioh_engine_splice = {
    .name = "splice",
    .summary = N_ ("moves pages through a pipe of its own, without copying them here"),
    .restores_direct = TRUE,
    .usable = splice_usable,
    .begin = splice_begin,
    .save_step = splice_save_step,
    .restore_step = splice_restore_step,
    .settle = NULL,
    .save_rest = splice_save_rest,
    .end = splice_end,
};
