/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_JSON_H
#define IOH_JSON_H

#include <json-glib/json-glib.h>
#include <stdint.h>

/* A member of the object that BUILDER is at. A text of NULL is left out, and any text becomes valid
 * UTF-8: names of files need not be. */
void ioh_json_add_text (JsonBuilder *builder, const char *name, const char *text);
void ioh_json_add_number (JsonBuilder *builder, const char *name, uint64_t number);
void ioh_json_add_boolean (JsonBuilder *builder, const char *name, gboolean value);
void ioh_json_add_real (JsonBuilder *builder, const char *name, double value);
void ioh_json_add_texts (JsonBuilder *builder, const char *name, const GPtrArray *texts);
void ioh_json_begin_object (JsonBuilder *builder, const char *name);
void ioh_json_begin_array (JsonBuilder *builder, const char *name);

/* What BUILDER has been given, which must be complete, as indented text that ends with a newline.
 * Fractions have six digits at most. The caller frees it. */
char *ioh_json_print (JsonBuilder *builder);

#endif
