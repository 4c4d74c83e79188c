/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_I18N_H
#define IOH_I18N_H

/* Messages for people go through _(), or ngettext() when a number decides on a word of theirs;
 * table entries are marked by N_() and translated when shown. Report keys and values, option names
 * and engine names are never translated. */
#include "config.h"

#if IOH_HAVE_NLS
#include <libintl.h>
#define _(text) gettext (text)
#else
#define _(text) (text)
#define ngettext(one, many, count) ((count) == 1 ? (one) : (many))
#endif
#define N_(text) text

#endif
