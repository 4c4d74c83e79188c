/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PLAN_H
#define IOH_PLAN_H

#include <glib.h>
#include <stdint.h>

#include "engine.h"
#include "options.h"
#include "probe.h"

/* How the target comes into being. */
typedef enum {
    IOH_PUBLISH_UNNAMED,  /* O_TMPFILE, then a name */
    IOH_PUBLISH_NAMED,    /* a temporary name, then the real one */
    IOH_PUBLISH_IN_PLACE, /* written where it is; also descriptors and devices */
} IohPublish;

/* What was decided and why. Const once made. Reasons are for people, translated. */
struct IohPlan {
    IohDirection direction;

    const IohEngine *engine;
    const IohEngine *step_down; /* goes on when ENGINE meets what it cannot do; NULL: that fails */
    char *engine_reason;

    IohQueueKind queue;        /* never auto, where the engine has one */
    gboolean queue_steps_down; /* threads may take its place */
    char *queue_reason;        /* NULL when the engine has no queue */

    IohCache cache;            /* never auto */
    gboolean cache_steps_down; /* direct may become drop when the file refuses it */
    char *cache_reason;

    IohSync sync;
    char *sync_reason; /* as the next, NULL for a restore, which writes no file */

    IohPublish publish;
    char *publish_reason;

    int pipe_bytes;     /* wanted for the stream's pipe, 0 when it is none */
    size_t block_bytes; /* one request to the file, a multiple of file_align */
    size_t batch_bytes; /* how much to move at once, for the rate's sake; SIZE_MAX: any */
    unsigned queue_depth;
    size_t memory_align;
    size_t file_align; /* what offsets and lengths of direct requests are multiples of */
    const char *align_origin;

    uint64_t offset;       /* where in the file the stream begins */
    uint64_t expect_bytes; /* IOH_UNSET when not known */
    uint64_t limit_bytes;  /* restore: the stream ends after so many; UINT64_MAX: at end of file */
};

/* Decides. Pure: the same options and facts give the same plan. NULL with an error when what was
 * asked cannot be done: nothing has been touched then. */
IohPlan *ioh_plan_new (const IohOptions *options, const IohFacts *facts, GError **error);
void ioh_plan_free (IohPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohPlan, ioh_plan_free)

/* The queue that auto means with FACTS. *OUT_REASON says why; the caller frees it. */
IohQueueKind ioh_plan_queue (const IohFacts *facts, char **out_reason);

const char *ioh_publish_name (IohPublish publish);

/* The plan and its reasons, one aligned line each, broken where it has no room in COLUMNS (0: not
 * broken); the caller frees it. */
char *ioh_plan_explain (const IohPlan *plan, const IohOptions *options, const IohFacts *facts,
                        int columns);

#endif
