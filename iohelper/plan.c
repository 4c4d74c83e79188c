/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plan - decides what is done, from what was asked and what is so.
 *
 * Pure: looks at options and facts, calls nothing, touches nothing. Every decision carries one
 * reason, which --explain and the report show. Besides engine.c the only place that prefers one
 * engine to another.
 */
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "i18n.h"
#include "rate.h"

const char *
ioh_publish_name (IohPublish publish)
{
    static const char *const names[] = {
        [IOH_PUBLISH_UNNAMED] = "unnamed",
        [IOH_PUBLISH_NAMED] = "named",
        [IOH_PUBLISH_IN_PLACE] = "in-place",
    };
    return names[publish];
}

static IohPlace
plan_file_place (const IohOptions *options)
{
    return (IohPlace){IOH_SIDE_FILE, options->file_name, IOH_STAGE_CHECK, IOH_NO_OFFSET};
}

/* Whether ENGINE reaches the file with O_DIRECT in the direction of PLAN. */
static gboolean
plan_goes_direct (const IohPlan *plan, const IohEngine *engine)
{
    return plan->direction == IOH_SAVE ? engine->saves_direct : engine->restores_direct;
}

/* An engine that was named is used or refused. */
static gboolean
plan_engine_named (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    const char *why = NULL;

    if (g_str_equal (options->engine, "auto"))
        return TRUE;
    plan->engine = ioh_engine_find (options->engine);
    if (!plan->engine->usable (facts, plan->direction, &why))
        return ioh_error_usage (error, _ ("engine %s cannot be used here: %s"), options->engine,
                                _ (why));
    plan->engine_reason = g_strdup (_ ("asked for"));
    return TRUE;
}

/* A queue of requests pays where each waits for the disk; the page cache is faster without. What
 * goes through the page cache is of no use for direct I/O. */
static gboolean
plan_prefers (const IohPlan *plan, const IohEngine *engine)
{
    return plan->cache == IOH_CACHE_DIRECT ? plan_goes_direct (plan, engine) : !engine->queues;
}

/* The first engine of the table that fits; the last, which can do everything, stands behind it. */
static gboolean
plan_engine_auto (IohPlan *plan, const IohFacts *facts)
{
    const char *why = NULL;
    const IohEngine *engine;

    if (plan->engine != NULL)
        return TRUE;
    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        gboolean fits =
            plan_prefers (plan, engine) && engine->usable (facts, plan->direction, &why);
        if (fits && plan->engine == NULL) {
            plan->engine = engine;
            plan->engine_reason = g_strdup (_ (why));
        } else if (fits) {
            plan->step_down = engine;
        }
    }
    return TRUE;
}

static const char *
plan_no_io_uring (int error_number)
{
    return error_number == ENOPKG ? _ ("this build is without it") : g_strerror (error_number);
}

IohQueueKind
ioh_plan_queue (const IohFacts *facts, char **out_reason)
{
    /* who was not asked is tried */
    if (facts->io_uring_errno <= 0) {
        *out_reason = g_strdup (_ ("the kernel lets us use it"));
        return IOH_QUEUE_IO_URING;
    }
    *out_reason = g_strdup_printf (_ ("no io_uring: %s"), plan_no_io_uring (facts->io_uring_errno));
    return IOH_QUEUE_THREADS;
}

/* What carries the engine's requests. */
static gboolean
plan_queue (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    if (!plan->engine->queues)
        return TRUE;
    if (facts->io_uring_errno > 0 && options->queue == IOH_QUEUE_IO_URING)
        return ioh_error_usage (error, _ ("--queue=io_uring cannot be used here: %s"),
                                plan_no_io_uring (facts->io_uring_errno));
    plan->queue_depth = options->queue_depth;
    plan->queue = options->queue;
    if (options->queue == IOH_QUEUE_AUTO)
        plan->queue = ioh_plan_queue (facts, &plan->queue_reason);
    else
        plan->queue_reason = g_strdup (_ ("asked for"));
    plan->queue_steps_down = options->queue == IOH_QUEUE_AUTO && plan->queue == IOH_QUEUE_IO_URING;
    return TRUE;
}

static gboolean
plan_cache_is (IohPlan *plan, IohCache cache, gboolean steps_down, const char *reason)
{
    plan->cache = cache;
    plan->cache_steps_down = steps_down;
    plan->cache_reason = g_strdup (reason);
    return TRUE;
}

static gboolean
plan_cache_refused (const IohOptions *options, const char *why, GError **error)
{
    const IohPlace place = plan_file_place (options);

    return ioh_error_set (error, IOH_EXIT_FILE, &place,
                          _ ("direct I/O is not supported here (%s); use --cache=auto"), why);
}

