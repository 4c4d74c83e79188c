/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * run - carries out a plan: the only loop.
 *
 * Owns the job from the opening of its ends to their end, and the accounting of who kept it
 * waiting. Waits in one place, for the descriptors a step names and for a signal.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>

#include "confine.h"
#include "error.h"
#include "i18n.h"
#include "job.h"
#include "rate.h"
#include "sys.h"

typedef struct {
    const IohOptions *options;
    const IohFacts *facts;
    const IohPlan *plan;
    IohLinks links;
    IohJob job;
    IohResult result;
    IohRate rate;
    uint64_t activity;  /* of both sides at the last look */
    gint64 active_us;   /* when it changed */
    gboolean confined;  /* what the transfer does without was given up */
    gboolean signalled; /* a signal may have come: the last wait did not say otherwise */
} Run;

static gboolean
run_open (Run *run, GError **error)
{
    IohCancel *cancel = run->links.cancel;
    IohJob *job = &run->job;

    if (run->plan->direction == IOH_SAVE)
        job->sink = ioh_sink_open (run->options, run->plan, run->facts, cancel, job->report, error);
    else
        job->source =
            ioh_source_open (run->options, run->plan, run->facts, cancel, job->report, error);
    if (job->sink == NULL && job->source == NULL)
        return FALSE;
    gint64 begun_us = g_get_monotonic_time ();
    gboolean met = ioh_transport_open (&job->transport, run->options, run->plan, run->facts, cancel,
                                       job->report, error);
    run->result.wait_stream_us += g_get_monotonic_time () - begun_us;
    return met;
}

/* The end of an image is known beforehand, that of a stream only when it was told. */
static void
run_expect (const Run *run)
{
    const IohEndFacts *file = &run->facts->file;
    const IohPlan *plan = run->plan;
    uint64_t expected = plan->expect_bytes;

    if (expected == IOH_UNSET && plan->direction == IOH_RESTORE && file->kind == IOH_END_REGULAR)
        expected = file->size - plan->offset;
    ioh_progress_expect (run->links.progress, expected);
}

/* How long a wait may last before both sides have stood still for too long; -1: for ever. */
static gint64
run_patience_us (Run *run, gint64 now_us)
{
    uint64_t activity = run->job.taken + run->job.delivered;

    if (run->options->stall_us == 0)
        return -1;
    if (activity != run->activity || run->active_us == 0) {
        run->activity = activity;
        run->active_us = now_us;
    }
    return MAX (run->active_us + run->options->stall_us - now_us, 0);
}

static gboolean
run_stalled (const Run *run, const IohWait *wait, GError **error)
{
    gboolean stream = wait->side == IOH_SIDE_STREAM;
    gboolean reading = stream == (run->plan->direction == IOH_SAVE);
    gint64 seconds = run->options->stall_us / G_USEC_PER_SEC;
    const IohPlace place = {
        .side = wait->side,
        .name = stream ? run->options->stream_name : run->options->file_name,
        .stage = reading ? IOH_STAGE_READ : IOH_STAGE_WRITE,
        .offset = reading ? run->job.taken : run->job.delivered,
    };

    return ioh_error_set (error, stream ? IOH_EXIT_STREAM : IOH_EXIT_FILE, &place,
                          ngettext ("timed out: nothing has moved for %" PRId64 " second",
                                    "timed out: nothing has moved for %" PRId64 " seconds",
                                    seconds),
                          seconds);
}

/* Waits for what the engine named, or a signal. FALSE when nothing came of it for too long. */
static gboolean
run_wait (Run *run, IohWait *wait, GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    gint64 patience_us = run_patience_us (run, begun_us);
    gint64 timeout_us = wait->timeout_us;

    if (patience_us == 0)
        return run_stalled (run, wait, error);
    if (patience_us > 0 && (timeout_us < 0 || timeout_us > patience_us))
        timeout_us = patience_us;
    wait->fds[wait->count] = (struct pollfd){ioh_cancel_fd (run->links.cancel), POLLIN, 0};
    int result = ioh_sys_poll (wait->fds, wait->count + 1, timeout_us);
    run->signalled = wait->fds[wait->count].revents != 0;
    gint64 waited_us = g_get_monotonic_time () - begun_us;
    if (wait->side == IOH_SIDE_STREAM)
        run->result.wait_stream_us += waited_us;
    else
        run->result.wait_file_us += waited_us;
    /* going on without having waited would be to spin */
    return result >= 0 || ioh_error_internal (error, _ ("cannot wait"), -result);
}

