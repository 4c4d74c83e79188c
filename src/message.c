/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * message - the library's texts in the language of the host program.
 *
 * Must never touch the host program's own text domain or locale.
 */
#include "message.h"

#include "config.h"

#if IOH_HAVE_NLS
#include <libintl.h>

const char *
ioh_message (const char *text)
{
    static gsize bound;

    if (g_once_init_enter (&bound)) {
        bindtextdomain (IOH_PACKAGE, IOH_LOCALEDIR);
        bind_textdomain_codeset (IOH_PACKAGE, "UTF-8");
        g_once_init_leave (&bound, 1);
    }
    return g_dgettext (IOH_PACKAGE, text);
}
#else
const char *
ioh_message (const char *text)
{
    return text;
}
#endif
