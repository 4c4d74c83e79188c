/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-verdict - what the end of a helper means, for ends that are hard to come by, and for reports
 * that are damaged at random.
 */
#include "verdict.h"

#include <signal.h>
#include <string.h>

#include "libiohelper.h"

static const char report_done[] =
    "{ \"program\" : \"iohelper\", \"outcome\" : \"done\", \"exit-status\" : 0, \"bytes\" : 1234,"
    "  \"durable\" : true, \"file\" : { \"length\" : 1234, \"allocated\" : 4096,"
    "  \"published\" : true }, \"engine\" : { \"used\" : \"copy\" }, \"notes\" : [ \"a\", \"b\" ],"
    "  \"seconds\" : { \"total\" : 1.5, \"wait-stream\" : 1, \"wait-file\" : 0.25,"
    "  \"flush\" : 0.125 } }";
static const char report_failed[] =
    "{ \"outcome\" : \"failed\", \"exit-status\" : 5, \"bytes\" : 99, \"error\" : { \"message\" :"
    "  \"file /x: write failed at byte 99: No space left on device\", \"side\" : \"file\","
    "  \"name\" : \"/x\", \"stage\" : \"write\", \"offset\" : 99, \"errno\" : 28 } }";
static const char report_cancelled[] = "{ \"outcome\" : \"cancelled\", \"signal\" : 15 }";

typedef struct {
    const char *name;
    IohEnded how;
    int number;
    gboolean cancelled;
    gboolean committed;
    gboolean flooded;
    const char *report;
    const char *words;
    int code; /* 0: it is done */
    const char *text;
} Row;

static const Row rows[] = {
    {"done", IOH_ENDED_EXITED, 0, FALSE, FALSE, FALSE, report_done, "", 0, NULL},
    {"cancelled-too-late", IOH_ENDED_EXITED, 0, TRUE, FALSE, FALSE, report_done, "", 0, NULL},
    {"reaped-done", IOH_ENDED_UNKNOWN, 0, FALSE, FALSE, FALSE, report_done, "", 0, NULL},
    {"reaped-failed", IOH_ENDED_UNKNOWN, 0, FALSE, FALSE, FALSE, report_failed, "",
     IOH_TRANSFER_ERROR_NO_ROOM, "No space"},
    {"reaped-cancelled", IOH_ENDED_UNKNOWN, 0, TRUE, FALSE, FALSE, report_cancelled, "",
     IOH_TRANSFER_ERROR_CANCELLED, "cancelled"},
    {"reaped-silent", IOH_ENDED_UNKNOWN, 0, FALSE, FALSE, FALSE, "", "", IOH_TRANSFER_ERROR_DIED,
     "no report"},
    {"reaped-killed", IOH_ENDED_UNKNOWN, 0, FALSE, FALSE, FALSE, report_cancelled, "",
     IOH_TRANSFER_ERROR_DIED, "no report"},
    {"failed", IOH_ENDED_EXITED, 5, FALSE, FALSE, FALSE, report_failed, "",
     IOH_TRANSFER_ERROR_NO_ROOM, "No space"},
    {"failed-but-success", IOH_ENDED_EXITED, 0, FALSE, FALSE, FALSE, report_failed, "",
     IOH_TRANSFER_ERROR_PROTOCOL, "without the report"},
    {"done-but-failure", IOH_ENDED_EXITED, 6, FALSE, FALSE, FALSE, report_done, "iohelper: close\n",
     IOH_TRANSFER_ERROR_FLUSH, "close"},
    {"done-but-flooded", IOH_ENDED_EXITED, 0, FALSE, FALSE, TRUE, report_done, "",
     IOH_TRANSFER_ERROR_PROTOCOL, "said more"},
    {"done-but-killed", IOH_ENDED_SIGNALLED, SIGKILL, FALSE, FALSE, FALSE, report_done, "",
     IOH_TRANSFER_ERROR_DIED, "signal 9"},
    {"cancelled", IOH_ENDED_SIGNALLED, SIGTERM, TRUE, FALSE, FALSE, report_cancelled, "",
     IOH_TRANSFER_ERROR_CANCELLED, "cancelled"},
    {"cancelled-by-force", IOH_ENDED_SIGNALLED, SIGKILL, TRUE, FALSE, FALSE, "", "",
     IOH_TRANSFER_ERROR_CANCELLED, "cancelled"},
    {"cancelled-while-failing", IOH_ENDED_EXITED, 5, TRUE, FALSE, FALSE, report_failed, "",
     IOH_TRANSFER_ERROR_CANCELLED, "No space"},
    {"internal", IOH_ENDED_EXITED, 1, FALSE, FALSE, FALSE, "", "iohelper: no memory\n",
     IOH_TRANSFER_ERROR_INTERNAL, "no memory"},
    {"loader", IOH_ENDED_EXITED, 127, FALSE, FALSE, FALSE, "",
     "iohelper: error while loading shared libraries: libfoo.so\n", IOH_TRANSFER_ERROR_PROTOCOL,
     "libfoo.so"},
    {"odd-words", IOH_ENDED_EXITED, 4, FALSE, FALSE, FALSE, "", "first\n\xff\xfe second\n",
     IOH_TRANSFER_ERROR_FILE, "second"},
    {"forced-after-commit", IOH_ENDED_SIGNALLED, SIGKILL, TRUE, TRUE, FALSE, "", "",
     IOH_TRANSFER_ERROR_CANCELLED, "whether the save was completed"},
    {"killed-after-commit", IOH_ENDED_SIGNALLED, SIGKILL, FALSE, TRUE, FALSE, "", "",
     IOH_TRANSFER_ERROR_DIED, "whether the save was completed"},
    {"cancelled-after-commit", IOH_ENDED_SIGNALLED, SIGTERM, TRUE, TRUE, FALSE, report_cancelled,
     "", IOH_TRANSFER_ERROR_CANCELLED, "cancelled"},
};

