/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ENTRIES_H
#define IOH_ENTRIES_H

#include <glib.h>

#include "options.h"
#include "values.h"

/* An option. */
typedef struct {
    const char *name;  /* without its dashes */
    char letter;       /* 0 for none */
    const char *value; /* as help calls it; NULL: it has none */
    IohTake *take;
    const char *help;    /* one line for people, marked N_() */
    const char *implied; /* what is meant when the value is left out; NULL: it must not be */
} IohEntry;

/* Options that belong together. */
typedef struct {
    const char *title; /* for people, marked N_() */
    unsigned commands; /* those that have them: bits, 1 << IohCommand */
    gboolean rare;     /* not for the short help */
    const IohEntry *entries;
    unsigned count;
} IohSection;

/* The sections of COMMAND in the order of help; NULL past the last. */
const IohSection *ioh_section_nth (IohCommand command, unsigned n);

/* The option of COMMAND of that name or letter, or NULL. */
const IohEntry *ioh_entry_find (IohCommand command, const char *name);
const IohEntry *ioh_entry_find_letter (IohCommand command, char letter);

/* The names of all options of COMMAND, which end with NULL; the caller frees the list only. */
const char **ioh_entry_names (IohCommand command);

#endif
