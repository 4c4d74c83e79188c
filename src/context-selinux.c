/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * context-selinux - contexts of streams through libselinux.
 *
 * Owns no policy. What a pipe is labelled with is a property of its inode; a socket has one of its
 * own besides, which only its creation sets.
 */
#include <errno.h>
#include <selinux/selinux.h>

#include "context.h"

IohContexts
ioh_contexts (void)
{
    return is_selinux_enabled () > 0 ? IOH_CONTEXTS_ACTIVE : IOH_CONTEXTS_DISABLED;
}

int
ioh_context_set (int fd, const char *context)
{
    return fsetfilecon_raw (fd, context) < 0 ? -errno : 0;
}

int
ioh_context_set_for_sockets (const char *context)
{
    return setsockcreatecon_raw (context) < 0 ? -errno : 0;
}
