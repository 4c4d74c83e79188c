/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * result - what a transfer came to, as a boxed type.
 *
 * Owns the helper's report. It says nothing that the report or the kernel did not say; where there
 * is no report, amounts and times are zero and texts are NULL.
 */
#include "result-private.h"

#include "parse.h"
#include "wire.h"

G_DEFINE_BOXED_TYPE (IohTransferResult, ioh_transfer_result, ioh_transfer_result_ref,
                     ioh_transfer_result_unref)

IohTransferResult *
ioh_transfer_result_new (void)
{
    IohTransferResult *result = g_new0 (IohTransferResult, 1);

    g_atomic_ref_count_init (&result->references);
    result->exit_status = -1;
    result->notes = g_new0 (char *, 1);
    result->details.offset = -1;
    return result;
}

IohTransferResult *
ioh_transfer_result_ref (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    g_atomic_ref_count_inc (&result->references);
    return result;
}

void
ioh_transfer_result_unref (IohTransferResult *result)
{
    g_return_if_fail (result != NULL);
    if (!g_atomic_ref_count_dec (&result->references))
        return;
    g_free (result->report);
    g_clear_pointer (&result->root, json_node_unref);
    g_strfreev (result->notes);
    g_free (result->message);
    g_free (result);
}

gboolean
ioh_transfer_result_read (IohTransferResult *result, const char *text, gsize length, GError **error)
{
    result->root = ioh_parse_object (text, length, error);
    if (result->root == NULL)
        return FALSE;
    result->report = g_strndup (text, length);
    g_strfreev (result->notes);
    result->notes = ioh_parse_strings (ioh_transfer_result_said (result), IOH_REPORT_NOTES);
    return TRUE;
}

void
ioh_transfer_result_add_notes (IohTransferResult *result, const GPtrArray *notes)
{
    g_autoptr (GStrvBuilder) all = g_strv_builder_new ();

    for (guint i = 0; i < notes->len; i++)
        g_strv_builder_add (all, g_ptr_array_index (notes, i));
    g_strv_builder_addv (all, (const char **) result->notes);
    g_strfreev (result->notes);
    result->notes = g_strv_builder_end (all);
}

JsonObject *
ioh_transfer_result_said (const IohTransferResult *result)
{
    return result->root != NULL ? json_node_get_object (result->root) : NULL;
}

static JsonObject *
result_file (const IohTransferResult *result)
{
    return ioh_parse_member (ioh_transfer_result_said (result), IOH_REPORT_FILE);
}

static const char *
result_used (const IohTransferResult *result, const char *choice)
{
    JsonObject *object = ioh_parse_member (ioh_transfer_result_said (result), choice);

    return ioh_parse_string (object, IOH_REPORT_USED);
}

static double
result_seconds (const IohTransferResult *result, const char *name)
{
    JsonObject *object = ioh_parse_member (ioh_transfer_result_said (result), IOH_REPORT_SECONDS);

    return ioh_parse_seconds (object, name);
}

gboolean
ioh_transfer_result_is_done (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, FALSE);
    return result->done;
}

guint64
ioh_transfer_result_get_bytes (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return (guint64) ioh_parse_integer (ioh_transfer_result_said (result), IOH_REPORT_BYTES, 0, 0);
}

gboolean
ioh_transfer_result_is_durable (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, FALSE);
    return ioh_parse_boolean (ioh_transfer_result_said (result), IOH_REPORT_DURABLE);
}

gboolean
ioh_transfer_result_is_published (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, FALSE);
    return ioh_parse_boolean (result_file (result), IOH_REPORT_FILE_PUBLISHED);
}

guint64
ioh_transfer_result_get_length (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return (guint64) ioh_parse_integer (result_file (result), IOH_REPORT_FILE_LENGTH, 0, 0);
}

guint64
ioh_transfer_result_get_allocated (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return (guint64) ioh_parse_integer (result_file (result), IOH_REPORT_FILE_ALLOCATED, 0, 0);
}

const char *
ioh_transfer_result_get_engine (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    return result_used (result, IOH_REPORT_ENGINE);
}

const char *
ioh_transfer_result_get_cache (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    return result_used (result, IOH_REPORT_CACHE);
}

const char *const *
ioh_transfer_result_get_notes (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    return (const char *const *) result->notes;
}

double
ioh_transfer_result_get_total_seconds (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result_seconds (result, IOH_REPORT_SECONDS_TOTAL);
}

double
ioh_transfer_result_get_stream_seconds (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result_seconds (result, IOH_REPORT_SECONDS_WAIT_STREAM);
}

double
ioh_transfer_result_get_file_seconds (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result_seconds (result, IOH_REPORT_SECONDS_WAIT_FILE);
}

double
ioh_transfer_result_get_flush_seconds (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result_seconds (result, IOH_REPORT_SECONDS_FLUSH);
}

int
ioh_transfer_result_get_exit_status (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, -1);
    return result->exit_status;
}

int
ioh_transfer_result_get_signal (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result->signal_number;
}

const char *
ioh_transfer_result_get_message (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    return result->message;
}

IohSide
ioh_transfer_result_get_side (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, IOH_SIDE_NONE);
    return result->details.side;
}

IohStage
ioh_transfer_result_get_stage (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, IOH_STAGE_NONE);
    return result->details.stage;
}

gint64
ioh_transfer_result_get_offset (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, -1);
    return result->details.offset;
}

int
ioh_transfer_result_get_errno (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, 0);
    return result->details.error_number;
}

const char *
ioh_transfer_result_get_report (IohTransferResult *result)
{
    g_return_val_if_fail (result != NULL, NULL);
    return result->report;
}
