/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PRINTABLE_H
#define IOH_PRINTABLE_H

#include <glib.h>

/* TEXT without line breaks and other control characters, which become \ooo: names come from
 * outside, and a terminal obeys what it is sent. The caller frees it. */
char *ioh_printable (const char *text);

/* Behind the first letter of TEXT, which is not empty; a byte that is no UTF-8 counts as one. */
const char *ioh_printable_next (const char *text, gunichar *out_letter);

/* The columns that TEXT takes in a terminal. */
int ioh_printable_width (const char *text);

/* Ends TEXT where it would take more than COLUMNS. */
void ioh_printable_cut (char *text, int columns);

#endif
