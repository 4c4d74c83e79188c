/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_INFO_H
#define IOH_INFO_H

#include <glib.h>

#include "image.h"
#include "options.h"

/* Opens and looks at the image that OPTIONS names; from then on the process is confined. NULL with
 * the error set when it cannot be read. */
IohImage *ioh_info_look (const IohOptions *options, GError **error);

/* What `iohelper info` prints of IMAGE, called NAME: a table for people, which has room in
 * COLUMNS (0: lists only are broken), or a JSON object. The caller frees it. */
char *ioh_info_table (const IohImage *image, const char *name, int columns);
char *ioh_info_json (const IohImage *image, const char *name);

/* FALSE with an error of status image when IMAGE is not all there. */
gboolean ioh_info_check (const IohImage *image, const char *name, GError **error);

#endif
