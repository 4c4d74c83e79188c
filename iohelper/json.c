/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * json - what is printed as JSON: its members and its look.
 *
 * Owns the digits of fractions: json-glib prints all seventeen, 0.056252999999999997 for what was
 * measured as 56253 microseconds.
 */
#include "json.h"

#include <string.h>

/* Appends the number at TEXT, which is LENGTH long. */
static void
json_append_number (GString *out, const char *text, size_t length)
{
    g_autofree char *number = g_strndup (text, length);
    char rounded[G_ASCII_DTOSTR_BUF_SIZE];

    if (strchr (number, '.') == NULL) {
        g_string_append (out, number);
        return;
    }
    g_ascii_formatd (rounded, sizeof rounded, "%.6f", g_ascii_strtod (number, NULL));
    size_t end = strlen (rounded);
    while (rounded[end - 1] == '0' && rounded[end - 2] != '.')
        end--;
    g_string_append_len (out, rounded, (gssize) end);
}

/* How long the string at TEXT is, with both its quotes. */
static size_t
json_string_length (const char *text)
{
    size_t length = 1;

    while (text[length] != '"')
        length += text[length] == '\\' ? 2 : 1;
    return length + 1;
}

static char *
json_round (const char *text)
{
    GString *out = g_string_new (NULL);

    while (*text != '\0') {
        size_t length = strspn (text, "+-.0123456789eE");
        if (*text == '"') {
            length = json_string_length (text);
            g_string_append_len (out, text, (gssize) length);
        } else if (*text == '-' || g_ascii_isdigit (*text)) {
            json_append_number (out, text, length);
        } else {
            length = 1;
            g_string_append_c (out, *text);
        }
        text += length;
    }
    g_string_append_c (out, '\n');
    return g_string_free (out, FALSE);
}

void
ioh_json_add_text (JsonBuilder *builder, const char *name, const char *text)
{
    if (text == NULL)
        return;
    g_autofree char *valid = g_utf8_make_valid (text, -1);
    json_builder_set_member_name (builder, name);
    json_builder_add_string_value (builder, valid);
}

void
ioh_json_add_number (JsonBuilder *builder, const char *name, uint64_t number)
{
    json_builder_set_member_name (builder, name);
    json_builder_add_int_value (builder, (gint64) MIN (number, (uint64_t) INT64_MAX));
}

void
ioh_json_add_boolean (JsonBuilder *builder, const char *name, gboolean value)
{
    json_builder_set_member_name (builder, name);
    json_builder_add_boolean_value (builder, value);
}

void
ioh_json_add_real (JsonBuilder *builder, const char *name, double value)
{
    json_builder_set_member_name (builder, name);
    json_builder_add_double_value (builder, value);
}

void
ioh_json_add_texts (JsonBuilder *builder, const char *name, const GPtrArray *texts)
{
    ioh_json_begin_array (builder, name);
    for (unsigned i = 0; i < texts->len; i++) {
        g_autofree char *valid = g_utf8_make_valid (g_ptr_array_index (texts, i), -1);
        json_builder_add_string_value (builder, valid);
    }
    json_builder_end_array (builder);
}

void
ioh_json_begin_object (JsonBuilder *builder, const char *name)
{
    json_builder_set_member_name (builder, name);
    json_builder_begin_object (builder);
}

void
ioh_json_begin_array (JsonBuilder *builder, const char *name)
{
    json_builder_set_member_name (builder, name);
    json_builder_begin_array (builder);
}

char *
ioh_json_print (JsonBuilder *builder)
{
    g_autoptr (JsonGenerator) generator = json_generator_new ();
    g_autoptr (JsonNode) root = json_builder_get_root (builder);

    json_generator_set_root (generator, root);
    json_generator_set_pretty (generator, TRUE);
    g_autofree char *text = json_generator_to_data (generator, NULL);
    return json_round (text);
}
