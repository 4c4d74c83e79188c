/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * context-none - stands in for context-selinux in builds without libselinux.
 */
#include <errno.h>

#include "context.h"

IohContexts
ioh_contexts (void)
{
    return IOH_CONTEXTS_NOT_BUILT;
}

int
ioh_context_set (int fd, const char *context)
{
    (void) fd;
    (void) context;
    return -EOPNOTSUPP;
}

int
ioh_context_set_for_sockets (const char *context)
{
    (void) context;
    return -EOPNOTSUPP;
}
