/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_DESCRIPTOR_H
#define IOH_DESCRIPTOR_H

#include <unistd.h>

/* Closes *FD when it is open and sets it to -1. Nothing the library closes holds data, so that the
 * error of close does not matter. */
static inline void
ioh_descriptor_clear (int *fd)
{
    if (*fd >= 0)
        close (*fd);
    *fd = -1;
}

/* A descriptor that is closed at the end of its scope unless it was handed on. */
#define ioh_auto_descriptor __attribute__ ((cleanup (ioh_descriptor_clear))) int

/* *FD, which becomes -1: the caller owns it from now on. */
static inline int
ioh_descriptor_steal (int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

#endif
