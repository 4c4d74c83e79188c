/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verdict - what the end of a helper means.
 *
 * Pure. A transfer is a success only when the process ended as a success and its report says so
 * too: neither alone is believed. The one exception is a process that somebody else in the host
 * program has reaped, where the report is all there is.
 */
#include "verdict.h"

#include <signal.h>
#include <string.h>

#include "error-private.h"
#include "message.h"
#include "parse.h"
#include "result-private.h"
#include "wire.h"

static IohSide
verdict_side (const char *word)
{
    for (int side = IOH_SIDE_NONE; word != NULL && side <= IOH_SIDE_FILE; side++)
        if (g_str_equal (ioh_wire_side_name ((IohSide) side), word))
            return (IohSide) side;
    return IOH_SIDE_NONE;
}

static IohStage
verdict_stage (const char *word)
{
    for (int stage = IOH_STAGE_NONE; word != NULL && stage <= IOH_STAGE_PUBLISH; stage++)
        if (g_str_equal (ioh_wire_stage_name ((IohStage) stage), word))
            return (IohStage) stage;
    return IOH_STAGE_NONE;
}

/* The error of the report. */
static const char *
verdict_read_error (IohTransferResult *result)
{
    JsonObject *error = ioh_parse_member (ioh_transfer_result_said (result), IOH_REPORT_ERROR);
    IohTransferErrorPrivate *details = &result->details;

    details->side = verdict_side (ioh_parse_string (error, IOH_REPORT_ERROR_SIDE));
    details->stage = verdict_stage (ioh_parse_string (error, IOH_REPORT_ERROR_STAGE));
    details->offset = ioh_parse_integer (error, IOH_REPORT_ERROR_OFFSET, 0, -1);
    details->error_number =
        (int) MIN (ioh_parse_integer (error, IOH_REPORT_ERROR_ERRNO, 0, 0), G_MAXINT);
    return ioh_parse_string (error, IOH_REPORT_ERROR_MESSAGE);
}

/* The last line of what the helper said on standard error, without the program's name. */
static char *
verdict_last_words (const IohEnding *ending)
{
    g_autofree char *words = g_utf8_make_valid (ending->words, -1);
    const char *prefix = IOH_HELPER_NAME ": ";

    g_strchomp (words);
    const char *line = strrchr (words, '\n');
    line = line != NULL ? line + 1 : words;
    if (g_str_has_prefix (line, prefix))
        line += strlen (prefix);
    return g_strdup (line);
}

/* ": WORDS", or nothing when there are none. */
static char *
verdict_appendix (const IohEnding *ending)
{
    g_autofree char *words = verdict_last_words (ending);

    return words[0] != '\0' ? g_strconcat (": ", words, NULL) : g_strdup ("");
}

static void verdict_fail (IohTransferResult *result, IohTransferError code, GError **out_error,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);

static void
verdict_fail (IohTransferResult *result, IohTransferError code, GError **out_error,
              const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_free (result->message);
    result->message = g_strdup_vprintf (format, args);
    va_end (args);
    ioh_transfer_error_set (out_error, code, &result->details, "%s", result->message);
}

/* It ended by itself with a status that is not 0. */
static void
verdict_on_failure (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    const char *message = verdict_read_error (result);
    g_autofree char *words = verdict_last_words (ending);
    int status = ending->number;

    if (status > IOH_EXIT_IMAGE) {
        g_autofree char *appendix = verdict_appendix (ending);
        verdict_fail (result, IOH_TRANSFER_ERROR_PROTOCOL, out_error,
                      _ ("the helper ended with status %d, which iohelper does not%s"), status,
                      appendix);
    } else if (message != NULL || words[0] != '\0') {
        verdict_fail (result, (IohTransferError) status, out_error, "%s",
                      message != NULL ? message : words);
    } else {
        verdict_fail (result, IOH_TRANSFER_ERROR_PROTOCOL, out_error,
                      _ ("the helper ended with status %d and did not say why"), status);
    }
}

/* What nobody knows of a save that was cut short by force while it was being completed. */
static const char *
verdict_doubt (const IohEnding *ending)
{
    gboolean doubtful =
        ending->committed && ending->how == IOH_ENDED_SIGNALLED && ending->number != SIGTERM;

    return doubtful ? _ ("; whether the save was completed is not known") : "";
}

