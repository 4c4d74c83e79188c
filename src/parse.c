/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parse - reads JSON that cannot be trusted.
 *
 * Owns the limits. json-glib recurses as deep as the text nests, so that depth is looked at first;
 * how long a text may be is for whoever gathers it to limit.
 */
#include "parse.h"

#include <math.h>

#include "error-private.h"
#include "message.h"
#include "wire.h"

JsonNode *
ioh_parse_object (const char *text, gsize length, GError **error)
{
    g_autoptr (JsonParser) parser = json_parser_new_immutable ();

    if (length <= G_MAXSSIZE && g_utf8_validate_len (text, length, NULL) &&
        ioh_wire_json_is_shallow (text, length) &&
        json_parser_load_from_data (parser, text, (gssize) length, NULL) &&
        json_parser_get_root (parser) != NULL &&
        JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
        return json_parser_steal_root (parser);
    ioh_transfer_error_set (error, IOH_TRANSFER_ERROR_PROTOCOL, NULL, "%s",
                            _ ("what the helper said is no JSON object"));
    return NULL;
}

/* The member as a value of TYPE, or NULL. */
static JsonNode *
parse_value (JsonObject *object, const char *name, GType type)
{
    JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

    if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != type)
        return NULL;
    return node;
}

JsonObject *
ioh_parse_member (JsonObject *object, const char *name)
{
    JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

    return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

const char *
ioh_parse_string (JsonObject *object, const char *name)
{
    JsonNode *node = parse_value (object, name, G_TYPE_STRING);

    return node != NULL ? json_node_get_string (node) : NULL;
}

gint64
ioh_parse_integer (JsonObject *object, const char *name, gint64 least, gint64 otherwise)
{
    JsonNode *node = parse_value (object, name, G_TYPE_INT64);

    return node != NULL && json_node_get_int (node) >= least ? json_node_get_int (node) : otherwise;
}

double
ioh_parse_seconds (JsonObject *object, const char *name)
{
    JsonNode *node = parse_value (object, name, G_TYPE_DOUBLE);
    double seconds = node != NULL ? json_node_get_double (node)
                                  : (double) ioh_parse_integer (object, name, 0, 0);

    return isfinite (seconds) && seconds > 0 ? seconds : 0;
}

gboolean
ioh_parse_boolean (JsonObject *object, const char *name)
{
    JsonNode *node = parse_value (object, name, G_TYPE_BOOLEAN);

    return node != NULL && json_node_get_boolean (node);
}

char **
ioh_parse_strings (JsonObject *object, const char *name)
{
    JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
    g_autoptr (GStrvBuilder) strings = g_strv_builder_new ();
    JsonArray *array =
        node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

    for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
        JsonNode *element = json_array_get_element (array, i);
        if (JSON_NODE_HOLDS_VALUE (element) && json_node_get_value_type (element) == G_TYPE_STRING)
            g_strv_builder_add (strings, json_node_get_string (element));
    }
    return g_strv_builder_end (strings);
}
