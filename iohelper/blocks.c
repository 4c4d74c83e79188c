/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * blocks - the parts of a file that are being read or written.
 *
 * Owns their memory and what becomes of a request: the odd rest of a short one, a direct one that
 * the file refuses, the failure that counts when several fail. Must never touch the memory of a
 * block that is in flight.
 */
#include "blocks.h"

#include <errno.h>

#include "buffers.h"
#include "error.h"
#include "i18n.h"
#include "sys.h"

static gboolean
blocks_make_queue (IohBlocks *blocks, const IohPlan *plan, IohReport *report, GError **error)
{
    const IohQueueSetup setup = {
        .depth = plan->queue_depth,
        .memory = blocks->memory,
        .buffer_bytes = plan->block_bytes,
        .align = plan->file_align,
    };
    int refused = ioh_queue_new (plan->queue, &setup, &blocks->queue);
    int result = refused;

    if (refused < 0 && plan->queue_steps_down)
        result = ioh_queue_new (IOH_QUEUE_THREADS, &setup, &blocks->queue);
    if (result >= 0 && refused < 0)
        ioh_report_step_down (report, IOH_REPORT_QUEUE, ioh_wire_queue_name (plan->queue),
                              ioh_wire_queue_name (IOH_QUEUE_THREADS), IOH_NO_OFFSET,
                              g_strerror (-refused));
    if (result < 0)
        return ioh_error_internal (error, _ ("cannot queue requests"), -result);
    return TRUE;
}

gboolean
ioh_blocks_init (IohBlocks *blocks, const IohPlan *plan, IohStorage *storage, IohRequestKind kind,
                 IohReport *report, GError **error)
{
    *blocks = (IohBlocks){
        .storage = storage,
        .kind = kind,
        .count = plan->queue_depth,
        .bytes = plan->block_bytes,
    };
    /* what has no size is refused like what is too large */
    if (!g_size_checked_mul (&blocks->memory_bytes, plan->queue_depth, plan->block_bytes))
        blocks->memory_bytes = SIZE_MAX;
    blocks->memory = ioh_buffer_new (blocks->memory_bytes, plan->memory_align, error);
    if (blocks->memory == NULL)
        return FALSE;
    blocks->blocks = g_new0 (IohBlock, blocks->count);
    for (unsigned i = 0; i < blocks->count; i++) {
        blocks->blocks[i].memory = blocks->memory + i * blocks->bytes;
        blocks->blocks[i].request.buffer_index = i;
    }
    return blocks_make_queue (blocks, plan, report, error);
}

void
ioh_blocks_clear (IohBlocks *blocks)
{
    ioh_queue_free (blocks->queue);
    ioh_buffer_free (blocks->memory, blocks->memory_bytes);
    g_free (blocks->blocks);
    *blocks = (IohBlocks){0};
}

IohBlock *
ioh_blocks_find_free (IohBlocks *blocks)
{
    for (unsigned i = 0; i < blocks->count; i++)
        if (blocks->blocks[i].state == IOH_BLOCK_FREE)
            return &blocks->blocks[i];
    return NULL;
}

void
ioh_block_begin (IohBlocks *blocks, IohBlock *block, uint64_t position)
{
    block->state = IOH_BLOCK_USED;
    block->begin = (size_t) (position % blocks->bytes);
    block->end = block->begin;
    block->base = position - block->begin;
}

static IohStage
blocks_stage (const IohBlocks *blocks)
{
    return blocks->kind == IOH_REQUEST_READ ? IOH_STAGE_READ : IOH_STAGE_WRITE;
}

/* Does what is left of a request here and now, for rests that are odd and files that cannot be had
 * without O_DIRECT. */
static gboolean
blocks_carry_out (IohBlocks *blocks, IohBlock *block, GError **error)
{
    IohRequest *request = &block->request;
    gboolean reads = blocks->kind == IOH_REQUEST_READ;
    size_t bytes = 1;

    while (request->done < request->length && bytes > 0) {
        char *buffer = request->buffer + request->done;
        size_t left = request->length - request->done;
        uint64_t offset = request->offset + request->done;
        gboolean moved =
            reads ? ioh_storage_read (blocks->storage, buffer, left, offset, &bytes, error)
                  : ioh_storage_write (blocks->storage, buffer, left, offset, &bytes, error);
        if (!moved) {
            block->state = IOH_BLOCK_FAILED;
            return FALSE;
        }
        request->done += bytes;
    }
    block->state = IOH_BLOCK_FINISHED;
    return TRUE;
}

