/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * listing - shows the table of engines.
 *
 * Owns nothing. Asks each engine about the facts it is given and decides nothing.
 */
#include "listing.h"

#include "engine.h"
#include "i18n.h"
#include "json.h"
#include "plan.h"
#include "wrap.h"

/* The columns of a name, and the space behind it. */
#define LISTING_NAME 9

static const IohDirection listing_directions[] = {IOH_SAVE, IOH_RESTORE};

/* Whether ENGINE works for DIRECTION, with the reason in the user's language. */
static gboolean
listing_usable (const IohEngine *engine, const IohFacts *facts, IohDirection direction,
                const char **out_why)
{
    gboolean usable = engine->usable (facts, direction, out_why);

    *out_why = _ (*out_why);
    return usable;
}

/* One line about an engine: WHAT it is about, WORD and why. */
static void
listing_append (GString *text, int columns, const char *what, const char *word, const char *why)
{
    g_autofree char *body = g_strdup_printf ("%s: %s", word, why);

    g_string_append_printf (text, "%*s%-*s", LISTING_NAME, "", LISTING_NAME, what);
    ioh_wrap_append (text, 2 * LISTING_NAME, body, columns);
}

static char *
listing_table (const IohFacts *facts, int columns)
{
    GString *text = g_string_new (NULL);
    const IohEngine *engine;
    const char *why = NULL;

    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++) {
        g_string_append_printf (text, "%-*s", LISTING_NAME, engine->name);
        ioh_wrap_append (text, LISTING_NAME, _ (engine->summary), columns);
        for (unsigned d = 0; d < G_N_ELEMENTS (listing_directions); d++) {
            gboolean usable = listing_usable (engine, facts, listing_directions[d], &why);
            listing_append (text, columns, ioh_wire_direction_name (listing_directions[d]),
                            usable ? _ ("usable") : _ ("not usable"), why);
        }
        if (engine->queues) {
            g_autofree char *reason = NULL;
            IohQueueKind queue = ioh_plan_queue (facts, &reason);
            listing_append (text, columns, "queue", ioh_wire_queue_name (queue), reason);
        }
    }
    return g_string_free (text, FALSE);
}

static void
listing_add_queue (JsonBuilder *builder, const IohFacts *facts)
{
    g_autofree char *reason = NULL;
    const char *name = ioh_wire_queue_name (ioh_plan_queue (facts, &reason));

    ioh_json_begin_object (builder, "queue");
    ioh_json_add_text (builder, "name", name);
    ioh_json_add_text (builder, "reason", reason);
    json_builder_end_object (builder);
}

static void
listing_add_engine (JsonBuilder *builder, const IohEngine *engine, const IohFacts *facts)
{
    const char *why = NULL;

    json_builder_begin_object (builder);
    ioh_json_add_text (builder, "name", engine->name);
    ioh_json_add_text (builder, "summary", _ (engine->summary));
    for (unsigned d = 0; d < G_N_ELEMENTS (listing_directions); d++) {
        gboolean usable = listing_usable (engine, facts, listing_directions[d], &why);
        ioh_json_begin_object (builder, ioh_wire_direction_name (listing_directions[d]));
        ioh_json_add_boolean (builder, "usable", usable);
        ioh_json_add_text (builder, "reason", why);
        json_builder_end_object (builder);
    }
    if (engine->queues)
        listing_add_queue (builder, facts);
    json_builder_end_object (builder);
}

static char *
listing_json (const IohFacts *facts)
{
    g_autoptr (JsonBuilder) builder = json_builder_new ();
    const IohEngine *engine;

    json_builder_begin_array (builder);
    for (unsigned i = 0; (engine = ioh_engine_nth (i)) != NULL; i++)
        listing_add_engine (builder, engine, facts);
    json_builder_end_array (builder);
    return ioh_json_print (builder);
}

char *
ioh_listing_new (const IohFacts *facts, gboolean json, int columns)
{
    return json ? listing_json (facts) : listing_table (facts, columns);
}