/* Pauses when the transfer is faster than it may be. */
static void
run_keep_rate (Run *run)
{
    uint64_t bytes = run->plan->direction == IOH_SAVE ? run->job.taken : run->job.delivered;
    gint64 pause_us = ioh_rate_pause_us (&run->rate, bytes, g_get_monotonic_time ());
    struct pollfd signals = {ioh_cancel_fd (run->links.cancel), POLLIN, 0};

    if (pause_us > 0)
        ioh_sys_poll (&signals, 1, pause_us);
}

/* A stream longer than it should be is wrong before it ends. */
static gboolean
run_check_excess (const Run *run, GError **error)
{
    const IohJob *job = &run->job;

    if (run->plan->expect_bytes == IOH_UNSET || job->taken <= run->plan->expect_bytes)
        return TRUE;
    const IohPlace stream =
        ioh_transport_place (&job->transport, IOH_STAGE_READ, run->plan->expect_bytes);
    const IohPlace image = {IOH_SIDE_FILE, run->options->file_name, IOH_STAGE_READ,
                            run->plan->expect_bytes};
    gboolean save = run->plan->direction == IOH_SAVE;
    return ioh_error_set (error, save ? IOH_EXIT_STREAM : IOH_EXIT_IMAGE, save ? &stream : &image,
                          _ ("there are more than the %" PRIu64 " bytes expected"),
                          run->plan->expect_bytes);
}

/* Steps the engine until it is done, fails or cannot go on. */
static IohStep
run_steps (Run *run, const IohEngine *engine, gpointer state, GError **error)
{
    gboolean save = run->plan->direction == IOH_SAVE;
    IohStep step = IOH_STEP_MOVED;

    while (step == IOH_STEP_MOVED || step == IOH_STEP_WAIT) {
        IohWait wait = {.timeout_us = -1};
        if (run->signalled && ioh_cancel_signal (run->links.cancel) != 0)
            break;
        run->signalled = TRUE;
        step = save ? engine->save_step (state, &wait, error)
                    : engine->restore_step (state, &wait, error);
        ioh_progress_bytes (run->links.progress, run->job.delivered);
        if (step != IOH_STEP_FAILED && !run_check_excess (run, error))
            step = IOH_STEP_FAILED;
        if (step == IOH_STEP_WAIT && !run_wait (run, &wait, error))
            step = IOH_STEP_FAILED;
        if (step == IOH_STEP_MOVED && run->options->rate_bytes > 0)
            run_keep_rate (run);
    }
    return step;
}

/* The process is stopped: nothing half-made may stay. */
static void
run_clean_up (gpointer data)
{
    const Run *run = data;

    ioh_sink_drop (run->job.sink);
}

/* Everything is open. What comes now from the stream or the image comes from anybody. */
static void
run_confine (Run *run)
{
    if (run->confined || !run->links.own_process)
        return;
    run->confined = TRUE;
    ioh_confine (run->options, run->plan, run_clean_up, run, run->job.report);
}

/* TRUE when what has arrived is wanted although nothing comes of the save. A file that has failed
 * takes no more. */
static gboolean
run_wants_rest (const Run *run, IohStep step, const GError *error)
{
    const IohErrorPrivate *details = ioh_error_details (error);

    if (!run->options->keep_partial || run->job.sink == NULL || !run->job.sink->seekable ||
        step == IOH_STEP_UNSUPPORTED)
        return FALSE;
    return error == NULL || (details != NULL && details->side == IOH_SIDE_STREAM);
}