static IohEnding
row_ending (const Row *row)
{
    return (IohEnding){
        .how = row->how,
        .number = row->number,
        .cancelled = row->cancelled,
        .committed = row->committed,
        .flooded = row->flooded,
        .report = row->report,
        .report_length = strlen (row->report),
        .words = row->words,
    };
}

static void
test_row (gconstpointer data)
{
    const Row *row = data;
    const IohEnding ending = row_ending (row);
    g_autoptr (GError) error = NULL;
    g_autoptr (IohTransferResult) result = ioh_verdict (&ending, &error);

    g_assert_true (ioh_transfer_result_is_done (result) == (row->code == 0));
    if (row->code == 0) {
        g_assert_no_error (error);
        g_assert_null (ioh_transfer_result_get_message (result));
        return;
    }
    g_assert_error (error, IOH_TRANSFER_ERROR, row->code);
    g_assert_nonnull (strstr (error->message, row->text));
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    g_assert_cmpstr (ioh_transfer_result_get_message (result), ==, error->message);
}

static void
test_details (void)
{
    const Row row = {"", IOH_ENDED_EXITED, 5, .report = report_failed, .words = ""};
    const IohEnding ending = row_ending (&row);
    g_autoptr (GError) error = NULL;
    g_autoptr (IohTransferResult) result = ioh_verdict (&ending, &error);
    g_autoptr (GError) copy = g_error_copy (error);
    g_autoptr (GError) foreign = g_error_new_literal (G_IO_ERROR, 0, "");

    g_assert_cmpint (ioh_transfer_error_get_side (copy), ==, IOH_SIDE_FILE);
    g_assert_cmpint (ioh_transfer_error_get_stage (copy), ==, IOH_STAGE_WRITE);
    g_assert_cmpint (ioh_transfer_error_get_offset (copy), ==, 99);
    g_assert_cmpint (ioh_transfer_error_get_errno (copy), ==, 28);
    g_assert_cmpint (ioh_transfer_result_get_side (result), ==, IOH_SIDE_FILE);
    g_assert_cmpint (ioh_transfer_result_get_stage (result), ==, IOH_STAGE_WRITE);
    g_assert_cmpint (ioh_transfer_result_get_offset (result), ==, 99);
    g_assert_cmpint (ioh_transfer_result_get_errno (result), ==, 28);
    g_assert_cmpint (ioh_transfer_error_get_side (foreign), ==, IOH_SIDE_NONE);
    g_assert_cmpint (ioh_transfer_error_get_offset (foreign), ==, -1);
}

