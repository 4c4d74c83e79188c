/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROGRESS_JSON_H
#define IOH_PROGRESS_JSON_H

#include "progress.h"

/* Tells FD, which stays the caller's and must stay open, one JSON object a line (members in
 * wire.h). A reader that is slow misses lines, one that is gone misses all; neither is an error.
 * FALSE with the error set when FD cannot be used or there is no thread to be had. */
gboolean ioh_progress_json_add (IohProgress *progress, int fd, GError **error);

#endif
