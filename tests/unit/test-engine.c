/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-engine - the table of engines, and how it is shown.
 */
#include <json-glib/json-glib.h>
#include <string.h>

#include "engine.h"
#include "listing.h"

static void
test_found_by_name (void)
{
    const IohEngine *engine;
    unsigned count = 0;

    for (; (engine = ioh_engine_nth (count)) != NULL; count++)
        g_assert_true (ioh_engine_find (engine->name) == engine);
    g_assert_cmpuint (count, >=, 1);
    g_assert_null (ioh_engine_nth (count + 1));
    g_assert_null (ioh_engine_find ("auto"));
    g_assert_null (ioh_engine_find (""));
}

/* What every engine must have. */
static void
test_complete (void)
{
    const IohEngine *engine;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        g_assert_nonnull (engine->summary);
        g_assert_nonnull (engine->usable);
        g_assert_nonnull (engine->begin);
        g_assert_nonnull (engine->save_step);
        g_assert_nonnull (engine->restore_step);
        engine->end (NULL);
    }
}

/* The last is behind all others: it works with everything. */
static void
test_last_resort (void)
{
    const IohEngine *last = NULL;
    const IohEngine *engine;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++)
        last = engine;
    g_assert_true (last->saves_direct && last->restores_direct && !last->queues);
    for (int kind = IOH_END_UNKNOWN; kind <= IOH_END_SOCKET; kind++) {
        const IohFacts facts = {.stream.kind = (IohEndKind) kind, .file.kind = (IohEndKind) kind};
        const char *why = NULL;
        g_assert_true (last->usable (&facts, IOH_SAVE, &why));
        g_assert_true (last->usable (&facts, IOH_RESTORE, &why));
        g_assert_nonnull (why);
    }
}

/* Every answer has its reason. */
static void
test_reasons (void)
{
    const IohEngine *engine;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++)
        for (int kind = IOH_END_UNKNOWN; kind <= IOH_END_SOCKET; kind++) {
            const IohFacts facts = {.stream.kind = (IohEndKind) kind,
                                    .file.kind = (IohEndKind) kind};
            const char *why = NULL;
            engine->usable (&facts, IOH_SAVE, &why);
            g_assert_cmpuint (strlen (why), >, 0);
        }
}

static void
test_names (void)
{
    g_autofree const char **words = ioh_engine_words ();
    unsigned count = g_strv_length ((char **) words);

    g_assert_cmpstr (words[0], ==, "auto");
    for (unsigned i = 1; i < count; i++)
        g_assert_cmpstr (words[i], ==, ioh_engine_nth (i - 1)->name);
    g_assert_null (ioh_engine_nth (count - 1));
}

static void
test_listed (void)
{
    g_autoptr (IohFacts) facts = ioh_probe_host ();
    g_autofree char *text = ioh_listing_new (facts, FALSE, 0);
    const IohEngine *engine;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        g_assert_nonnull (strstr (text, engine->name));
        g_assert_nonnull (strstr (text, engine->summary));
    }
}

static void
test_listed_as_json (void)
{
    g_autoptr (IohFacts) facts = ioh_probe_host ();
    g_autofree char *text = ioh_listing_new (facts, TRUE, 0);
    g_autoptr (JsonParser) parser = json_parser_new ();
    const IohEngine *engine;

    g_assert_true (json_parser_load_from_data (parser, text, -1, NULL));
    JsonArray *array = json_node_get_array (json_parser_get_root (parser));
    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        JsonObject *object = json_array_get_object_element (array, i);
        JsonObject *save = json_object_get_object_member (object, "save");
        g_assert_cmpstr (json_object_get_string_member (object, "name"), ==, engine->name);
        g_assert_true (json_object_has_member (save, "usable"));
        g_assert_true (json_object_has_member (save, "reason"));
        g_assert_true (json_object_has_member (object, "restore"));
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/found-by-name", test_found_by_name);
    g_test_add_func ("/engine/complete", test_complete);
    g_test_add_func ("/engine/last-resort", test_last_resort);
    g_test_add_func ("/engine/reasons", test_reasons);
    g_test_add_func ("/engine/names", test_names);
    g_test_add_func ("/engine/listed", test_listed);
    g_test_add_func ("/engine/listed-as-json", test_listed_as_json);
    return g_test_run ();
}
