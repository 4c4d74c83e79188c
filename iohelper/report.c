/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report - what was asked, what was used, why, and what came of it.
 *
 * Owns the gathered notes and numbers and their spelling as JSON. Never asks the system anything
 * and never writes: main does.
 */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "i18n.h"
#include "json.h"
#include "size.h"

typedef struct {
    const char *what;
    const char *from;
    const char *to;
    uint64_t offset;
    char *reason;
} ReportStep;

struct IohReport {
    GPtrArray *steps;
    GPtrArray *notes;
    int pipe_bytes;
    int pipe_errno;
    const char *sandbox; /* NULL: it did not come to that */
    char *sandbox_reason;
    IohPeer peer; /* its descriptor means nothing here */
    IohResult result;
};

static void
report_step_free (gpointer data)
{
    ReportStep *step = data;

    g_free (step->reason);
    g_free (step);
}

IohReport *
ioh_report_new (void)
{
    IohReport *report = g_new0 (IohReport, 1);

    report->steps = g_ptr_array_new_with_free_func (report_step_free);
    report->notes = g_ptr_array_new_with_free_func (g_free);
    return report;
}

void
ioh_report_free (IohReport *report)
{
    if (report == NULL)
        return;
    g_ptr_array_unref (report->steps);
    g_ptr_array_unref (report->notes);
    g_free (report->sandbox_reason);
    g_free (report);
}

void
ioh_report_note (IohReport *report, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_ptr_array_add (report->notes, g_strdup_vprintf (format, args));
    va_end (args);
}

void
ioh_report_step_down (IohReport *report, const char *what, const char *from, const char *to,
                      uint64_t offset, const char *reason)
{
    ReportStep *step = g_new0 (ReportStep, 1);

    step->what = what;
    step->from = from;
    step->to = to;
    step->offset = offset;
    step->reason = g_strdup (reason);
    g_ptr_array_add (report->steps, step);
}

void
ioh_report_pipe_size (IohReport *report, int bytes, int error_number)
{
    report->pipe_bytes = bytes;
    report->pipe_errno = error_number;
}

void
ioh_report_peer (IohReport *report, const IohPeer *peer)
{
    report->peer = *peer;
}

void
ioh_report_sandbox (IohReport *report, const char *used, const char *reason)
{
    report->sandbox = used;
    g_free (report->sandbox_reason);
    report->sandbox_reason = g_strdup (reason);
}

void
ioh_report_result (IohReport *report, const IohResult *result)
{
    report->result = *result;
}

char **
ioh_report_lines (const IohReport *report)
{
    GStrvBuilder *lines = g_strv_builder_new ();

    for (unsigned i = 0; i < report->steps->len; i++) {
        const ReportStep *step = g_ptr_array_index (report->steps, i);
        g_autofree char *line = g_strdup_printf (_ ("%s: went on with %s instead of %s: %s"),
                                                 step->what, step->to, step->from, step->reason);
        g_strv_builder_add (lines, line);
    }
    for (unsigned i = 0; i < report->notes->len; i++)
        g_strv_builder_add (lines, g_ptr_array_index (report->notes, i));
    char **result = g_strv_builder_end (lines);
    g_strv_builder_unref (lines);
    return result;
}

static double
report_seconds (gint64 us)
{
    return (double) us / G_USEC_PER_SEC;
}

char **
ioh_report_summary (const IohReport *report, const IohPlan *plan)
{
    const IohResult *result = &report->result;
    double seconds = MAX (report_seconds (result->total_us), 1e-6);
    g_autofree char *size = ioh_size_format_exact (result->bytes);
    g_autofree char *rate = ioh_size_format ((uint64_t) ((double) result->bytes / seconds));
    char **parts = g_new0 (char *, 4);

    parts[0] = g_strdup_printf (_ ("%s in %.3f s, %s/s"), size, seconds, rate);
    parts[1] = g_strdup_printf (_ ("engine %s, cache %s"), result->engine->name,
                                ioh_wire_cache_name (plan->cache));
    parts[2] =
        g_strdup_printf (_ ("waited for the stream %.3f s, the file %.3f s, the flush "
                            "%.3f s"),
                         report_seconds (result->wait_stream_us),
                         report_seconds (result->wait_file_us), report_seconds (result->flush_us));
    return parts;
}