static void
verdict_on_death (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    g_autofree char *appendix = verdict_appendix (ending);
    const char *by =
        ending->number == SIGKILL ? _ (", by hand or because the machine was out of memory") : "";

    verdict_fail (result, IOH_TRANSFER_ERROR_DIED, out_error,
                  _ ("the helper died of signal %d (%s)%s%s%s"), ending->number,
                  g_strsignal (ending->number), by, appendix, verdict_doubt (ending));
}

/* Whether the report says that all went well. */
static gboolean
verdict_reported_done (const IohTransferResult *result)
{
    JsonObject *said = ioh_transfer_result_said (result);
    const char *outcome = ioh_parse_string (said, IOH_REPORT_OUTCOME);

    return outcome != NULL && g_str_equal (outcome, IOH_REPORT_OUTCOME_DONE) &&
           ioh_parse_integer (said, IOH_REPORT_EXIT_STATUS, 0, -1) == IOH_EXIT_DONE;
}

/* Nobody knows how it ended but the report. */
static void
verdict_on_unknown (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    gint64 status = ioh_parse_integer (ioh_transfer_result_said (result), IOH_REPORT_EXIT_STATUS,
                                       IOH_EXIT_INTERNAL, -1);
    IohEnding reported = *ending;

    if (status >= 0 && status <= IOH_EXIT_IMAGE) {
        reported.number = (int) status;
        verdict_on_failure (result, &reported, out_error);
    } else {
        verdict_fail (result, IOH_TRANSFER_ERROR_DIED, out_error, "%s",
                      _ ("the helper left no report, and its exit status was taken by other code "
                         "in this program"));
    }
}

static void
verdict_on_flood (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    verdict_fail (result, IOH_TRANSFER_ERROR_PROTOCOL, out_error, "%s",
                  _ ("the helper said more than iohelper ever would, and was killed"));
}

/* It ended as a success but does not say so. */
static void
verdict_on_silence (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    g_autofree char *appendix = verdict_appendix (ending);

    verdict_fail (result, IOH_TRANSFER_ERROR_PROTOCOL, out_error,
                  _ ("the helper ended with success but without the report of one%s"), appendix);
}

/* A cancelled transfer that failed is cancelled, whatever it says; what it says is kept. */
static void
verdict_on_cancel (IohTransferResult *result, const IohEnding *ending, GError **out_error)
{
    const char *message = verdict_read_error (result);
    const char *doubt = verdict_doubt (ending);

    if (message != NULL)
        verdict_fail (result, IOH_TRANSFER_ERROR_CANCELLED, out_error, _ ("cancelled (%s)%s"),
                      message, doubt);
    else
        verdict_fail (result, IOH_TRANSFER_ERROR_CANCELLED, out_error, _ ("cancelled%s"), doubt);
}

IohTransferResult *
ioh_verdict (const IohEnding *ending, GError **out_error)
{
    IohTransferResult *result = ioh_transfer_result_new ();
    gboolean exited = ending->how == IOH_ENDED_EXITED;

    if (exited)
        result->exit_status = ending->number;
    if (ending->how == IOH_ENDED_SIGNALLED)
        result->signal_number = ending->number;
    ioh_transfer_result_read (result, ending->report, ending->report_length, NULL);
    gboolean succeeded =
        (exited && ending->number == IOH_EXIT_DONE) || ending->how == IOH_ENDED_UNKNOWN;
    result->done = succeeded && verdict_reported_done (result) && !ending->flooded;
    if (result->done)
        return result;
    if (ending->flooded)
        verdict_on_flood (result, ending, out_error);
    else if (ending->cancelled)
        verdict_on_cancel (result, ending, out_error);
    else if (ending->how == IOH_ENDED_SIGNALLED)
        verdict_on_death (result, ending, out_error);
    else if (ending->how == IOH_ENDED_UNKNOWN)
        verdict_on_unknown (result, ending, out_error);
    else if (ending->number == IOH_EXIT_DONE)
        verdict_on_silence (result, ending, out_error);
    else
        verdict_on_failure (result, ending, out_error);
    return result;
}
