/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * label-selinux - security contexts through libselinux.
 *
 * Owns no policy: it carries a context from one file to another. Works on the stored attribute, so
 * a label survives also where SELinux is switched off at the moment.
 */
#include "label.h"

#include <errno.h>
#include <selinux/selinux.h>
#include <stddef.h>

IohLabels
ioh_labels (void)
{
    return is_selinux_enabled () > 0 ? IOH_LABELS_ACTIVE : IOH_LABELS_DISABLED;
}

int
ioh_label_set (int fd, const char *context)
{
    return fsetfilecon_raw (fd, context) < 0 ? -errno : 0;
}

int
ioh_label_copy (const char *path, int fd)
{
    char *context = NULL;

    if (getfilecon_raw (path, &context) < 0)
        return errno == ENODATA ? 0 : -errno;
    int result = ioh_label_set (fd, context);
    freecon (context);
    return result;
}

int
ioh_label_creations (const char *context)
{
    if (is_selinux_enabled () <= 0)
        return 0;
    return setfscreatecon_raw (context) < 0 ? -errno : 0;
}