/* JSON */

/* Every choice has the same three words. */
static void
report_add_choice (JsonBuilder *builder, const char *name, const char *asked, const char *used,
                   const char *reason)
{
    ioh_json_begin_object (builder, name);
    ioh_json_add_text (builder, IOH_REPORT_ASKED, asked);
    ioh_json_add_text (builder, IOH_REPORT_USED, used);
    ioh_json_add_text (builder, IOH_REPORT_REASON, reason);
    json_builder_end_object (builder);
}

/* The same of an amount, in bytes. */
static void
report_add_amount (JsonBuilder *builder, const char *name, uint64_t asked, uint64_t used,
                   const char *reason)
{
    ioh_json_begin_object (builder, name);
    ioh_json_add_number (builder, IOH_REPORT_ASKED, asked);
    ioh_json_add_number (builder, IOH_REPORT_USED, used);
    ioh_json_add_text (builder, IOH_REPORT_REASON, reason);
    json_builder_end_object (builder);
}

static void
report_add_pipe_size (JsonBuilder *builder, const IohReport *report, const IohPlan *plan)
{
    report_add_amount (
        builder, IOH_REPORT_PIPE_SIZE, (uint64_t) plan->pipe_bytes, (uint64_t) report->pipe_bytes,
        report->pipe_errno != 0 ? g_strerror (report->pipe_errno) : _ ("as asked or larger"));
}

static void
report_add_socket_buffer (JsonBuilder *builder, const IohSocketBuffer *buffer)
{
    g_autofree char *cut =
        g_strdup_printf (_ ("cut to the system's limit, %s"), IOH_SOCKET_BUFFER_SYSCTL);
    const char *reason = buffer->cut ? cut : _ ("as asked or larger");

    if (buffer->error_number != 0)
        reason = g_strerror (buffer->error_number);
    report_add_amount (builder, IOH_REPORT_SOCKET_BUFFER, buffer->asked, buffer->used, reason);
}

static void
report_add_peer (JsonBuilder *builder, const IohPeer *peer)
{
    report_add_socket_buffer (builder, &peer->buffer);
    if (peer->has_process) {
        ioh_json_add_number (builder, IOH_REPORT_PEER_PID, (uint64_t) peer->pid);
        ioh_json_add_number (builder, IOH_REPORT_PEER_UID, peer->uid);
    }
}

static void
report_add_ends (JsonBuilder *builder, const IohReport *report, const IohOptions *options,
                 const IohFacts *facts, const IohPlan *plan)
{
    ioh_json_begin_object (builder, IOH_REPORT_STREAM);
    ioh_json_add_text (builder, IOH_REPORT_END_NAME, options->stream_name);
    if (facts != NULL)
        ioh_json_add_text (builder, IOH_REPORT_END_KIND, ioh_end_kind_name (facts->stream.kind));
    if (plan != NULL && plan->pipe_bytes > 0)
        report_add_pipe_size (builder, report, plan);
    if (report->peer.buffer.asked > 0)
        report_add_peer (builder, &report->peer);
    json_builder_end_object (builder);

    ioh_json_begin_object (builder, IOH_REPORT_FILE);
    ioh_json_add_text (builder, IOH_REPORT_END_NAME, options->file_name);
    if (facts != NULL) {
        ioh_json_add_text (builder, IOH_REPORT_END_KIND, ioh_end_kind_name (facts->file.kind));
        ioh_json_add_text (builder, IOH_REPORT_FILE_SYSTEM, facts->file.file_system);
    }
    ioh_json_add_number (builder, IOH_REPORT_FILE_LENGTH, report->result.length);
    ioh_json_add_number (builder, IOH_REPORT_FILE_ALLOCATED, report->result.allocated);
    ioh_json_add_boolean (builder, IOH_REPORT_FILE_PUBLISHED, report->result.published);
    json_builder_end_object (builder);
}

