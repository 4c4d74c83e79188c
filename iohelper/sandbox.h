/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SANDBOX_H
#define IOH_SANDBOX_H

#include <glib.h>

#include "options.h"

/* What a transfer that has begun will still do. */
typedef struct {
    IohDirection direction;
    gboolean publishes; /* gives a file a name */
    gboolean submits;   /* to a ring of io_uring it has already */
} IohSandboxNeeds;

/* Removes what must not stay behind when the process is stopped. Called from a signal handler, in
 * any thread: only what is safe there. */
typedef void (*IohSandboxClean) (gpointer data);

/* From now on no thread of the process makes a system call that NEEDS and the libraries do without:
 * one that is tried ends the process, with a line that tells its number, CLEAN (DATA), and the exit
 * status of an internal error. Opening anything by a path fails with EACCES: what libraries look
 * for late (translations) is only nice to have. There is no way back. FALSE when this machine or
 * this build has no such thing: *OUT_WHY, translated, is the caller's to free. */
gboolean ioh_sandbox_enter (const IohSandboxNeeds *needs, IohSandboxClean clean, gpointer data,
                            char **out_why);

/* There is nothing left to be cleaned; DATA is not looked at any more. */
void ioh_sandbox_forget (void);

#endif
