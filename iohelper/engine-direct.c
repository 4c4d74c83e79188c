/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * engine-direct - blocks of memory between the stream and a file that several requests are made of
 * at a time.
 *
 * Owns which block comes next. On a save a block is filled up to a boundary of the file, queued,
 * and the next is filled meanwhile; on a restore blocks are read ahead and given in order. May wait
 * for the file when something failed, never for the stream.
 */
#include "engine-direct.h"

#include <errno.h>

#include "blocks.h"
#include "error.h"
#include "i18n.h"
#include "intake.h"
#include "job.h"
#include "sys.h"

typedef struct {
    IohJob *job;
    IohBlocks blocks;
    uint64_t position; /* in the file: the next byte to take (save), to ask for (restore) */
    gboolean ended;    /* nothing comes after what is taken or asked for */

    /* save */
    IohIntake intake;
    IohBlock *filling; /* the block that is being filled, or NULL */

    /* restore: blocks are used in turn */
    unsigned head;      /* the block that is given next */
    unsigned asked;     /* blocks from there on that were asked for */
    size_t given;       /* bytes of the head that were handed over */
    uint64_t known_end; /* the file was at least as long at the beginning */
} EngineDirect;

static gboolean
direct_usable (const IohFacts *facts, IohDirection direction, const char **out_why)
{
    gboolean known = facts->file.kind != IOH_END_UNKNOWN;

    if (known && !facts->file.seekable) {
        *out_why = N_ ("this kind of file has no positions");
        return FALSE;
    }
    if (facts->file.appends) {
        *out_why = N_ ("the descriptor appends, which allows one write at a time");
        return FALSE;
    }
    *out_why = direction == IOH_SAVE ? N_ ("several writes under way while the stream is read")
                                     : N_ ("several reads under way ahead of the stream");
    return TRUE;
}

static void
direct_end (gpointer state)
{
    EngineDirect *direct = state;

    if (direct == NULL)
        return;
    ioh_blocks_clear (&direct->blocks);
    if (direct->job->sink != NULL)
        ioh_intake_clear (&direct->intake);
    g_free (direct);
}

/* Up to where reading ahead is worth it. */
static uint64_t
direct_known_end (const IohSource *source)
{
    struct stat st;

    if (source->kind == IOH_END_REGULAR && ioh_sys_fstat (source->storage.fd, &st) >= 0)
        return MIN (source->end, (uint64_t) st.st_size);
    return source->end;
}

static gboolean
direct_begin_save (EngineDirect *direct, GError **error)
{
    IohJob *job = direct->job;

    gboolean begun = ioh_blocks_init (&direct->blocks, job->plan, &job->sink->storage,
                                      IOH_REQUEST_WRITE, job->report, error);
    /* last: where there are few descriptors, it does without any */
    ioh_intake_init (&direct->intake, &job->transport);
    return begun;
}

static gboolean
direct_begin_restore (EngineDirect *direct, GError **error)
{
    IohJob *job = direct->job;

    if (!ioh_blocks_init (&direct->blocks, job->plan, &job->source->storage, IOH_REQUEST_READ,
                          job->report, error))
        return FALSE;
    direct->known_end = direct_known_end (job->source);
    return TRUE;
}

static gpointer
direct_begin (IohJob *job, GError **error)
{
    EngineDirect *direct = g_new0 (EngineDirect, 1);

    direct->job = job;
    direct->position = job->plan->offset;
    if (job->sink != NULL ? direct_begin_save (direct, error)
                          : direct_begin_restore (direct, error))
        return direct;
    direct_end (direct);
    return NULL;
}

static IohStep
direct_stream_failed (EngineDirect *direct, IohStage stage, uint64_t offset, ssize_t result,
                      GError **error)
{
    const IohPlace place = ioh_transport_place (&direct->job->transport, stage, offset);

    ioh_error_errno (error, &place, (int) -result);
    return IOH_STEP_FAILED;
}

