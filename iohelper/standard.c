/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * standard - standard output, where a command prints what it was asked for.
 *
 * Owns the check that a text has arrived: a command that prints nothing has done nothing.
 */
#include "standard.h"

#include <errno.h>
#include <stdio.h>

#include "error.h"
#include "i18n.h"

gboolean
ioh_standard_print (const char *text, GError **error)
{
    if (fputs (text, stdout) >= 0 && fflush (stdout) == 0)
        return TRUE;
    return ioh_error_internal (error, _ ("cannot write to standard output"), errno);
}
