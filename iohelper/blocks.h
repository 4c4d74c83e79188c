/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BLOCKS_H
#define IOH_BLOCKS_H

#include <glib.h>
#include <stdint.h>

#include "plan.h"
#include "queue.h"
#include "report.h"
#include "storage.h"

typedef enum {
    IOH_BLOCK_FREE,
    IOH_BLOCK_USED,      /* the engine has data or plans for it */
    IOH_BLOCK_IN_FLIGHT, /* the kernel has it */
    IOH_BLOCK_FINISHED,  /* all of the request is done, or (reads) the file has ended */
    IOH_BLOCK_FAILED,    /* still to be looked at */
} IohBlockState;

/* Memory for one block of the file, every byte at its place in it: what is aligned in the file is
 * aligned in memory. */
typedef struct {
    IohBlockState state;
    char *memory;
    uint64_t base; /* where in the file the memory begins, a multiple of the block size */
    size_t begin;  /* the stream's part of it */
    size_t end;
    gboolean cached; /* restore: it lay in the page cache before we came */
    IohRequest request;
} IohBlock;

/* The blocks of a file that are under way, and their queue. */
typedef struct {
    IohStorage *storage; /* borrowed */
    IohRequestKind kind;
    IohQueue *queue;
    unsigned count;
    size_t bytes; /* of one */
    char *memory; /* of all */
    size_t memory_bytes;
    IohBlock *blocks;
} IohBlocks;

/* Makes blocks and queue as PLAN says. ioh_blocks_clear may follow whatever happens. */
gboolean ioh_blocks_init (IohBlocks *blocks, const IohPlan *plan, IohStorage *storage,
                          IohRequestKind kind, IohReport *report, GError **error);

/* Nothing may be in flight. */
void ioh_blocks_clear (IohBlocks *blocks);

/* A block that is free, or NULL. */
IohBlock *ioh_blocks_find_free (IohBlocks *blocks);

/* Makes the block USED for the part of the file from POSITION on. */
void ioh_block_begin (IohBlocks *blocks, IohBlock *block, uint64_t position);

/* Puts the request for its bytes from FIRST up to LAST under way. */
gboolean ioh_blocks_submit (IohBlocks *blocks, IohBlock *block, size_t first, size_t last,
                            GError **error);

/* Takes notice of what the queue has finished; never waits for it unless something failed. Direct
 * I/O that was refused goes on without. FALSE with the error set: the failure that is first in the
 * file, and nothing is in flight any more. */
gboolean ioh_blocks_reap (IohBlocks *blocks, GError **error);

/* Waits for everything in flight. */
gboolean ioh_blocks_settle (IohBlocks *blocks, GError **error);

#endif
