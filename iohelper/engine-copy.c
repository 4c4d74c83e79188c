/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * engine-copy - plain reads and writes through one buffer.
 *
 * Owns that buffer. Always there, for all ends; the reference the other engines are tested against.
 * On a save it fills the buffer up to a boundary of the block size before it writes, so that short
 * reads never become odd requests to the file.
 */
#include "engine-copy.h"

#include <errno.h>

#include "buffers.h"
#include "error.h"
#include "i18n.h"
#include "job.h"
#include "sys.h"

typedef struct {
    IohJob *job;
    char *buffer;
    size_t bytes;   /* of the buffer: one block */
    size_t fill;    /* bytes in it */
    size_t given;   /* of these, already handed over */
    gboolean ended; /* the origin has no more */
} EngineCopy;

static gboolean
copy_usable (const IohFacts *facts, IohDirection direction, const char **out_why)
{
    *out_why = N_ ("plain reads and writes work everywhere");
    return TRUE;
}

static void
copy_end (gpointer state)
{
    EngineCopy *copy = state;

    if (copy == NULL)
        return;
    ioh_buffer_free (copy->buffer, copy->bytes);
    g_free (copy);
}

static gpointer
copy_begin (IohJob *job, GError **error)
{
    EngineCopy *copy = g_new0 (EngineCopy, 1);

    copy->job = job;
    copy->bytes = job->plan->block_bytes;
    if (job->plan->direction == IOH_SAVE)
        ioh_sys_work_in_batches ();
    copy->buffer = ioh_buffer_new (copy->bytes, job->plan->memory_align, error);
    if (copy->buffer == NULL) {
        copy_end (copy);
        return NULL;
    }
    return copy;
}

/* Counts BYTES as handed over. */
static void
copy_gave (EngineCopy *copy, size_t bytes)
{
    copy->given += bytes;
    copy->job->delivered += bytes;
    if (copy->given == copy->fill)
        copy->given = copy->fill = 0;
}

static IohStep
copy_stream_failed (EngineCopy *copy, IohStage stage, uint64_t offset, ssize_t result,
                    GError **error)
{
    const IohPlace place = ioh_transport_place (&copy->job->transport, stage, offset);

    ioh_error_errno (error, &place, (int) -result);
    return IOH_STEP_FAILED;
}

/* How full the buffer is to be before it is written: to the next block boundary of the file. */
static size_t
copy_save_goal (const EngineCopy *copy)
{
    uint64_t position = copy->job->plan->offset + copy->job->delivered;

    return copy->bytes - (size_t) (position % copy->bytes);
}

static IohStep
copy_save_take (EngineCopy *copy, size_t goal, IohWait *out_wait, GError **error)
{
    IohJob *job = copy->job;
    ssize_t got =
        ioh_transport_read (&job->transport, copy->buffer + copy->fill, goal - copy->fill);

    if (got == -EAGAIN)
        return ioh_transport_wait (&job->transport, POLLIN, out_wait);
    if (got < 0)
        return copy_stream_failed (copy, IOH_STAGE_READ, job->taken, got, error);
    copy->ended = got == 0;
    copy->fill += (size_t) got;
    job->taken += (size_t) got;
    return IOH_STEP_MOVED;
}

static IohStep
copy_save_give (EngineCopy *copy, IohWait *out_wait, GError **error)
{
    IohJob *job = copy->job;
    size_t bytes = 0;
    IohStep step = ioh_sink_put (job->sink, copy->buffer + copy->given, copy->fill - copy->given,
                                 job->delivered, &bytes, out_wait, error);

    if (step == IOH_STEP_MOVED)
        copy_gave (copy, bytes);
    return step;
}

static IohStep
copy_save_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineCopy *copy = state;
    IohStep step = IOH_STEP_MOVED;

    while (copy->given == 0 && !copy->ended && step == IOH_STEP_MOVED) {
        size_t goal = copy_save_goal (copy);
        if (copy->fill == goal)
            break;
        step = copy_save_take (copy, goal, out_wait, error);
    }
    /* a stream's reader gets what there is; a file waits for whole blocks */
    if (step == IOH_STEP_FAILED || (step == IOH_STEP_WAIT && copy->job->sink->seekable))
        return step;
    if (copy->fill > 0)
        return copy_save_give (copy, out_wait, error);
    return copy->ended ? IOH_STEP_DONE : step;
}

static gboolean
copy_save_rest (gpointer state, GError **error)
{
    EngineCopy *copy = state;
    IohJob *job = copy->job;
    size_t bytes = copy->fill - copy->given;

    if (!ioh_sink_write_at (job->sink, copy->buffer + copy->given, bytes,
                            job->plan->offset + job->delivered, error))
        return FALSE;
    copy_gave (copy, bytes);
    return TRUE;
}

/* While the image keeps us waiting, the reader may go: poll tells by an error nobody asks for. */
static IohStep
copy_watch_reader (EngineCopy *copy, IohWait *wait, GError **error)
{
    struct pollfd reader = {.fd = copy->job->transport.channel.fd};

    if (ioh_sys_poll (&reader, 1, 0) > 0)
        return copy_stream_failed (copy, IOH_STAGE_WRITE, copy->job->delivered, -EPIPE, error);
    wait->fds[wait->count++] = reader;
    return IOH_STEP_WAIT;
}

static IohStep
copy_restore_take (EngineCopy *copy, IohWait *out_wait, GError **error)
{
    IohJob *job = copy->job;
    size_t got = 0;
    IohStep step = ioh_source_read (job->source, copy->buffer, copy->bytes, &got, out_wait, error);

    if (step == IOH_STEP_WAIT)
        return copy_watch_reader (copy, out_wait, error);
    copy->fill = got;
    job->taken += got;
    return step;
}

static IohStep
copy_restore_give (EngineCopy *copy, IohWait *out_wait, GError **error)
{
    IohJob *job = copy->job;
    ssize_t gave =
        ioh_transport_write (&job->transport, copy->buffer + copy->given, copy->fill - copy->given);

    if (gave == -EAGAIN)
        return ioh_transport_wait (&job->transport, POLLOUT, out_wait);
    if (gave < 0)
        return copy_stream_failed (copy, IOH_STAGE_WRITE, job->delivered, gave, error);
    copy_gave (copy, (size_t) gave);
    return IOH_STEP_MOVED;
}

static IohStep
copy_restore_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineCopy *copy = state;

    if (copy->fill == 0) {
        IohStep step = copy_restore_take (copy, out_wait, error);
        if (step != IOH_STEP_MOVED)
            return step;
    }
    return copy_restore_give (copy, out_wait, error);
}

const IohEngine ioh_engine_copy = {
    .name = "copy",
    .summary = N_ ("plain reads and writes through one buffer"),
    .saves_direct = TRUE,
    .restores_direct = TRUE,
    .usable = copy_usable,
    .begin = copy_begin,
    .save_step = copy_save_step,
    .restore_step = copy_restore_step,
    .settle = NULL,
    .save_rest = copy_save_rest,
    .end = copy_end,
};
