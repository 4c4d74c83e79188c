/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-report - the report read back as JSON: right words, right numbers, valid whatever happened.
 */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>

#include "error.h"
#include "report.h"

/* A finished save to a file, as main has it in the end. */
typedef struct {
    IohOptions *options;
    IohFacts *facts;
    IohPlan *plan;
    IohReport *report;
    JsonParser *parser;
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
    fixture->options = ioh_options_new (IOH_COMMAND_SAVE);
    ioh_options_set_stream (fixture->options, 5);
    ioh_options_set_file (fixture->options, "/srv/vm.img", -1);
    fixture->facts = g_new0 (IohFacts, 1);
    fixture->facts->page_bytes = 4096;
    fixture->facts->stream.kind = IOH_END_PIPE;
    fixture->facts->file.kind = IOH_END_MISSING;
    fixture->facts->file.seekable = TRUE;
    fixture->facts->file.direct = IOH_DIRECT_YES;
    fixture->facts->file.direct_why = "it works";
    fixture->facts->file.file_system = "ext4";
    fixture->facts->file.align_origin = "statx";
    fixture->plan = ioh_plan_new (fixture->options, fixture->facts, NULL);
    fixture->report = ioh_report_new ();
    fixture->parser = json_parser_new ();
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
    g_object_unref (fixture->parser);
    ioh_report_free (fixture->report);
    ioh_plan_free (fixture->plan);
    ioh_facts_free (fixture->facts);
    ioh_options_free (fixture->options);
}

/* The report as an object, which lives as long as the fixture. */
static JsonObject *
report_of (Fixture *fixture, const GError *failure, int signal_number)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *text = ioh_report_to_json (fixture->report, fixture->options, fixture->facts,
                                                fixture->plan, failure, signal_number);

    g_assert_true (g_utf8_validate (text, -1, NULL));
    json_parser_load_from_data (fixture->parser, text, -1, &error);
    g_assert_no_error (error);
    return json_node_get_object (json_parser_get_root (fixture->parser));
}

static JsonObject *
member (JsonObject *object, const char *name)
{
    return json_object_get_object_member (object, name);
}

static void
expect_string (JsonObject *object, const char *name, const char *value)
{
    g_assert_cmpstr (json_object_get_string_member_with_default (object, name, NULL), ==, value);
}

static void
expect_number (JsonObject *object, const char *name, gint64 value)
{
    g_assert_cmpint (json_object_get_int_member_with_default (object, name, -42), ==, value);
}

static void
test_done (Fixture *fixture, gconstpointer data)
{
    const IohResult result = {
        .engine = fixture->plan->engine,
        .bytes = UINT64_C (5) << 32,
        .published = TRUE,
        .durable = TRUE,
        .length = (UINT64_C (5) << 32) + 7,
        .allocated = 8192,
        .total_us = 1500000,
        .wait_stream_us = 500000,
        .wait_file_us = 250000,
        .flush_us = 125000,
    };

    ioh_report_result (fixture->report, &result);
    JsonObject *report = report_of (fixture, NULL, 0);
    expect_string (report, "program", "iohelper");
    expect_string (report, "direction", "save");
    expect_string (report, "outcome", "done");
    expect_number (report, "exit-status", 0);
    expect_number (report, "bytes", G_GINT64_CONSTANT (5) << 32);
    g_assert_true (json_object_get_boolean_member (report, "durable"));
    g_assert_false (json_object_has_member (report, "error"));
    g_assert_false (json_object_has_member (report, "signal"));
    expect_number (member (report, "file"), "length", (G_GINT64_CONSTANT (5) << 32) + 7);
    expect_number (member (report, "file"), "allocated", 8192);
    g_assert_true (json_object_get_boolean_member (member (report, "file"), "published"));
    JsonObject *seconds = member (report, "seconds");
    g_assert_cmpfloat (json_object_get_double_member (seconds, "total"), ==, 1.5);
    g_assert_cmpfloat (json_object_get_double_member (seconds, "wait-stream"), ==, 0.5);
    g_assert_cmpfloat (json_object_get_double_member (seconds, "wait-file"), ==, 0.25);
    g_assert_cmpfloat (json_object_get_double_member (seconds, "flush"), ==, 0.125);
}