/* Adds the queue to what is waited for, when something may come from it. */
static IohStep
direct_wait_also_for_queue (EngineDirect *direct, IohWait *wait)
{
    if (ioh_queue_in_flight (direct->blocks.queue) > 0)
        ioh_wait_also_for_news (wait, ioh_queue_fd (direct->blocks.queue));
    return IOH_STEP_WAIT;
}

static IohStep
direct_wait_for_queue (EngineDirect *direct, IohWait *wait)
{
    return ioh_wait_for_news (wait, ioh_queue_fd (direct->blocks.queue));
}

/* What requests are multiples of: nothing once direct I/O was given up. */
static size_t
direct_align (const IohStorage *storage)
{
    return storage->direct_fd >= 0 ? storage->align : 1;
}

/* Save */

/* Up to where in the file everything of a block is written, as far as is known. */
static uint64_t
direct_save_reached (const IohBlock *block)
{
    if (block->state == IOH_BLOCK_FAILED)
        return block->request.offset + block->request.done;
    return block->base + block->begin;
}

/* Lets go of what was written. What lies before the first block that is not, was delivered. */
static gboolean
direct_save_collect (EngineDirect *direct, GError **error)
{
    IohJob *job = direct->job;
    gboolean reaped = ioh_blocks_reap (&direct->blocks, error);
    uint64_t delivered = direct->position;

    for (unsigned i = 0; i < direct->blocks.count; i++) {
        IohBlock *block = &direct->blocks.blocks[i];
        if (block->state == IOH_BLOCK_FINISHED)
            block->state = IOH_BLOCK_FREE;
        if (block->state != IOH_BLOCK_FREE)
            delivered = MIN (delivered, direct_save_reached (block));
    }
    job->delivered = delivered - job->plan->offset;
    if (!reaped)
        return FALSE;
    return job->sink->storage.direct_fd >= 0 || ioh_sink_wrote (job->sink, delivered, error);
}

/* Writes odd bytes of a block through the page cache. What is under way lies before them: a failure
 * there is the one to tell. */
static gboolean
direct_save_odd (EngineDirect *direct, const IohBlock *block, size_t first, size_t last,
                 GError **error)
{
    g_autoptr (GError) failure = NULL;

    if (ioh_sink_write_at (direct->job->sink, block->memory + first, last - first,
                           block->base + first, &failure))
        return TRUE;
    if (ioh_blocks_settle (&direct->blocks, error))
        g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
}

/* Hands a block to the queue; what is odd at its ends goes through the page cache. */
static gboolean
direct_save_send (EngineDirect *direct, IohBlock *block, GError **error)
{
    IohSink *sink = direct->job->sink;
    size_t align = direct_align (&sink->storage);
    size_t first = (block->begin + align - 1) / align * align;
    size_t last = block->end / align * align;

    if (first >= last)
        first = last = block->end;
    if (!direct->ended)
        ioh_sink_reserve (sink, block->base + block->end);
    if (block->begin < first && !direct_save_odd (direct, block, block->begin, first, error))
        return FALSE;
    if (first < last && !ioh_blocks_submit (&direct->blocks, block, first, last, error))
        return FALSE;
    if (last < block->end && !direct_save_odd (direct, block, last, block->end, error))
        return FALSE;
    if (block->state == IOH_BLOCK_USED)
        block->state = IOH_BLOCK_FREE;
    return TRUE;
}

/* Fills the block from the stream: MOVED when it is full or the stream has ended. */
static IohStep
direct_save_fill (EngineDirect *direct, IohBlock *block, IohWait *out_wait, GError **error)
{
    IohJob *job = direct->job;

    while (!direct->ended && block->end < direct->blocks.bytes) {
        ssize_t got = ioh_intake_read (&direct->intake, block->memory + block->end,
                                       direct->blocks.bytes - block->end, &job->taken);
        if (got == -EAGAIN) {
            ioh_transport_wait (&job->transport, POLLIN, out_wait);
            return direct_wait_also_for_queue (direct, out_wait);
        }
        if (got < 0)
            return direct_stream_failed (direct, IOH_STAGE_READ, job->taken, got, error);
        direct->ended = got == 0;
        block->end += (size_t) got;
        direct->position += (uint64_t) got;
    }
    return IOH_STEP_MOVED;
}

