/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz-report - what a helper that is none may say at its end.
 *
 * The first byte says how it ended, the rest is its report and its last words.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "verdict.h"

static void
fuzz_check_seconds (double seconds)
{
    g_assert_true (isfinite (seconds) && seconds >= 0);
}

static void
fuzz_check (IohTransferResult *result, const IohEnding *ending)
{
    const char *texts[] = {
        ioh_transfer_result_get_engine (result),
        ioh_transfer_result_get_cache (result),
        ioh_transfer_result_get_message (result),
        ioh_transfer_result_get_report (result),
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (texts); i++)
        g_assert_true (texts[i] == NULL || g_utf8_validate (texts[i], -1, NULL));
    fuzz_check_seconds (ioh_transfer_result_get_total_seconds (result));
    fuzz_check_seconds (ioh_transfer_result_get_stream_seconds (result));
    fuzz_check_seconds (ioh_transfer_result_get_file_seconds (result));
    fuzz_check_seconds (ioh_transfer_result_get_flush_seconds (result));
    g_assert_cmpint (ioh_transfer_result_get_offset (result), >=, -1);
    g_assert_cmpint (ioh_transfer_result_get_errno (result), >=, 0);
    g_assert_cmpint (ioh_transfer_result_get_side (result), <=, IOH_SIDE_FILE);
    g_assert_cmpint (ioh_transfer_result_get_stage (result), <=, IOH_STAGE_PUBLISH);
    ioh_transfer_result_get_bytes (result);
    ioh_transfer_result_get_length (result);
    ioh_transfer_result_get_allocated (result);
    ioh_transfer_result_is_durable (result);
    ioh_transfer_result_is_published (result);
    g_assert_nonnull (ioh_transfer_result_get_notes (result));
    /* a process that is known to have failed is never believed to have succeeded */
    gboolean failed = ending->how == IOH_ENDED_EXITED && ending->number != 0;
    if (failed || ending->how == IOH_ENDED_SIGNALLED || ending->flooded)
        g_assert_false (ioh_transfer_result_is_done (result));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t length)
{
    static const IohEnded ways[] = {IOH_ENDED_EXITED, IOH_ENDED_SIGNALLED, IOH_ENDED_UNKNOWN};
    g_autoptr (GError) error = NULL;

    if (length == 0)
        return 0;
    g_autofree char *report = g_strndup ((const char *) data + 1, length - 1);
    const IohEnding ending = {
        .how = ways[data[0] % G_N_ELEMENTS (ways)],
        .number = data[0] % 2 == 0 ? 0 : data[0] / 16 + 1,
        .cancelled = (data[0] & 4) != 0,
        .committed = (data[0] & 8) != 0,
        .flooded = data[0] == UINT8_MAX,
        .report = report,
        .report_length = length - 1,
        .words = report,
    };
    g_autoptr (IohTransferResult) result = ioh_verdict (&ending, &error);
    g_assert_true (ioh_transfer_result_is_done (result) == (error == NULL));
    fuzz_check (result, &ending);
    return 0;
}
