/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PARSE_H
#define IOH_PARSE_H

#include <json-glib/json-glib.h>

/*
 * JSON from a process that may be broken or not be the helper at all. Whatever the text is, reading
 * it neither fails loudly nor uses more than a bounded amount of stack; what is missing, of another
 * type or out of range reads as if it had not been said.
 */

/* The object that TEXT is; NULL with the error set (the code is PROTOCOL) when it is none. */
JsonNode *ioh_parse_object (const char *text, gsize length, GError **error);

/* Members of OBJECT, which may be NULL. Strings and objects are borrowed from it. */
JsonObject *ioh_parse_member (JsonObject *object, const char *name);
const char *ioh_parse_string (JsonObject *object, const char *name);
gint64 ioh_parse_integer (JsonObject *object, const char *name, gint64 least, gint64 otherwise);
double ioh_parse_seconds (JsonObject *object, const char *name);
gboolean ioh_parse_boolean (JsonObject *object, const char *name);

/* The strings of an array, owned by the caller; empty when it is none. */
char **ioh_parse_strings (JsonObject *object, const char *name);

#endif