/* The block that is being filled, NULL when all are under way. */
static IohBlock *
direct_save_block (EngineDirect *direct)
{
    if (direct->filling == NULL) {
        direct->filling = ioh_blocks_find_free (&direct->blocks);
        if (direct->filling != NULL)
            ioh_block_begin (&direct->blocks, direct->filling, direct->position);
    }
    return direct->filling;
}

/* Fills and sends one block. */
static IohStep
direct_save_next (EngineDirect *direct, IohWait *out_wait, GError **error)
{
    IohBlock *block = direct_save_block (direct);

    if (block == NULL)
        return direct_wait_for_queue (direct, out_wait);
    IohStep step = direct_save_fill (direct, block, out_wait, error);
    if (step != IOH_STEP_MOVED)
        return step;
    direct->filling = NULL;
    return direct_save_send (direct, block, error) ? IOH_STEP_MOVED : IOH_STEP_FAILED;
}

/* Puts what our pipe holds behind what the block holds, as far as there is room. */
static gboolean
direct_save_fill_rest (EngineDirect *direct, IohBlock *block, GError **error)
{
    IohJob *job = direct->job;
    size_t bytes = MIN (direct->blocks.bytes - block->end, direct->intake.held);
    ssize_t got = 0;

    if (bytes > 0)
        got = ioh_intake_read (&direct->intake, block->memory + block->end, bytes, &job->taken);
    if (got < 0)
        return direct_stream_failed (direct, IOH_STAGE_READ, job->taken, got, error) !=
               IOH_STEP_FAILED;
    block->end += (size_t) got;
    direct->position += (uint64_t) got;
    return TRUE;
}

static gboolean
direct_save_rest (gpointer state, GError **error)
{
    EngineDirect *direct = state;
    IohJob *job = direct->job;
    gboolean written = direct_save_collect (direct, error);

    while (written && (direct->filling != NULL || direct->intake.held > 0)) {
        IohBlock *block = direct_save_block (direct);
        written = direct_save_fill_rest (direct, block, error) &&
                  ioh_sink_write_at (job->sink, block->memory + block->begin,
                                     block->end - block->begin, block->base + block->begin, error);
        block->state = IOH_BLOCK_FREE;
        direct->filling = NULL;
        if (written)
            job->delivered = direct->position - job->plan->offset;
    }
    return written;
}

static IohStep
direct_save_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineDirect *direct = state;

    if (!direct_save_collect (direct, error))
        return IOH_STEP_FAILED;
    if (!direct->ended)
        return direct_save_next (direct, out_wait, error);
    if (ioh_queue_in_flight (direct->blocks.queue) > 0)
        return direct_wait_for_queue (direct, out_wait);
    return IOH_STEP_DONE;
}

/* Restore */

static IohBlock *
direct_block_in_turn (EngineDirect *direct, unsigned turn)
{
    return &direct->blocks.blocks[(direct->head + turn) % direct->blocks.count];
}

/* Asks for the next block. */
static gboolean
direct_restore_ask (EngineDirect *direct, GError **error)
{
    IohSource *source = direct->job->source;
    IohBlock *block = direct_block_in_turn (direct, direct->asked);
    size_t align = direct_align (&source->storage);

    ioh_block_begin (&direct->blocks, block, direct->position);
    block->end = (size_t) MIN (direct->blocks.bytes, source->end - block->base);
    block->cached = ioh_source_was_cached (source, block->base, block->end);
    direct->position = block->base + block->end;
    direct->asked++;
    size_t first = block->begin / align * align;
    size_t last = (block->end + align - 1) / align * align;
    return ioh_blocks_submit (&direct->blocks, block, first, last, error);
}

/* Keeps blocks under way. Beyond the known end only the block that is wanted now is asked for: the
 * file may have grown, or be a device without a size. */
static gboolean
direct_restore_ask_ahead (EngineDirect *direct, GError **error)
{
    const IohSource *source = direct->job->source;
    gboolean asked = TRUE;

    while (asked && !direct->ended && direct->asked < direct->blocks.count &&
           direct->position < source->end &&
           (direct->asked == 0 || direct->position < direct->known_end))
        asked = direct_restore_ask (direct, error);
    return asked;
}