/* The first error is the one that counts: another is a note. */
static void
run_keep_rest (Run *run, const IohEngine *engine, gpointer state)
{
    g_autoptr (GError) failure = NULL;

    if (!engine->save_rest (state, &failure))
        ioh_report_note (run->job.report, _ ("what was kept ends early: %s"), failure->message);
}

/* Runs one engine from begin to end. What is in flight is waited for whatever happened; the first
 * error is the one that counts. */
static IohStep
run_engine (Run *run, const IohEngine *engine, GError **error)
{
    g_autoptr (GError) unsettled = NULL;
    gpointer state = engine->begin (&run->job, error);

    run->result.engine = engine;
    if (state == NULL)
        return IOH_STEP_UNSUPPORTED;
    run_confine (run);
    IohStep step = run_steps (run, engine, state, error);
    if (engine->settle != NULL && !engine->settle (state, &unsettled) && step != IOH_STEP_FAILED) {
        g_propagate_error (error, g_steal_pointer (&unsettled));
        step = IOH_STEP_FAILED;
    }
    if (run_wants_rest (run, step, *error))
        run_keep_rest (run, engine, state);
    engine->end (state);
    return step;
}

/* Runs the planned engine and, where it cannot begin or meets what it cannot do, the one behind. */
static IohStep
run_engines (Run *run, GError **error)
{
    const IohEngine *engine = run->plan->engine;
    g_autoptr (GError) failure = NULL;
    IohStep step = run_engine (run, engine, &failure);

    if (step == IOH_STEP_UNSUPPORTED && run->plan->step_down != NULL) {
        const char *reason = failure != NULL ? failure->message : _ ("the ends do not support it");
        ioh_report_step_down (run->job.report, IOH_REPORT_ENGINE, engine->name,
                              run->plan->step_down->name, run->job.delivered, reason);
        step = run_engine (run, run->plan->step_down, error);
        return step == IOH_STEP_UNSUPPORTED ? IOH_STEP_FAILED : step;
    }
    if (step == IOH_STEP_UNSUPPORTED && failure == NULL) {
        gboolean save = run->plan->direction == IOH_SAVE;
        const IohPlace place = ioh_transport_place (
            &run->job.transport, save ? IOH_STAGE_READ : IOH_STAGE_WRITE, run->job.delivered);
        ioh_error_set (&failure, IOH_EXIT_STREAM, &place,
                       _ ("engine %s cannot go on with these ends; use --engine=auto"),
                       engine->name);
    }
    if (failure != NULL)
        g_propagate_error (error, g_steal_pointer (&failure));
    return step == IOH_STEP_UNSUPPORTED ? IOH_STEP_FAILED : step;
}

/* The end of a stream is not yet success: a producer that was killed ends it as well. */
static gboolean
run_check_saved (const Run *run, GError **error)
{
    uint64_t expected = run->plan->expect_bytes;
    uint64_t bytes = run->job.delivered;
    const IohPlace place = ioh_transport_place (&run->job.transport, IOH_STAGE_READ, bytes);

    if (expected != IOH_UNSET && bytes < expected)
        return ioh_error_set (error, IOH_EXIT_STREAM, &place,
                              _ ("the stream ended after %" PRIu64 " of %" PRIu64 " bytes"), bytes,
                              expected);
    if (bytes == 0 && !run->options->accept_empty)
        return ioh_error_set (error, IOH_EXIT_STREAM, &place,
                              _ ("the stream is empty: 0 bytes received"));
    return TRUE;
}

static gboolean
run_check_restored (const Run *run, GError **error)
{
    uint64_t bytes = run->job.delivered;
    uint64_t expected = run->plan->expect_bytes;
    const IohPlace place =
        ioh_source_place (run->job.source, IOH_STAGE_READ, run->plan->offset + bytes);

    /* the size was looked at before; an image that shrank since ends too early all the same */
    if (expected == IOH_UNSET && run->facts->file.kind == IOH_END_REGULAR)
        expected = run->facts->file.size - run->plan->offset;
    if (expected != IOH_UNSET && bytes < expected)
        return ioh_error_set (
            error, IOH_EXIT_IMAGE, &place,
            _ ("the image is truncated: %" PRIu64 " of %" PRIu64 " bytes are missing"),
            expected - bytes, expected);
    if (bytes == 0 && !run->options->accept_empty)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place, _ ("the image is empty"));
    return TRUE;
}