/* Puts the rest of a prepared request under way. */
static gboolean
blocks_start (IohBlocks *blocks, IohBlock *block, GError **error)
{
    IohStorage *storage = blocks->storage;
    IohRequest *request = &block->request;

    request->fd = storage->direct_fd >= 0 ? storage->direct_fd : ioh_storage_plain_fd (storage);
    if (request->fd < 0)
        return blocks_carry_out (blocks, block, error);
    int result = ioh_queue_submit (blocks->queue, request);
    if (result < 0)
        return ioh_error_internal (error, _ ("cannot queue a request"), -result);
    block->state = IOH_BLOCK_IN_FLIGHT;
    return TRUE;
}

gboolean
ioh_blocks_submit (IohBlocks *blocks, IohBlock *block, size_t first, size_t last, GError **error)
{
    IohRequest *request = &block->request;

    request->kind = blocks->kind;
    request->buffer = block->memory + first;
    request->length = last - first;
    request->offset = block->base + first;
    request->done = 0;
    return blocks_start (blocks, block, error);
}

/* Whether a short read is the end of a regular file. Asking saves a read at an odd offset, which
 * O_DIRECT would refuse. */
static gboolean
blocks_at_end (const IohBlocks *blocks, const IohRequest *request)
{
    struct stat st;

    return blocks->kind == IOH_REQUEST_READ && ioh_sys_fstat (blocks->storage->fd, &st) >= 0 &&
           S_ISREG (st.st_mode) && request->offset + request->done >= (uint64_t) st.st_size;
}

/* Looks at the answer to a request that the queue has given back. */
static gboolean
blocks_take (IohBlocks *blocks, IohRequest *request, GError **error)
{
    IohBlock *block = &blocks->blocks[request->buffer_index];

    /* a write that takes nothing and says nothing: the end of a device */
    if (request->result == 0 && request->kind == IOH_REQUEST_WRITE)
        request->result = -ENOSPC;
    block->state = request->result < 0 ? IOH_BLOCK_FAILED : IOH_BLOCK_FINISHED;
    if (request->result <= 0 || request->done == request->length || blocks_at_end (blocks, request))
        return TRUE;
    return blocks_carry_out (blocks, block, error);
}

static gboolean
blocks_is_refusal (const IohBlock *block)
{
    return block->request.result == -EINVAL || block->request.result == -EOPNOTSUPP;
}

/* The failed block that counts: a failure rather than a refusal, and the first in the file. */
static IohBlock *
blocks_find_failed (const IohBlocks *blocks)
{
    IohBlock *found = NULL;

    for (unsigned i = 0; i < blocks->count; i++) {
        IohBlock *block = &blocks->blocks[i];
        if (block->state != IOH_BLOCK_FAILED)
            continue;
        gboolean counts = found == NULL || blocks_is_refusal (found) > blocks_is_refusal (block);
        if (counts ||
            (blocks_is_refusal (found) == blocks_is_refusal (block) && block->base < found->base))
            found = block;
    }
    return found;
}

/* Something failed and everything has come back: gives up direct I/O where that was refused and
 * starts again what was refused, or fails. */
static gboolean
blocks_recover (IohBlocks *blocks, IohBlock *failed, GError **error)
{
    const IohRequest *request = &failed->request;
    uint64_t offset = request->offset + request->done;
    int result = (int) request->result;
    gboolean goes_on = TRUE;

    if (blocks->storage->direct_fd < 0)
        return ioh_storage_failed (blocks->storage, blocks_stage (blocks), offset, result, error);
    if (!ioh_storage_step_down (blocks->storage, blocks_stage (blocks), offset, result, error))
        return FALSE;
    for (unsigned i = 0; i < blocks->count && goes_on; i++)
        if (blocks->blocks[i].state == IOH_BLOCK_FAILED)
            goes_on = blocks_start (blocks, &blocks->blocks[i], error);
    return goes_on;
}

gboolean
ioh_blocks_settle (IohBlocks *blocks, GError **error)
{
    gboolean taken = TRUE;
    IohRequest *request;

    while (blocks->queue != NULL && (request = ioh_queue_wait (blocks->queue)) != NULL)
        taken = blocks_take (blocks, request, taken ? error : NULL) && taken;
    IohBlock *failed = taken ? blocks_find_failed (blocks) : NULL;
    if (failed != NULL)
        return ioh_storage_failed (blocks->storage, blocks_stage (blocks),
                                   failed->request.offset + failed->request.done,
                                   (int) failed->request.result, error);
    return taken;
}

gboolean
ioh_blocks_reap (IohBlocks *blocks, GError **error)
{
    IohRequest *request;
    gboolean taken = TRUE;

    while (taken && (request = ioh_queue_reap (blocks->queue)) != NULL)
        taken = blocks_take (blocks, request, error);
    if (taken && blocks_find_failed (blocks) == NULL)
        return TRUE;
    /* nothing new is begun: what is under way may fail earlier in the file */
    while ((request = ioh_queue_wait (blocks->queue)) != NULL)
        taken = blocks_take (blocks, request, taken ? error : NULL) && taken;
    return taken && blocks_recover (blocks, blocks_find_failed (blocks), error);
}