/* The head has come: its bytes count as taken, and a short one is the last. */
static void
direct_restore_arrived (EngineDirect *direct, IohBlock *block)
{
    IohSource *source = direct->job->source;
    const IohRequest *request = &block->request;
    uint64_t end = MIN (block->base + block->end, request->offset + request->done);

    ioh_source_leave (source, request->offset, request->offset + request->done, block->cached);
    if (end < block->base + block->end)
        direct->ended = TRUE;
    block->end = end > block->base + block->begin ? (size_t) (end - block->base) : block->begin;
    block->state = IOH_BLOCK_USED;
    direct->given = 0;
    direct->job->taken += block->end - block->begin;
    source->position = block->base + block->end;
}

/* While the image keeps us waiting, the reader may go: poll tells by an error nobody asks for. */
static IohStep
direct_restore_wait (EngineDirect *direct, IohWait *out_wait, GError **error)
{
    struct pollfd reader = {.fd = direct->job->transport.channel.fd};

    if (ioh_sys_poll (&reader, 1, 0) > 0)
        return direct_stream_failed (direct, IOH_STAGE_WRITE, direct->job->delivered, -EPIPE,
                                     error);
    direct_wait_for_queue (direct, out_wait);
    out_wait->fds[out_wait->count++] = reader;
    return IOH_STEP_WAIT;
}

static IohStep
direct_restore_give (EngineDirect *direct, IohBlock *block, IohWait *out_wait, GError **error)
{
    IohJob *job = direct->job;
    size_t left = block->end - block->begin - direct->given;

    if (left > 0) {
        ssize_t gave = ioh_transport_write (&job->transport,
                                            block->memory + block->begin + direct->given, left);
        if (gave == -EAGAIN)
            return ioh_transport_wait (&job->transport, POLLOUT, out_wait);
        if (gave < 0)
            return direct_stream_failed (direct, IOH_STAGE_WRITE, job->delivered, gave, error);
        direct->given += (size_t) gave;
        job->delivered += (size_t) gave;
        left -= (size_t) gave;
    }
    if (left == 0) {
        block->state = IOH_BLOCK_FREE;
        direct->head = (direct->head + 1) % direct->blocks.count;
        direct->asked--;
    }
    return IOH_STEP_MOVED;
}

static IohStep
direct_restore_step (gpointer state, IohWait *out_wait, GError **error)
{
    EngineDirect *direct = state;
    IohBlock *block = direct_block_in_turn (direct, 0);

    if (!ioh_blocks_reap (&direct->blocks, error) || !direct_restore_ask_ahead (direct, error))
        return IOH_STEP_FAILED;
    /* a block behind the last holds nothing of the stream */
    if (block->state == IOH_BLOCK_FREE || (direct->ended && block->state != IOH_BLOCK_USED))
        return IOH_STEP_DONE;
    if (block->state == IOH_BLOCK_IN_FLIGHT)
        return direct_restore_wait (direct, out_wait, error);
    if (block->state == IOH_BLOCK_FINISHED)
        direct_restore_arrived (direct, block);
    return direct_restore_give (direct, block, out_wait, error);
}

static gboolean
direct_settle (gpointer state, GError **error)
{
    EngineDirect *direct = state;
    gboolean save = direct->job->sink != NULL;

    /* what was read ahead is of no use any more, nor is its failure */
    return ioh_blocks_settle (&direct->blocks, save ? error : NULL) || !save;
}

const IohEngine ioh_engine_direct = {
    .name = "direct",
    .summary = N_ ("blocks of memory, several requests to the file under way"),
    .saves_direct = TRUE,
    .restores_direct = TRUE,
    .queues = TRUE,
    .usable = direct_usable,
    .begin = direct_begin,
    .save_step = direct_save_step,
    .restore_step = direct_restore_step,
    .settle = direct_settle,
    .save_rest = direct_save_rest,
    .end = direct_end,
};
