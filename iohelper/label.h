/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_LABEL_H
#define IOH_LABEL_H

/* What contexts mean on this machine. */
typedef enum {
    IOH_LABELS_ACTIVE,
    IOH_LABELS_DISABLED,  /* SELinux is switched off or not in the kernel */
    IOH_LABELS_NOT_BUILT, /* this program was built without libselinux */
} IohLabels;

IohLabels ioh_labels (void);

/* Gives the file open as FD the SELinux context CONTEXT. 0, -EOPNOTSUPP when this build or the file
 * system knows no contexts, else -errno (-EINVAL: no such context). */
int ioh_label_set (int fd, const char *context);

/* Gives the file open as FD the SELinux context of the file PATH. 0 when done or when PATH has
 * none; -EOPNOTSUPP when this build or the file system knows no contexts; else -errno. */
int ioh_label_copy (const char *path, int fd);

/* Gives what this thread creates from now on the SELinux context CONTEXT; NULL: what policy says.
 * 0, also where SELinux is off, or -errno. For sockets, whose path is labelled when it comes to be.
 */
int ioh_label_creations (const char *context);

#endif
