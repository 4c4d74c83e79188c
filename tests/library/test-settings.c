/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-settings - the properties and the options of the command line are the same, with the same
 * words, limits and defaults.
 */
#include <string.h>

#include "manager.h"
#include "wire.h"

/* What the library itself says to the helper, and what is no matter of the transfer. */
static const char *const not_for_programs[] = {
    IOH_OPTION_HELP,       IOH_OPTION_HELP_ALL, IOH_OPTION_FD,
    IOH_OPTION_LISTEN,     IOH_OPTION_CONNECT,  IOH_OPTION_REPORT,
    IOH_OPTION_NO_SANDBOX, IOH_OPTION_PROGRESS, IOH_OPTION_PROGRESS_FD,
    IOH_OPTION_CONTROL_FD, IOH_OPTION_EXPLAIN,  IOH_OPTION_QUIET,
    IOH_OPTION_VERBOSE,    IOH_OPTION_VERSION,  NULL,
};

/* The names of the options that the help of COMMAND lists. */
static char **
list_options (const char *command)
{
    const char *const argv[] = {g_getenv ("IOH_HELPER"), command, "--help-all", NULL};
    g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *help = NULL;
    g_autoptr (GMatchInfo) match = NULL;

    g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &help, NULL, NULL,
                  &error);
    g_assert_no_error (error);
    g_autoptr (GRegex) regex = g_regex_new ("^ +(?:-., )?--([a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
    g_regex_match (regex, help, 0, &match);
    for (; g_match_info_matches (match); g_match_info_next (match, NULL)) {
        g_autofree char *name = g_match_info_fetch (match, 1);
        g_strv_builder_add (names, name);
    }
    return g_strv_builder_end (names);
}

static GParamSpec *
find (const char *name)
{
    g_autoptr (GTypeClass) klass = g_type_class_ref (IOH_TYPE_TRANSFER);

    return g_object_class_find_property (G_OBJECT_CLASS (klass), name);
}

static void
test_every_option (void)
{
    static const char *const commands[] = {"save", "restore"};

    for (guint c = 0; c < G_N_ELEMENTS (commands); c++) {
        g_auto (GStrv) options = list_options (commands[c]);
        g_assert_cmpuint (g_strv_length (options), >, 20);
        for (guint i = 0; options[i] != NULL; i++) {
            gboolean left_out = g_strv_contains (not_for_programs, options[i]);
            g_test_message ("%s", options[i]);
            g_assert_true ((find (options[i]) != NULL) != left_out);
        }
    }
}

/* A restore is asked for nothing that only a save has. */
static void
test_save_only (void)
{
    g_auto (GStrv) save = list_options ("save");
    g_auto (GStrv) restore = list_options ("restore");

    for (guint i = 0; save[i] != NULL; i++) {
        GParamSpec *spec = find (save[i]);
        if (spec == NULL || !G_IS_PARAM_SPEC_ENUM (spec) ||
            g_strv_contains ((const char *const *) restore, save[i]))
            continue;
        g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore ("/nonexistent");
        g_autoptr (GError) error = NULL;
        g_object_set (transfer, save[i], 1, NULL);
        g_assert_cmpint (ioh_transfer_start (transfer, &error), ==, -1);
        g_assert_error (error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_USAGE);
        g_assert_nonnull (strstr (error->message, save[i]));
    }
}

static void
test_ranges (void)
{
    static const char *const sizes[] = {IOH_OPTION_PIPE_SIZE, IOH_OPTION_SOCKET_BUFFER,
                                        IOH_OPTION_BLOCK_SIZE};
    static const char *const positions[] = {IOH_OPTION_OFFSET, IOH_OPTION_EXPECT_SIZE};

    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        const IohWireRange *range = ioh_wire_range (sizes[i]);
        const GParamSpecUInt64 *spec = G_PARAM_SPEC_UINT64 (find (sizes[i]));
        g_assert_cmpuint (spec->minimum, ==, range->least);
        g_assert_cmpuint (spec->maximum, ==, range->most);
        g_assert_cmpuint (spec->default_value, ==, range->standard);
    }
    for (guint i = 0; i < G_N_ELEMENTS (positions); i++) {
        const IohWireRange *range = ioh_wire_range (positions[i]);
        const GParamSpecInt64 *spec = G_PARAM_SPEC_INT64 (find (positions[i]));
        g_assert_cmpuint (range->least, ==, 0);
        g_assert_cmpint (spec->minimum, ==, -1);
        g_assert_cmpuint ((guint64) spec->maximum, ==, range->most);
        g_assert_cmpint (spec->default_value, ==, -1);
    }
}