/* What became of the choice WHAT, which was PLANNED: a direct save that stepped down was not. */
static const char *
report_used (const IohReport *report, const char *what, const char *planned)
{
    for (unsigned i = 0; i < report->steps->len; i++) {
        const ReportStep *step = g_ptr_array_index (report->steps, i);
        if (g_str_equal (step->what, what))
            planned = step->to;
    }
    return planned;
}

static void
report_add_queue (JsonBuilder *builder, const IohReport *report, const IohOptions *options,
                  const IohPlan *plan)
{
    ioh_json_begin_object (builder, IOH_REPORT_QUEUE);
    ioh_json_add_text (builder, "asked", ioh_wire_queue_name (options->queue));
    ioh_json_add_text (builder, "used",
                       report_used (report, IOH_REPORT_QUEUE, ioh_wire_queue_name (plan->queue)));
    ioh_json_add_text (builder, "reason", plan->queue_reason);
    ioh_json_add_number (builder, "depth", plan->queue_depth);
    json_builder_end_object (builder);
}

static void
report_add_plan (JsonBuilder *builder, const IohReport *report, const IohOptions *options,
                 const IohPlan *plan)
{
    const IohEngine *used = report->result.engine;

    report_add_choice (builder, IOH_REPORT_ENGINE, options->engine,
                       used != NULL ? used->name : plan->engine->name, plan->engine_reason);
    if (plan->queue_reason != NULL)
        report_add_queue (builder, report, options, plan);
    report_add_choice (builder, IOH_REPORT_CACHE, ioh_wire_cache_name (options->cache),
                       report_used (report, IOH_REPORT_CACHE, ioh_wire_cache_name (plan->cache)),
                       plan->cache_reason);
    if (plan->direction == IOH_SAVE) {
        report_add_choice (builder, IOH_REPORT_SYNC, ioh_wire_sync_name (options->sync),
                           ioh_wire_sync_name (plan->sync), plan->sync_reason);
        report_add_choice (builder, IOH_REPORT_EXISTS, ioh_wire_exists_name (options->exists),
                           ioh_publish_name (plan->publish), plan->publish_reason);
    }
    if (report->sandbox != NULL)
        report_add_choice (builder, IOH_REPORT_SANDBOX,
                           options->no_sandbox ? IOH_REPORT_SANDBOX_NONE : "auto", report->sandbox,
                           report->sandbox_reason);
    ioh_json_begin_object (builder, IOH_REPORT_ALIGNMENT);
    ioh_json_add_number (builder, "memory", plan->memory_align);
    ioh_json_add_number (builder, "offset", plan->file_align);
    ioh_json_add_text (builder, "origin", plan->align_origin);
    json_builder_end_object (builder);
    ioh_json_add_number (builder, IOH_REPORT_BLOCK_SIZE, plan->block_bytes);
    if (options->rate_bytes > 0)
        ioh_json_add_number (builder, IOH_REPORT_RATE_LIMIT, options->rate_bytes);
}

