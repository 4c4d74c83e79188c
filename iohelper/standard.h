/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_STANDARD_H
#define IOH_STANDARD_H

#include <glib.h>

/* Prints TEXT, which is what a command was asked for. FALSE with the error set when it does not
 * get there. */
gboolean ioh_standard_print (const char *text, GError **error);

#endif
