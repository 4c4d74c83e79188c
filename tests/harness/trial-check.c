/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trial-check - compares what a transfer came to with what it should have.
 *
 * Owns no state. Every difference is told and fails the test; nothing here ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "pattern.h"
#include "scratch.h"
#include "trial.h"

/* The report of a transfer that is over. */
static JsonObject *
trial_report_object (Trial *trial)
{
    int signal_number =
        trial->outcome == IOH_OUTCOME_CANCELLED ? ioh_cancel_signal (trial->cancel) : 0;

    if (trial->said == NULL) {
        g_autofree char *text = ioh_report_to_json (trial->report, trial->options, trial->facts,
                                                    trial->plan, trial->error, signal_number);
        trial->said = json_parser_new ();
        if (!json_parser_load_from_data (trial->said, text, -1, NULL))
            g_error ("the report is no JSON: %s", text);
    }
    return json_node_get_object (json_parser_get_root (trial->said));
}

static gint64
trial_reported_bytes (Trial *trial)
{
    return json_object_get_int_member (trial_report_object (trial), IOH_REPORT_BYTES);
}

gboolean
trial_is_published (Trial *trial)
{
    JsonObject *report = trial_report_object (trial);
    JsonObject *file = json_object_get_object_member (report, IOH_REPORT_FILE);

    return json_object_get_boolean_member (file, "published");
}

static void
trial_expect_report (Trial *trial, const char *outcome)
{
    JsonObject *report = trial_report_object (trial);
    const char *said = json_object_get_string_member (report, IOH_REPORT_OUTCOME);

    if (!g_str_equal (said, outcome))
        trial_fail ("the report says %s instead of %s", said, outcome);
}

/* A named engine is never replaced. */
static void
trial_expect_engine (Trial *trial)
{
    JsonObject *report = trial_report_object (trial);
    JsonObject *engine = json_object_get_object_member (report, IOH_REPORT_ENGINE);
    const char *used = json_object_get_string_member (engine, "used");

    if (trial->ends.engine != NULL && !g_str_equal (used, trial->ends.engine->name))
        trial_fail ("engine %s was used instead of the one asked for", used);
}

/* The file's bytes: what was there before the stream, then as many of the stream as fit. */
static gboolean
trial_file_holds (Trial *trial, size_t *out_stream_bytes)
{
    size_t length = 0;
    g_autofree uint8_t *content = scratch_read (trial->path, &length);
    size_t before = (size_t) trial->offset;
    int filler = trial->ends.file->kind == TRIAL_REGULAR ? 0 : 'o';

    if (content == NULL || length < before)
        return FALSE;
    if (!scratch_is_filled (content, before, filler))
        return FALSE;
    size_t bytes = MIN (length - before, trial->length);
    if (memcmp (content + before, trial->data, bytes) != 0)
        return FALSE;
    if (trial->ends.file->kind == TRIAL_BLOCK &&
        !scratch_is_filled (content + before + bytes, length - before - bytes, 'o'))
        return FALSE;
    *out_stream_bytes = trial->ends.file->kind == TRIAL_BLOCK ? bytes : length - before;
    return TRUE;
}

/* The peer that receives, or NULL when that is a file. */
static Peer *
trial_receiver (const Trial *trial)
{
    return trial->ends.direction == IOH_RESTORE ? trial->stream_peer : trial->file_peer;
}

static gboolean
trial_holds (Trial *trial, size_t *out_bytes)
{
    const Peer *receiver = trial_receiver (trial);

    if (receiver == NULL && trial->ends.file->kind == TRIAL_NULL) {
        *out_bytes = (size_t) trial_reported_bytes (trial);
        return TRUE;
    }
    if (receiver == NULL)
        return trial_file_holds (trial, out_bytes);
    const uint8_t *got = peer_bytes (receiver, out_bytes);
    return *out_bytes <= trial->length && memcmp (got, trial->data, *out_bytes) == 0;
}

gboolean
trial_is_complete (Trial *trial)
{
    size_t bytes = 0;

    return trial_holds (trial, &bytes) && bytes == trial->length;
}

gboolean
trial_is_prefix (Trial *trial)
{
    size_t bytes = 0;

    return trial_holds (trial, &bytes);
}

