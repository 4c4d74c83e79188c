/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image-qemu-description - the JSON with which QEMU describes the devices behind the end of a
 * stream.
 *
 * Owns finding it from the end of the file. A stream that has been cut does not end that way: six
 * bytes have to fit where the file ends, and what is between them has to be what they say.
 */
#include "image-qemu-description.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "wire.h"

/* End mark, kind, length. */
#define DESCRIPTION_PREFIX 6

/* How far from the end it is looked for. One processor takes some 50 KiB. */
#define DESCRIPTION_MOST (UINT64_C (64) << 20)

/* What is longer is not looked into: its tree would take a hundred times as much memory. */
#define DESCRIPTION_PARSE_MOST (UINT64_C (4) << 20)

#define DESCRIPTION_STRIDE ((size_t) 64 * 1024)

static uint32_t
description_integer (JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member (object, name);

    if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
        json_node_get_value_type (node) != G_TYPE_INT64)
        return 0;
    gint64 value = json_node_get_int (node);
    return value >= 0 && value <= UINT32_MAX ? (uint32_t) value : 0;
}

static const char *
description_string (JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member (object, name);

    if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
        json_node_get_value_type (node) != G_TYPE_STRING)
        return NULL;
    return json_node_get_string (node);
}

static void
description_add_devices (IohQemuStream *stream, JsonArray *devices)
{
    for (guint i = 0; i < json_array_get_length (devices); i++) {
        JsonNode *node = json_array_get_element (devices, i);
        JsonObject *device = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
        const char *name = device != NULL ? description_string (device, "name") : NULL;
        if (name != NULL &&
            !ioh_qemu_stream_add_section (stream, g_strdup (name),
                                          description_integer (device, "instance_id"),
                                          description_integer (device, "version")))
            return;
    }
}

/* FALSE when TEXT is not what QEMU writes there. */
static gboolean
description_parse (IohQemuStream *stream, const char *text, size_t length, gboolean devices)
{
    g_autoptr (JsonParser) parser = json_parser_new_immutable ();

    if (!ioh_wire_json_is_shallow (text, length) || !g_utf8_validate_len (text, length, NULL) ||
        !json_parser_load_from_data (parser, text, (gssize) length, NULL))
        return FALSE;
    JsonNode *root = json_parser_get_root (parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
        return FALSE;
    JsonNode *list = json_object_get_member (json_node_get_object (root), "devices");
    if (list == NULL || !JSON_NODE_HOLDS_ARRAY (list))
        return FALSE;
    if (stream->page_bytes == 0)
        stream->page_bytes = description_integer (json_node_get_object (root), "page_size");
    if (devices)
        description_add_devices (stream, json_node_get_array (list));
    return TRUE;
}

gboolean
ioh_qemu_description_read (IohCursor *cursor, IohQemuStream *stream, uint64_t length,
                           gboolean devices)
{
    if (length > ioh_cursor_left (cursor))
        return FALSE;
    if (length > DESCRIPTION_PARSE_MOST)
        return ioh_cursor_byte (cursor) == '{' && ioh_cursor_skip (cursor, length - 1);
    g_autofree char *text = g_malloc (length + 1);
    return ioh_cursor_take (cursor, text, length) &&
           description_parse (stream, text, length, devices);
}

/* Whether a description begins behind PREFIX, as far as that tells, when LENGTH bytes follow it. */
static gboolean
description_fits (const uint8_t *prefix, uint64_t length)
{
    uint32_t told = 0;

    memcpy (&told, prefix + 2, sizeof told);
    return prefix[0] == IOH_QEMU_EOF && prefix[1] == IOH_QEMU_DESCRIPTION &&
           GUINT32_FROM_BE (told) == length;
}

/* Looks for the prefix in [FROM, FROM + DESCRIPTION_STRIDE), the last one first. Where the
 * description begins, or 0. */
static uint64_t
description_find (IohCursor *cursor, uint64_t from)
{
    uint8_t bytes[DESCRIPTION_STRIDE + DESCRIPTION_PREFIX];
    size_t length = (size_t) MIN (sizeof bytes, cursor->end - from);

    ioh_cursor_seek (cursor, from);
    if (!ioh_cursor_take (cursor, bytes, length))
        return 0;
    for (size_t i = length; i-- > DESCRIPTION_PREFIX;) {
        uint64_t begin = from + i;
        if (description_fits (bytes + i - DESCRIPTION_PREFIX, cursor->end - begin))
            return begin;
    }
    return 0;
}

gboolean
ioh_qemu_description_at_end (IohCursor *cursor, IohQemuStream *stream)
{
    uint64_t start = cursor->position;
    uint64_t most = MIN (ioh_cursor_left (cursor), DESCRIPTION_MOST);
    uint64_t begin = 0;

    if (ioh_cursor_left (cursor) <= DESCRIPTION_PREFIX)
        return FALSE;
    ioh_cursor_seek (cursor, cursor->end - 1);
    if (ioh_cursor_byte (cursor) != '}')
        return FALSE;
    for (uint64_t back = DESCRIPTION_STRIDE; begin == 0; back += DESCRIPTION_STRIDE) {
        begin = description_find (cursor, MAX (cursor->end - MIN (back, cursor->end), start));
        if (back >= most || cursor->state != IOH_CURSOR_GOOD)
            break;
    }
    if (begin == 0)
        return FALSE;
    ioh_cursor_seek (cursor, begin);
    if (!ioh_qemu_description_read (cursor, stream, cursor->end - begin, TRUE))
        return FALSE;
    stream->ended = TRUE;
    stream->end = cursor->end;
    stream->description_bytes = cursor->end - begin;
    return TRUE;
}
