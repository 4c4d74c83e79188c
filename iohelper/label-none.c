/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * label-none - stands in for label-selinux in builds without libselinux.
 */
#include "label.h"

#include <errno.h>

int
ioh_label_copy (const char *path, int fd)
{
    (void) path;
    (void) fd;
    return -EOPNOTSUPP;
}
