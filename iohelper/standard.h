/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_STANDARD_H
#define IOH_STANDARD_H

#include <glib.h>

#include "error.h"

/* Keeps the numbers of standard descriptors that are closed from being given to files of ours.
 * Exits when it cannot. */
void ioh_standard_guard (void);

/* FALSE with a usage error, of PLACE unless that is NULL, when FD is a standard descriptor that was
 * closed when we were started. */
gboolean ioh_standard_check (int fd, const IohPlace *place, GError **error);

/* Prints TEXT, which is what a command was asked for. FALSE with the error set when it does not
 * get there. */
gboolean ioh_standard_print (const char *text, GError **error);

#endif
