/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * label-none - stands in for label-selinux in builds without libselinux.
 */
#include "label.h"

#include <errno.h>

IohLabels
ioh_labels (void)
{
    return IOH_LABELS_NOT_BUILT;
}

int
ioh_label_set (int fd, const char *context)
{
    (void) fd;
    (void) context;
    return -EOPNOTSUPP;
}

int
ioh_label_copy (const char *path, int fd)
{
    (void) path;
    (void) fd;
    return -EOPNOTSUPP;
}

int
ioh_label_creations (const char *context)
{
    (void) context;
    return 0;
}
