/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ARGUMENTS_H
#define IOH_ARGUMENTS_H

#include "commands.h"

/* Reads ARGV, which ends with NULL and begins behind the command, into OPTIONS. The operands, which
 * end with NULL and are of ARGV; the caller frees the list only. NULL with a usage error. */
const char **ioh_arguments_read (const IohCommandInfo *info, char **argv, IohOptions *options,
                                 GError **error);

#endif
