/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_LABEL_H
#define IOH_LABEL_H

/* Gives the file open as FD the SELinux context of the file PATH. 0 when done or when PATH has
 * none; -EOPNOTSUPP when this build or the file system knows no contexts; else -errno. */
int ioh_label_copy (const char *path, int fd);

#endif