static void
test_ends (Fixture *fixture, gconstpointer data)
{
    ioh_report_pipe_size (fixture->report, 65536, EPERM);
    JsonObject *report = report_of (fixture, NULL, 0);
    JsonObject *stream = member (report, "stream");
    expect_string (stream, "name", "fd 5");
    expect_string (stream, "kind", "pipe");
    expect_number (member (stream, "pipe-size"), "asked", 1048576);
    expect_number (member (stream, "pipe-size"), "used", 65536);
    expect_string (member (stream, "pipe-size"), "reason", "Operation not permitted");
    JsonObject *file = member (report, "file");
    expect_string (file, "name", "/srv/vm.img");
    expect_string (file, "kind", "new");
    expect_string (file, "file-system", "ext4");
}

/* Every choice says what was asked, what was used and why. */
static void
test_choices (Fixture *fixture, gconstpointer data)
{
    static const struct {
        const char *name;
        const char *asked;
        const char *used;
    } choices[] = {
        {"engine", "auto", "direct"},   {"cache", "auto", "direct"},   {"sync", "full", "full"},
        {"exists", "replace", "named"}, {"queue", "auto", "io_uring"},
    };
    JsonObject *report = report_of (fixture, NULL, 0);

    for (unsigned i = 0; i < G_N_ELEMENTS (choices); i++) {
        JsonObject *choice = member (report, choices[i].name);
        expect_string (choice, "asked", choices[i].asked);
        expect_string (choice, "used", choices[i].used);
        g_assert_cmpuint (strlen (json_object_get_string_member (choice, "reason")), >, 0);
    }
    expect_number (report, "block-size", 1048576);
    expect_string (member (report, "alignment"), "origin", "statx");
    expect_number (member (report, "alignment"), "offset", 4096);
}

/* What was used is what it came to, not what was planned. */
static void
test_step_down (Fixture *fixture, gconstpointer data)
{
    ioh_report_step_down (fixture->report, "cache", "direct", "drop", 4096, "Invalid argument");
    ioh_report_step_down (fixture->report, "queue", "io_uring", "threads", IOH_NO_OFFSET, "EPERM");
    JsonObject *report = report_of (fixture, NULL, 0);
    expect_string (member (report, "cache"), "used", "drop");
    expect_string (member (report, "queue"), "used", "threads");
    JsonArray *steps = json_object_get_array_member (report, "steps-down");
    g_assert_cmpuint (json_array_get_length (steps), ==, 2);
    JsonObject *step = json_array_get_object_element (steps, 0);
    expect_string (step, "what", "cache");
    expect_string (step, "from", "direct");
    expect_string (step, "to", "drop");
    expect_number (step, "offset", 4096);
    expect_string (step, "reason", "Invalid argument");
    g_assert_false (json_object_has_member (json_array_get_object_element (steps, 1), "offset"));
}

static void
test_failed (Fixture *fixture, gconstpointer data)
{
    const IohPlace place = {IOH_SIDE_FILE, "/srv/vm.img", IOH_STAGE_WRITE, 4096};
    g_autoptr (GError) failure = NULL;

    ioh_error_errno (&failure, &place, ENOSPC);
    JsonObject *report = report_of (fixture, failure, 0);
    expect_string (report, "outcome", "failed");
    expect_number (report, "exit-status", IOH_EXIT_NO_ROOM);
    JsonObject *error = member (report, "error");
    expect_string (error, "message", failure->message);
    expect_string (error, "side", "file");
    expect_string (error, "name", "/srv/vm.img");
    expect_string (error, "stage", "write");
    expect_number (error, "offset", 4096);
    expect_number (error, "errno", ENOSPC);
}

/* A failure of neither side has a message and nothing that would mislead. */
static void
test_failed_nowhere (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) failure = NULL;

    ioh_error_internal (&failure, "no memory", ENOMEM);
    JsonObject *report = report_of (fixture, failure, 0);
    expect_number (report, "exit-status", IOH_EXIT_INTERNAL);
    JsonObject *error = member (report, "error");
    g_assert_cmpuint (json_object_get_size (error), ==, 1);
    expect_string (error, "message", failure->message);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
    JsonObject *report = report_of (fixture, NULL, SIGTERM);

    expect_string (report, "outcome", "cancelled");
    expect_number (report, "signal", SIGTERM);
    g_assert_false (json_object_has_member (report, "exit-status"));
}