/* What was saved appears only once the manager, if there is one, has said that all is well. */
static gboolean
run_finish_save (Run *run, GError **error)
{
    const IohLinks *links = &run->links;
    IohJob *job = &run->job;

    if (!run_check_saved (run, error))
        return FALSE;
    if (links->control != NULL)
        ioh_progress_phase (links->progress, IOH_PHASE_WAITING);
    if (!ioh_control_await (links->control, links->cancel, error))
        return FALSE;
    ioh_progress_phase (links->progress, IOH_PHASE_FLUSHING);
    if (!ioh_sink_flush (job->sink, run->plan->offset + job->delivered, error))
        return FALSE;
    /* a signal that came during a long flush still finds the old file under the name */
    if (ioh_cancel_signal (links->cancel) != 0 || !ioh_sink_finish (job->sink, error))
        return FALSE;
    run->result.durable = run->plan->sync != IOH_SYNC_NONE;
    return TRUE;
}

static gboolean
run_finish (Run *run, GError **error)
{
    IohJob *job = &run->job;

    if (run->plan->direction == IOH_SAVE)
        return run_finish_save (run, error);
    if (!run_check_restored (run, error))
        return FALSE;
    ioh_source_close (job->source, job->delivered);
    return ioh_transport_finish (&job->transport, job->delivered, run->links.cancel, error);
}

/* From the first byte to the finished file. FALSE without an error when a signal came. */
static gboolean
run_move (Run *run, GError **error)
{
    run_expect (run);
    ioh_progress_phase (run->links.progress, IOH_PHASE_MOVING);
    IohStep step = run_engines (run, error);
    return step == IOH_STEP_DONE && ioh_cancel_signal (run->links.cancel) == 0 &&
           run_finish (run, error);
}

/* Gathers the numbers and lets go of the ends. */
static void
run_end (Run *run, gint64 begun_us, IohOutcome outcome)
{
    IohJob *job = &run->job;
    IohResult *result = &run->result;

    if (job->sink != NULL) {
        if (outcome != IOH_OUTCOME_DONE)
            ioh_sink_abandon (job->sink, run->options->keep_partial,
                              run->plan->offset + job->delivered);
        result->published = job->sink->published;
        result->length = job->sink->length;
        result->allocated = job->sink->allocated;
        result->wait_file_us += job->sink->wait_us;
        result->flush_us = job->sink->flush_us;
    }
    if (job->source != NULL) {
        result->length = run->facts->file.size;
        result->allocated = (uint64_t) run->facts->file.replaced.st_blocks * 512;
        result->wait_file_us += job->source->wait_us;
    }
    ioh_sandbox_forget ();
    result->bytes = job->delivered;
    result->total_us = g_get_monotonic_time () - begun_us;
    ioh_report_result (job->report, result);
    ioh_sink_free (job->sink);
    ioh_source_free (job->source);
    ioh_transport_clear (&job->transport);
}

IohOutcome
ioh_run (const IohOptions *options, const IohFacts *facts, const IohPlan *plan,
         const IohLinks *links, GError **error)
{
    gint64 begun_us = g_get_monotonic_time ();
    IohOutcome outcome = IOH_OUTCOME_FAILED;
    Run run = {
        .options = options,
        .facts = facts,
        .plan = plan,
        .links = *links,
        .job = {.plan = plan, .report = links->report, .transport.peer.fd = -1},
    };

    run.signalled = TRUE;
    ioh_rate_init (&run.rate, options->rate_bytes);
    if (run_open (&run, error) && run_move (&run, error))
        outcome = IOH_OUTCOME_DONE;
    else if (*error == NULL)
        outcome = IOH_OUTCOME_CANCELLED;
    run_end (&run, begun_us, outcome);
    return outcome;
}
