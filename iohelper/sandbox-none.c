/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sandbox-none - stands in for sandbox-seccomp in builds without libseccomp.
 */
#include "i18n.h"
#include "sandbox.h"

gboolean
ioh_sandbox_enter (const IohSandboxNeeds *needs, IohSandboxClean clean, gpointer data,
                   char **out_why)
{
    (void) needs;
    (void) clean;
    (void) data;
    *out_why = g_strdup (_ ("this iohelper was built without libseccomp"));
    return FALSE;
}

void
ioh_sandbox_forget (void)
{
}