/* It may have failed before anything was known. */
static void
test_without_facts (Fixture *fixture, gconstpointer data)
{
    g_autoptr (GError) failure = NULL;

    ioh_error_usage (&failure, "x");
    g_clear_pointer (&fixture->plan, ioh_plan_free);
    g_clear_pointer (&fixture->facts, ioh_facts_free);
    JsonObject *report = report_of (fixture, failure, 0);
    expect_number (report, "exit-status", IOH_EXIT_USAGE);
    g_assert_false (json_object_has_member (report, "engine"));
    expect_string (member (report, "file"), "name", "/srv/vm.img");
}

/* JSON is UTF-8; the names of files and what is said about them are any bytes. */
static void
test_any_bytes (Fixture *fixture, gconstpointer data)
{
    const IohPlace place = {IOH_SIDE_FILE, "/srv/caf\xe9", IOH_STAGE_OPEN, IOH_NO_OFFSET};
    g_autoptr (GError) failure = NULL;

    ioh_options_set_file (fixture->options, "/srv/\"caf\xe9\"\n", -1);
    ioh_error_errno (&failure, &place, ENOENT);
    ioh_report_note (fixture->report, "said of caf\xe9");
    ioh_report_step_down (fixture->report, "cache", "direct", "drop", 0, "caf\xe9");
    JsonObject *report = report_of (fixture, failure, 0);
    expect_string (member (report, "file"), "name", "/srv/\"caf\xef\xbf\xbd\"\n");
    expect_string (member (report, "error"), "name", "/srv/caf\xef\xbf\xbd");
    JsonArray *notes = json_object_get_array_member (report, "notes");
    g_assert_cmpstr (json_array_get_string_element (notes, 0), ==, "said of caf\xef\xbf\xbd");
}

/* For people: steps down first, then notes, each a line. */
static void
test_lines (Fixture *fixture, gconstpointer data)
{
    ioh_report_note (fixture->report, "a note of %d", 1);
    ioh_report_step_down (fixture->report, "cache", "direct", "drop", 0, "Invalid argument");
    g_auto (GStrv) lines = ioh_report_lines (fixture->report);
    g_assert_cmpuint (g_strv_length (lines), ==, 2);
    g_assert_cmpstr (lines[0], ==, "cache: went on with drop instead of direct: Invalid argument");
    g_assert_cmpstr (lines[1], ==, "a note of 1");
}

static void
test_summary (Fixture *fixture, gconstpointer data)
{
    const IohResult result = {
        .engine = fixture->plan->engine, .bytes = 3000000, .total_us = 1500000, .flush_us = 250000};

    ioh_report_result (fixture->report, &result);
    g_auto (GStrv) summary = ioh_report_summary (fixture->report, fixture->plan);
    g_assert_cmpuint (g_strv_length (summary), ==, 3);
    g_assert_cmpstr (summary[0], ==, "2.9 MiB (3000000 bytes) in 1.500 s, 1.9 MiB/s");
    g_assert_true (g_str_has_prefix (summary[1], "engine direct, cache "));
    g_assert_nonnull (strstr (summary[2], "the flush 0.250 s"));
}

/* What is told in bytes is not told twice. */
static void
test_summary_small (Fixture *fixture, gconstpointer data)
{
    const IohResult result = {.engine = fixture->plan->engine, .bytes = 100, .total_us = 1000000};

    ioh_report_result (fixture->report, &result);
    g_auto (GStrv) summary = ioh_report_summary (fixture->report, fixture->plan);
    g_assert_cmpstr (summary[0], ==, "100 bytes in 1.000 s, 100 bytes/s");
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*run) (Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"/report/done", test_done},           {"/report/ends", test_ends},
        {"/report/choices", test_choices},     {"/report/step-down", test_step_down},
        {"/report/failed", test_failed},       {"/report/failed-nowhere", test_failed_nowhere},
        {"/report/cancelled", test_cancelled}, {"/report/without-facts", test_without_facts},
        {"/report/any-bytes", test_any_bytes}, {"/report/lines", test_lines},
        {"/report/summary", test_summary},     {"/report/summary-small", test_summary_small},
    };

    g_test_init (&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS (tests); i++)
        g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
    return g_test_run ();
}
