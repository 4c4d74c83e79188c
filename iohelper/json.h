/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_JSON_H
#define IOH_JSON_H

#include <json-glib/json-glib.h>

/* What BUILDER has been given, which must be complete, as indented text that ends with a newline.
 * Fractions have six digits at most. The caller frees it. */
char *ioh_json_print (JsonBuilder *builder);

#endif
