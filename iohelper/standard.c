/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * standard - the descriptors that every program is started with, or should be.
 *
 * Owns their numbers when they were closed, and the check that a text has arrived: a command that
 * prints nothing has done nothing.
 */
#include "standard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "i18n.h"
#include "sys.h"

/* What keeps a number busy is neither read nor written, which tells it later from what we were
 * given. */
void
ioh_standard_guard (void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl (fd, F_GETFD) < 0 && open ("/", O_PATH) < 0)
            _exit (IOH_EXIT_INTERNAL);
}

gboolean
ioh_standard_check (int fd, const IohPlace *place, GError **error)
{
    static const char *const closed[] = {
        [STDIN_FILENO] = N_ ("standard input is closed"),
        [STDOUT_FILENO] = N_ ("standard output is closed"),
        [STDERR_FILENO] = N_ ("standard error is closed"),
    };

    if (fd < STDIN_FILENO || fd > STDERR_FILENO)
        return TRUE;
    int flags = ioh_sys_get_flags (fd);
    if (flags >= 0 && (flags & O_PATH) == 0)
        return TRUE;
    if (place == NULL)
        return ioh_error_usage (error, "%s", _ (closed[fd]));
    return ioh_error_set (error, IOH_EXIT_USAGE, place, "%s", _ (closed[fd]));
}

gboolean
ioh_standard_print (const char *text, GError **error)
{
    if (!ioh_standard_check (STDOUT_FILENO, NULL, error))
        return FALSE;
    if (fputs (text, stdout) >= 0 && fflush (stdout) == 0)
        return TRUE;
    return ioh_error_internal (error, _ ("cannot write to standard output"), errno);
}
