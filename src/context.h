/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CONTEXT_H
#define IOH_CONTEXT_H

/* What SELinux contexts mean in this program. */
typedef enum {
    IOH_CONTEXTS_ACTIVE,
    IOH_CONTEXTS_DISABLED,  /* SELinux is switched off or not in the kernel */
    IOH_CONTEXTS_NOT_BUILT, /* the library was built without libselinux */
} IohContexts;

IohContexts ioh_contexts (void);

/* Gives what is open as FD the context CONTEXT; -errno on failure, -EOPNOTSUPP where nothing keeps
 * contexts. */
int ioh_context_set (int fd, const char *context);

/* Sockets that this thread makes from now on have the context CONTEXT; NULL: the default again. */
int ioh_context_set_for_sockets (const char *context);

#endif
