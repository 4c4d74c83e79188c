/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_AUTOFD_H
#define IOH_TESTS_AUTOFD_H

#include <unistd.h>

/* A descriptor with one owner: closed when it leaves scope, unless stolen. -1 is none. */
#define IOH_AUTOFD __attribute__ ((cleanup (ioh_autofd_clear))) int

static inline void
ioh_autofd_clear (int *fd)
{
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
}

static inline int
ioh_autofd_steal (int *fd)
{
    int stolen_fd = *fd;

    *fd = -1;
    return stolen_fd;
}

#endif
