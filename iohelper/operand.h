/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_OPERAND_H
#define IOH_OPERAND_H

#include <glib.h>

#include "options.h"

/* Takes OPERAND, which usage calls WHAT, as the file's end of OPTIONS, gives the stream its default
 * descriptor, and checks that no descriptor is used for two things. */
gboolean ioh_operand_take (IohOptions *options, const char *what, const char *operand,
                           GError **error);

#endif