static void
report_add_steps (JsonBuilder *builder, const IohReport *report)
{
    ioh_json_begin_array (builder, IOH_REPORT_STEPS_DOWN);
    for (unsigned i = 0; i < report->steps->len; i++) {
        const ReportStep *step = g_ptr_array_index (report->steps, i);
        json_builder_begin_object (builder);
        ioh_json_add_text (builder, "what", step->what);
        ioh_json_add_text (builder, "from", step->from);
        ioh_json_add_text (builder, "to", step->to);
        if (step->offset != IOH_NO_OFFSET)
            ioh_json_add_number (builder, "offset", step->offset);
        ioh_json_add_text (builder, "reason", step->reason);
        json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
    ioh_json_add_texts (builder, IOH_REPORT_NOTES, report->notes);
}

static void
report_add_time (JsonBuilder *builder, const char *name, gint64 us)
{
    ioh_json_add_real (builder, name, report_seconds (us));
}

static void
report_add_seconds (JsonBuilder *builder, const IohResult *result)
{
    ioh_json_begin_object (builder, IOH_REPORT_SECONDS);
    report_add_time (builder, IOH_REPORT_SECONDS_TOTAL, result->total_us);
    report_add_time (builder, IOH_REPORT_SECONDS_WAIT_STREAM, result->wait_stream_us);
    report_add_time (builder, IOH_REPORT_SECONDS_WAIT_FILE, result->wait_file_us);
    report_add_time (builder, IOH_REPORT_SECONDS_FLUSH, result->flush_us);
    json_builder_end_object (builder);
}

static void
report_add_error (JsonBuilder *builder, const GError *error)
{
    const IohErrorPrivate *details = ioh_error_details (error);

    ioh_json_begin_object (builder, IOH_REPORT_ERROR);
    ioh_json_add_text (builder, IOH_REPORT_ERROR_MESSAGE, error->message);
    if (details != NULL && details->side != IOH_SIDE_NONE) {
        ioh_json_add_text (builder, IOH_REPORT_ERROR_SIDE, ioh_wire_side_name (details->side));
        ioh_json_add_text (builder, IOH_REPORT_ERROR_NAME, details->name);
        ioh_json_add_text (builder, IOH_REPORT_ERROR_STAGE, ioh_wire_stage_name (details->stage));
        if (details->offset != IOH_NO_OFFSET)
            ioh_json_add_number (builder, IOH_REPORT_ERROR_OFFSET, details->offset);
        ioh_json_add_number (builder, IOH_REPORT_ERROR_ERRNO, (uint64_t) details->error_number);
    }
    json_builder_end_object (builder);
}

static void
report_add_outcome (JsonBuilder *builder, const IohReport *report, const IohOptions *options,
                    const GError *error, int signal_number)
{
    const char *outcome = IOH_REPORT_OUTCOME_DONE;

    if (signal_number != 0)
        outcome = IOH_REPORT_OUTCOME_CANCELLED;
    else if (error != NULL)
        outcome = IOH_REPORT_OUTCOME_FAILED;

    ioh_json_add_text (builder, IOH_REPORT_PROGRAM, IOH_PACKAGE);
    ioh_json_add_text (builder, IOH_REPORT_VERSION, IOH_VERSION);
    ioh_json_add_text (builder, IOH_REPORT_DIRECTION, ioh_wire_direction_name (options->direction));
    ioh_json_add_text (builder, IOH_REPORT_OUTCOME, outcome);
    if (signal_number != 0)
        ioh_json_add_number (builder, IOH_REPORT_SIGNAL, (uint64_t) signal_number);
    else
        ioh_json_add_number (builder, IOH_REPORT_EXIT_STATUS,
                             error != NULL ? ioh_error_exit (error) : IOH_EXIT_DONE);
    if (error != NULL)
        report_add_error (builder, error);
    ioh_json_add_number (builder, IOH_REPORT_BYTES, report->result.bytes);
    ioh_json_add_boolean (builder, IOH_REPORT_DURABLE, report->result.durable);
}

char *
ioh_report_to_json (const IohReport *report, const IohOptions *options, const IohFacts *facts,
                    const IohPlan *plan, const GError *error, int signal_number)
{
    g_autoptr (JsonBuilder) builder = json_builder_new ();

    json_builder_begin_object (builder);
    report_add_outcome (builder, report, options, error, signal_number);
    report_add_ends (builder, report, options, facts, plan);
    if (plan != NULL)
        report_add_plan (builder, report, options, plan);
    report_add_steps (builder, report);
    report_add_seconds (builder, &report->result);
    json_builder_end_object (builder);
    return ioh_json_print (builder);
}