static gboolean
plan_cache_auto (IohPlan *plan, const IohEndFacts *file)
{
    if (file->direct_flag)
        return plan_cache_is (plan, IOH_CACHE_DIRECT, TRUE, _ ("the descriptor carries O_DIRECT"));
    if (file->direct == IOH_DIRECT_NO)
        return plan_cache_is (plan, IOH_CACHE_DROP, FALSE, _ (file->direct_why));
    return plan_cache_is (plan, IOH_CACHE_DIRECT, TRUE, _ (file->direct_why));
}

static gboolean
plan_cache (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    const IohEndFacts *file = &facts->file;

    if (!file->seekable) {
        if (options->cache == IOH_CACHE_DIRECT)
            return plan_cache_refused (options, ioh_end_kind_name (file->kind), error);
        return plan_cache_is (plan, IOH_CACHE_KEEP, FALSE,
                              _ ("no page cache is involved with this kind of file"));
    }
    if (plan->engine != NULL && !plan_goes_direct (plan, plan->engine)) {
        if (options->cache == IOH_CACHE_DIRECT)
            return ioh_error_usage (error, _ ("engine %s cannot be used with --cache=direct"),
                                    plan->engine->name);
        if (options->cache == IOH_CACHE_AUTO)
            return plan_cache_is (plan, IOH_CACHE_DROP, FALSE,
                                  _ ("the engine goes through the page cache"));
    }
    if (options->cache == IOH_CACHE_AUTO)
        return plan_cache_auto (plan, file);
    if (options->cache == IOH_CACHE_DIRECT && file->direct == IOH_DIRECT_NO)
        return plan_cache_refused (options, _ (file->direct_why), error);
    return plan_cache_is (plan, options->cache, FALSE, _ ("asked for"));
}

static gboolean
plan_publish (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    const IohEndFacts *file = &facts->file;
    const IohPlace place = plan_file_place (options);
    gboolean there = file->kind == IOH_END_REGULAR;

    plan->publish = IOH_PUBLISH_IN_PLACE;
    if (plan->direction == IOH_RESTORE)
        return TRUE;
    if (options->file_fd >= 0) {
        plan->publish_reason = g_strdup (_ ("the caller opened the descriptor"));
    } else if (!there && file->kind != IOH_END_MISSING) {
        plan->publish_reason = g_strdup (_ ("only regular files are created and renamed"));
    } else if (there && options->exists == IOH_EXISTS_REFUSE) {
        return ioh_error_errno (error, &place, EEXIST);
    } else if (there && options->exists == IOH_EXISTS_OVERWRITE) {
        plan->publish_reason = g_strdup (_ ("asked for by --exists=overwrite"));
    } else if (file->unnamed) {
        plan->publish = IOH_PUBLISH_UNNAMED;
        plan->publish_reason = g_strdup (_ ("the file system creates files without a name"));
    } else {
        plan->publish = IOH_PUBLISH_NAMED;
        plan->publish_reason = g_strdup (_ ("the file system cannot create files without a name"));
    }
    return TRUE;
}

static const char *
plan_sync_reason (gboolean flushes, IohSync asked)
{
    if (!flushes)
        return _ ("this kind of file has nothing to flush");
    return asked == IOH_SYNC_FULL ? _ ("the default") : _ ("asked for");
}

static gboolean
plan_sync (IohPlan *plan, const IohOptions *options, const IohFacts *facts)
{
    gboolean flushes = plan->direction == IOH_SAVE && facts->file.seekable;

    plan->sync = flushes ? options->sync : IOH_SYNC_NONE;
    if (plan->direction == IOH_SAVE)
        plan->sync_reason = g_strdup (plan_sync_reason (flushes, options->sync));
    return TRUE;
}

static gboolean
plan_offset (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    if (options->offset == IOH_UNSET)
        plan->offset = facts->file.position;
    else if (options->offset > 0 && !facts->file.seekable)
        return ioh_error_usage (error, _ ("--%s: %s (%s) has no positions"), IOH_OPTION_OFFSET,
                                options->file_name, ioh_end_kind_name (facts->file.kind));
    else if (facts->file.appends && options->offset != facts->file.position)
        /* the kernel would put every write behind the end, wherever it was meant to go */
        return ioh_error_usage (
            error, _ ("--%s: %s appends, its stream begins at byte %" PRIu64 " and nowhere else"),
            IOH_OPTION_OFFSET, options->file_name, facts->file.position);
    else
        plan->offset = options->offset;
    return TRUE;
}

/* Refuses a stream that cannot fit before its first byte is taken. */
static gboolean
plan_check_room (const IohPlan *plan, const IohOptions *options, const IohFacts *facts,
                 GError **error)
{
    const IohPlace place = plan_file_place (options);
    const IohEndFacts *file = &facts->file;
    uint64_t wanted = options->expect_bytes;

    if (wanted == IOH_UNSET || !file->seekable)
        return TRUE;
    if (wanted > file->room)
        return ioh_error_set (error, IOH_EXIT_NO_ROOM, &place,
                              _ ("the stream needs %" PRIu64 " bytes, %" PRIu64 " are available"),
                              wanted, file->room);
    if (wanted > file->size_limit || plan->offset > file->size_limit - wanted)
        return ioh_error_set (error, IOH_EXIT_NO_ROOM, &place,
                              _ ("the stream would end at byte %" PRIu64 ", the limit is %" PRIu64),
                              plan->offset + wanted, file->size_limit);
    return TRUE;
}

