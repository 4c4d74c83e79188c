/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_WRAP_H
#define IOH_WRAP_H

#include <glib.h>

/* The columns of the terminal that FD is, 0 when it is none. */
int ioh_wrap_columns (int fd);

/* Goes on with BODY in the last line of TEXT, and ends that. BODY is broken where its language
 * allows it, so that it has room in COLUMNS (0: it is not broken); the lines that come of it begin
 * with INDENT blanks. A word that is longer than a line stays whole: names are to be copied. */
void ioh_wrap_append (GString *text, int indent, const char *body, int columns);

/* HEAD and the parts of a sentence behind it: in one line when that has room in COLUMNS (0: it
 * always has), else one under the other. The caller frees it. */
char *ioh_wrap_join (const char *head, char *const *parts, int columns);

#endif
