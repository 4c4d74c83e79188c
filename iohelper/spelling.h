/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SPELLING_H
#define IOH_SPELLING_H

#include <glib.h>

/* The one of WORDS, which end with NULL, that somebody who wrote WORD most likely meant: it begins
 * like no other of them does, or few letters are missing, too many, wrong or swapped. NULL when
 * none is near. Capitals do not count. */
const char *ioh_spelling_nearest (const char *word, const char *const *words);

#endif
