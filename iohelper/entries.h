/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ENTRIES_H
#define IOH_ENTRIES_H

#include <glib.h>

#include "options.h"

/* The options of COMMAND as GOption wants them; values go to OPTIONS, which must outlive the group.
 * The caller, or the context it is given to, owns it. */
GOptionGroup *ioh_entries_new (IohCommand command, IohOptions *options);

/* Prints the version and exits; a callback of GOption. */
gboolean ioh_entries_print_version (const char *name, const char *value, gpointer data,
                                    GError **error) G_GNUC_NORETURN;

#endif
