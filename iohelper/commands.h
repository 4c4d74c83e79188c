/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_COMMANDS_H
#define IOH_COMMANDS_H

#include <glib.h>

#include "options.h"

/* A command, as the command line names it. */
typedef struct {
    const char *name;
    IohCommand command;
    const char *operands; /* as help and messages call them; "" for none */
    unsigned least;       /* how many of them there are */
    unsigned most;
    const char
        *wanted; /* what the first of them is, for people, marked N_(); "" when there is none */
    const char *summary;      /* one line for people, marked N_() */
    char *(*describe) (void); /* what help says below the options; the caller frees it. Or NULL */
} IohCommandInfo;

/* The command of that name, or NULL. */
const IohCommandInfo *ioh_command_find (const char *name);

/* The commands in the order of help; NULL past the last. */
const IohCommandInfo *ioh_command_nth (unsigned n);

/* What is known of COMMAND, which must be one that has a name. */
const IohCommandInfo *ioh_command_info (IohCommand command);

#endif