/* Refuses an image that is not as long as it is said to be before its first byte is sent. */
static gboolean
plan_check_image (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    const IohPlace place = plan_file_place (options);
    const IohEndFacts *file = &facts->file;
    uint64_t expected = options->expect_bytes;

    plan->limit_bytes = UINT64_MAX;
    if (!file->seekable)
        return TRUE;
    if (plan->offset > file->size)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place,
                              _ ("the offset lies %" PRIu64 " bytes behind its end"),
                              plan->offset - file->size);
    uint64_t available = file->size - plan->offset;
    if (available == 0 && file->size > 0 && !options->accept_empty)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place,
                              _ ("nothing lies behind the offset, %" PRIu64 ": it ends there"),
                              plan->offset);
    if (available == 0 && !options->accept_empty)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place, _ ("the image is empty"));
    if (expected == IOH_UNSET)
        return TRUE;
    if (available < expected)
        return ioh_error_set (
            error, IOH_EXIT_IMAGE, &place,
            _ ("the image is truncated: %" PRIu64 " of %" PRIu64 " bytes are missing"),
            expected - available, expected);
    if (available > expected && file->kind == IOH_END_REGULAR)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place,
                              _ ("the image has %" PRIu64 " bytes more than expected"),
                              available - expected);
    plan->limit_bytes = expected;
    return TRUE;
}

/* A file that is read from and written to at a time would be lost, or grow for ever. */
static gboolean
plan_check_distinct (const IohPlan *plan, const IohOptions *options, const IohFacts *facts,
                     GError **error)
{
    const struct stat *stream = &facts->stream.replaced;
    const struct stat *file = &facts->file.replaced;

    if (facts->stream.kind != IOH_END_REGULAR || facts->file.kind != IOH_END_REGULAR ||
        plan->publish != IOH_PUBLISH_IN_PLACE || stream->st_dev != file->st_dev ||
        stream->st_ino != file->st_ino)
        return TRUE;
    return ioh_error_usage (error, _ ("%s is both the stream and the file"), options->file_name);
}

static gboolean
plan_check (IohPlan *plan, const IohOptions *options, const IohFacts *facts, GError **error)
{
    plan->expect_bytes = options->expect_bytes;
    if (!plan_check_distinct (plan, options, facts, error))
        return FALSE;
    return plan->direction == IOH_SAVE ? plan_check_room (plan, options, facts, error)
                                       : plan_check_image (plan, options, facts, error);
}

static gboolean
plan_sizes (IohPlan *plan, const IohOptions *options, const IohFacts *facts)
{
    const IohEndFacts *file = &facts->file;
    size_t align = plan->direction == IOH_SAVE ? file->write_align : file->read_align;

    plan->pipe_bytes = facts->stream.kind == IOH_END_PIPE ? (int) options->pipe_bytes : 0;
    plan->memory_align = MAX (facts->page_bytes, file->memory_align);
    /* whole pages, so that a buffered head or tail never shares one with a direct request */
    plan->file_align = MAX (facts->page_bytes, align);
    plan->align_origin = file->align_origin;
    plan->batch_bytes = ioh_rate_batch_bytes (options->rate_bytes);
    plan->block_bytes = MIN (options->block_bytes, plan->batch_bytes) + plan->file_align - 1;
    plan->block_bytes -= plan->block_bytes % plan->file_align;
    return TRUE;
}

IohPlan *
ioh_plan_new (const IohOptions *options, const IohFacts *facts, GError **error)
{
    g_autoptr (IohPlan) plan = g_new0 (IohPlan, 1);

    plan->direction = options->direction;
    if (plan_engine_named (plan, options, facts, error) &&
        plan_cache (plan, options, facts, error) && plan_engine_auto (plan, facts) &&
        plan_queue (plan, options, facts, error) && plan_publish (plan, options, facts, error) &&
        plan_sync (plan, options, facts) && plan_offset (plan, options, facts, error) &&
        plan_check (plan, options, facts, error) && plan_sizes (plan, options, facts))
        return g_steal_pointer (&plan);
    return NULL;
}

void
ioh_plan_free (IohPlan *plan)
{
    if (plan == NULL)
        return;
    g_free (plan->engine_reason);
    g_free (plan->queue_reason);
    g_free (plan->cache_reason);
    g_free (plan->sync_reason);
    g_free (plan->publish_reason);
    g_free (plan);
}
