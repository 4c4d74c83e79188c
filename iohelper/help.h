/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_HELP_H
#define IOH_HELP_H

#include "commands.h"
#include "values.h"

/* What the program can do; the caller frees it. */
char *ioh_help_overview (void);

/* How COMMAND is used: those of its options that are often of use, or ALL. The caller frees it. */
char *ioh_help_command (const IohCommandInfo *info, gboolean all);

/* The options that print something instead of doing anything, and exit. */
IohTake ioh_help_take;
IohTake ioh_help_take_version;

/* Prints TEXT, frees it and exits; returns FALSE when it cannot be printed. */
gboolean ioh_help_print (char *text, GError **error);

#endif