static void
trial_expect_content (Trial *trial)
{
    size_t bytes = 0;

    if (!trial_holds (trial, &bytes))
        trial_fail ("the bytes that arrived are not the stream's");
    else if (bytes != trial->length)
        trial_fail ("%zu bytes arrived instead of %zu", bytes, trial->length);
}

static void
trial_expect_names (Trial *trial, const char *names)
{
    g_autofree char *is = scratch_names (trial->directory);

    if (!trial->littered && !g_str_equal (is, names))
        trial_fail ("the directory holds '%s' instead of '%s'", is, names);
}

/* An inherited descriptor stands behind the stream and is as it was. */
static void
trial_expect_position (const Trial *trial)
{
    off_t position = lseek (trial->witness_fd, 0, SEEK_CUR);
    int direct = fcntl (trial->witness_fd, F_GETFL) & O_DIRECT;

    if ((uint64_t) position != trial->offset + trial->length)
        trial_fail ("the descriptor was left at %jd", (intmax_t) position);
    if ((direct != 0) != trial->ends.file->direct)
        trial_fail ("the flags of the file's descriptor were changed");
}

void
trial_expect_done (Trial *trial)
{
    TrialKind kind = trial->ends.file->kind;

    if (trial->outcome != IOH_OUTCOME_DONE) {
        trial_fail ("it did not end well: %s",
                    trial->error != NULL ? trial->error->message : "cancelled");
        return;
    }
    if (trial->error != NULL)
        trial_fail ("success with an error: %s", trial->error->message);
    trial_expect_content (trial);
    if (trial_reported_bytes (trial) != (gint64) trial->length)
        trial_fail ("the report says %" G_GINT64_FORMAT " bytes", trial_reported_bytes (trial));
    trial_expect_report (trial, "done");
    trial_expect_engine (trial);
    trial_expect_names (trial, kind == TRIAL_BLOCK || kind == TRIAL_NULL ? "" : "target");
    if (trial->witness_fd >= 0 && !trial->disturbed)
        trial_expect_position (trial);
}

void
trial_expect_untouched (Trial *trial)
{
    TrialKind kind = trial->ends.file->kind;
    gboolean there = trial->ends.direction == IOH_RESTORE || trial->has_old ||
                     kind == TRIAL_INHERITED || kind == TRIAL_FIFO;

    trial_expect_names (trial, there && kind != TRIAL_BLOCK && kind != TRIAL_NULL ? "target" : "");
    if (kind != TRIAL_REGULAR || !trial->has_old || trial->ends.direction == IOH_RESTORE)
        return;
    size_t length = 0;
    g_autofree uint8_t *content = scratch_read (trial->path, &length);
    if (content == NULL || length != trial->offset + trial->length + 70 ||
        !scratch_is_filled (content, length, 'o'))
        trial_fail ("the old file was touched");
}

void
trial_expect_failure (Trial *trial, const TrialFailure *failure)
{
    const IohErrorPrivate *details = ioh_error_details (trial->error);

    if (trial->outcome != IOH_OUTCOME_FAILED || details == NULL) {
        trial_fail ("it did not fail as it should");
        return;
    }
    const char *said = trial->error->message;
    if (details->side != failure->side)
        trial_fail ("the side is %s: %s", ioh_wire_side_name (details->side), said);
    if (details->stage != failure->stage)
        trial_fail ("the stage is %s: %s", ioh_wire_stage_name (details->stage), said);
    if (ioh_error_exit (trial->error) != failure->status)
        trial_fail ("the exit status is %d: %s", (int) ioh_error_exit (trial->error), said);
    if (failure->error_number >= 0 && details->error_number != failure->error_number)
        trial_fail ("the errno is %d: %s", details->error_number, said);
    trial_expect_report (trial, "failed");
    if (trial_receiver (trial) != NULL && !trial_is_prefix (trial))
        trial_fail ("what was delivered is not the beginning of the stream");
    trial_expect_untouched (trial);
}

void
trial_expect_cancelled (Trial *trial)
{
    if (trial->outcome != IOH_OUTCOME_CANCELLED)
        trial_fail ("it was not cancelled but %s",
                    trial->error != NULL ? trial->error->message : "done");
    else if (ioh_cancel_signal (trial->cancel) != SIGTERM)
        trial_fail ("another signal than the one that was sent is named");
    else
        trial_expect_report (trial, "cancelled");
    trial_expect_untouched (trial);
}