/* The nicks of an enumeration are the words of the command line. */
static void
words (GType type, const char *(*name) (int value))
{
    g_autoptr (GEnumClass) klass = g_type_class_ref (type);

    for (int i = klass->minimum; i <= klass->maximum; i++)
        g_assert_cmpstr (g_enum_get_value (klass, i)->value_nick, ==, name (i));
}

#define NAME(word, type)                                                                           \
    static const char *word##_name (int value)                                                     \
    {                                                                                              \
        return ioh_wire_##word##_name ((type) value);                                              \
    }
NAME (cache, IohCache)
NAME (sync, IohSync)
NAME (exists, IohExists)
NAME (queue, IohQueueKind)
NAME (parent_death, IohParentDeath)
NAME (phase, IohPhase)
NAME (direction, IohDirection)
NAME (side, IohSide)
NAME (stage, IohStage)

static void
test_words (void)
{
    words (IOH_TYPE_CACHE, cache_name);
    words (IOH_TYPE_SYNC, sync_name);
    words (IOH_TYPE_EXISTS, exists_name);
    words (IOH_TYPE_QUEUE_KIND, queue_name);
    words (IOH_TYPE_PARENT_DEATH, parent_death_name);
    words (IOH_TYPE_PHASE, phase_name);
    words (IOH_TYPE_DIRECTION, direction_name);
    words (IOH_TYPE_SIDE, side_name);
    words (IOH_TYPE_STAGE, stage_name);
}

/* What is set can be read back. */
static void
test_properties (void)
{
    const char *const environment[] = {"A=1", "B=2", NULL};
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save ("some/path");
    g_autofree char *path = NULL;
    g_autofree char *engine = NULL;
    g_autofree char *label = NULL;
    g_auto (GStrv) variables = NULL;
    IohDirection direction;
    IohExists exists;
    guint64 rate;
    gint64 offset;
    guint mode;
    gboolean keep;

    g_object_get (transfer, "engine", &engine, NULL);
    g_assert_cmpstr (engine, ==, "auto");
    g_clear_pointer (&engine, g_free);
    g_object_set (transfer, "engine", "copy", "label", "a:b:c:s0", "exists", IOH_EXISTS_REFUSE,
                  "rate-limit", (guint64) 5000000000, "offset", (gint64) 77, "mode", 0640u,
                  "keep-partial", TRUE, "environment", environment, NULL);
    g_object_get (transfer, "direction", &direction, "path", &path, "engine", &engine, "label",
                  &label, "exists", &exists, "rate-limit", &rate, "offset", &offset, "mode", &mode,
                  "keep-partial", &keep, "environment", &variables, NULL);
    g_assert_cmpint (direction, ==, IOH_SAVE);
    g_assert_cmpstr (path, ==, "some/path");
    g_assert_cmpstr (engine, ==, "copy");
    g_assert_cmpstr (label, ==, "a:b:c:s0");
    g_assert_cmpint (exists, ==, IOH_EXISTS_REFUSE);
    g_assert_cmpuint (rate, ==, 5000000000);
    g_assert_cmpint (offset, ==, 77);
    g_assert_cmpuint (mode, ==, 0640);
    g_assert_true (keep);
    g_assert_cmpuint (g_strv_length (variables), ==, 2);
}

int
main (int argc, char **argv)
{
    manager_init (&argc, &argv);
    g_test_add_func ("/settings/every-option", test_every_option);
    g_test_add_func ("/settings/save-only", test_save_only);
    g_test_add_func ("/settings/ranges", test_ranges);
    g_test_add_func ("/settings/words", test_words);
    g_test_add_func ("/settings/properties", test_properties);
    return g_test_run ();
}