static void
test_members (void)
{
    const IohEnding ending = row_ending (&rows[0]);
    g_autoptr (GError) error = NULL;
    g_autoptr (IohTransferResult) result = ioh_verdict (&ending, &error);

    g_assert_cmpuint (ioh_transfer_result_get_bytes (result), ==, 1234);
    g_assert_true (ioh_transfer_result_is_durable (result));
    g_assert_true (ioh_transfer_result_is_published (result));
    g_assert_cmpuint (ioh_transfer_result_get_length (result), ==, 1234);
    g_assert_cmpuint (ioh_transfer_result_get_allocated (result), ==, 4096);
    g_assert_cmpstr (ioh_transfer_result_get_engine (result), ==, "copy");
    g_assert_null (ioh_transfer_result_get_cache (result));
    g_assert_cmpstr (ioh_transfer_result_get_notes (result)[1], ==, "b");
    g_assert_null (ioh_transfer_result_get_notes (result)[2]);
    g_assert_cmpfloat (ioh_transfer_result_get_total_seconds (result), ==, 1.5);
    g_assert_cmpfloat (ioh_transfer_result_get_stream_seconds (result), ==, 1);
    g_assert_cmpfloat (ioh_transfer_result_get_file_seconds (result), ==, 0.25);
    g_assert_cmpfloat (ioh_transfer_result_get_flush_seconds (result), ==, 0.125);
    g_assert_cmpstr (ioh_transfer_result_get_report (result), ==, report_done);
}

/* Asks for all there is. */
static void
use (IohTransferResult *result)
{
    const char *const *notes = ioh_transfer_result_get_notes (result);

    for (; *notes != NULL; notes++)
        g_assert_true (g_utf8_validate (*notes, -1, NULL));
    g_assert_cmpfloat (ioh_transfer_result_get_total_seconds (result), >=, 0);
    g_assert_cmpfloat (ioh_transfer_result_get_flush_seconds (result), >=, 0);
    g_assert_cmpint (ioh_transfer_result_get_offset (result), >=, -1);
    g_assert_cmpint (ioh_transfer_result_get_errno (result), >=, 0);
    ioh_transfer_result_get_bytes (result);
    ioh_transfer_result_get_length (result);
    ioh_transfer_result_get_engine (result);
    ioh_transfer_result_get_cache (result);
    ioh_transfer_result_is_published (result);
}

/* A few bytes exchanged, some doubled, the end cut off. */
static void
damage (GString *text)
{
    static const char favourites[] = "{}[]\",:\\0129-.eE \n\xff\xc3";

    for (int i = g_test_rand_int_range (1, 5); i > 0 && text->len > 0; i--) {
        gssize at = g_test_rand_int_range (0, (gint32) text->len);
        char byte = favourites[g_test_rand_int_range (0, sizeof favourites - 1)];
        if (g_test_rand_bit ())
            text->str[at] = byte;
        else
            g_string_insert_len (text, at, text->str + at / 2, at - at / 2);
    }
    if (g_test_rand_bit () && text->len > 0)
        g_string_truncate (text, (gsize) g_test_rand_int_range (0, (gint32) text->len));
}

static void
test_damaged_reports (void)
{
    static const char *const reports[] = {report_done, report_failed, report_cancelled};

    for (int i = 0; i < 20000; i++) {
        g_autoptr (GString) text = g_string_new (reports[i % G_N_ELEMENTS (reports)]);
        g_autoptr (GError) error = NULL;
        damage (text);
        const IohEnding ending = {.how = i % 2 == 0 ? IOH_ENDED_EXITED : IOH_ENDED_UNKNOWN,
                                  .number = i % 9,
                                  .report = text->str,
                                  .report_length = text->len,
                                  .words = text->str};
        g_autoptr (IohTransferResult) result = ioh_verdict (&ending, &error);
        g_assert_true (ioh_transfer_result_is_done (result) == (error == NULL));
        use (result);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *name = g_strconcat ("/verdict/", rows[i].name, NULL);
        g_test_add_data_func (name, &rows[i], test_row);
    }
    g_test_add_func ("/verdict/details", test_details);
    g_test_add_func ("/verdict/members", test_members);
    g_test_add_func ("/verdict/damaged-reports", test_damaged_reports);
    return g_test_run ();
}
