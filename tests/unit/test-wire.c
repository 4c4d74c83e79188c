/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-wire - the words of options and report: each has its spelling and is read back as itself.
 */
#include <string.h>

#include "wire.h"

/* One vocabulary that is written and read. */
#define ROUND_TRIP(type, name, parse, ...)                                                         \
    do {                                                                                           \
        static const char *const words[] = {__VA_ARGS__};                                          \
        for (unsigned i = 0; i < G_N_ELEMENTS (words); i++) {                                      \
            type value = (type) 99;                                                                \
            g_assert_cmpstr (name ((type) i), ==, words[i]);                                       \
            g_assert_true (parse (words[i], &value));                                              \
            g_assert_cmpint ((int) value, ==, (int) i);                                            \
        }                                                                                          \
        type untouched = (type) 99;                                                                \
        g_assert_false (parse ("nonsense", &untouched));                                           \
        g_assert_false (parse ("", &untouched));                                                   \
        g_assert_false (parse ("AUTO", &untouched));                                               \
        g_assert_cmpint ((int) untouched, ==, 99);                                                 \
    } while (0)

static void
test_cache (void)
{
    ROUND_TRIP (IohCache, ioh_wire_cache_name, ioh_wire_cache_parse, "auto", "direct", "drop",
                "keep");
}

static void
test_sync (void)
{
    ROUND_TRIP (IohSync, ioh_wire_sync_name, ioh_wire_sync_parse, "full", "data", "none");
}

static void
test_exists (void)
{
    ROUND_TRIP (IohExists, ioh_wire_exists_name, ioh_wire_exists_parse, "replace", "refuse",
                "overwrite");
}

static void
test_queue (void)
{
    ROUND_TRIP (IohQueueKind, ioh_wire_queue_name, ioh_wire_queue_parse, "auto", "io_uring",
                "threads");
}

static void
test_progress (void)
{
    ROUND_TRIP (IohProgressWhen, ioh_wire_progress_name, ioh_wire_progress_parse, "auto", "always",
                "never");
}

static void
test_parent_death (void)
{
    ROUND_TRIP (IohParentDeath, ioh_wire_parent_death_name, ioh_wire_parent_death_parse, "cancel",
                "finish-save");
}

static void
test_phase (void)
{
    ROUND_TRIP (IohPhase, ioh_wire_phase_name, ioh_wire_phase_parse, "opening", "moving", "waiting",
                "flushing");
}

/* Words that are only written. */
static void
test_names (void)
{
    static const char *const stages[] = {"none",  "open",     "label", "check", "read",
                                         "write", "truncate", "flush", "close", "publish"};
    static const char *const exits[] = {"done", "internal", "usage", "stream",
                                        "file", "no-room",  "flush", "image"};
    static const char *const sides[] = {"none", "stream", "file"};

    for (unsigned i = 0; i < G_N_ELEMENTS (stages); i++)
        g_assert_cmpstr (ioh_wire_stage_name ((IohStage) i), ==, stages[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS (exits); i++)
        g_assert_cmpstr (ioh_wire_exit_name ((IohExit) i), ==, exits[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS (sides); i++)
        g_assert_cmpstr (ioh_wire_side_name ((IohSide) i), ==, sides[i]);
    g_assert_cmpstr (ioh_wire_direction_name (IOH_SAVE), ==, "save");
    g_assert_cmpstr (ioh_wire_direction_name (IOH_RESTORE), ==, "restore");
}

/* What is standard when nothing is given lies within what may be given. */
static void
test_ranges (void)
{
    static const char *const options[] = {IOH_OPTION_PIPE_SIZE, IOH_OPTION_BLOCK_SIZE,
                                          IOH_OPTION_OFFSET, IOH_OPTION_EXPECT_SIZE,
                                          IOH_OPTION_SOCKET_BUFFER};

    for (unsigned i = 0; i < G_N_ELEMENTS (options); i++) {
        const IohWireRange *range = ioh_wire_range (options[i]);
        g_assert_cmpstr (range->option, ==, options[i]);
        g_assert_cmpuint (range->least, <, range->most);
        if (range->standard != IOH_UNSET) {
            g_assert_cmpuint (range->standard, >=, range->least);
            g_assert_cmpuint (range->standard, <=, range->most);
        }
    }
}

/* What would hide brackets from a count is refused with them. */
static void
test_json_depth (void)
{
    static const struct {
        const char *text;
        gboolean shallow;
    } table[] = {
        {"{\"a\": [1, {\"b\": \"[[[[\"}]}", TRUE},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", TRUE},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", FALSE},
        {"{\"/* ' #\": \"\\\"\"}", TRUE},
        {"/* \" */[]", FALSE},
        {"// \"\n[]", FALSE},
        {"{'\"': []}", FALSE},
        {"# \"\n[]", FALSE},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_test_message ("%s", table[i].text);
        g_assert_true (ioh_wire_json_is_shallow (table[i].text, strlen (table[i].text)) ==
                       table[i].shallow);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/wire/cache", test_cache);
    g_test_add_func ("/wire/sync", test_sync);
    g_test_add_func ("/wire/exists", test_exists);
    g_test_add_func ("/wire/queue", test_queue);
    g_test_add_func ("/wire/progress", test_progress);
    g_test_add_func ("/wire/parent-death", test_parent_death);
    g_test_add_func ("/wire/phase", test_phase);
    g_test_add_func ("/wire/names", test_names);
    g_test_add_func ("/wire/ranges", test_ranges);
    g_test_add_func ("/wire/json-depth", test_json_depth);
    return g_test_run ();
}
