/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CONFINE_H
#define IOH_CONFINE_H

#include <glib.h>

#include "options.h"
#include "plan.h"
#include "report.h"
#include "sandbox.h"

/* Gives up for ever, in this thread and those it starts, what privileges the execution of another
 * program could bring. Nothing is lost: no transfer executes one. */
void ioh_confine_privileges (void);

/* Gives up what a transfer that has begun does without: closes every descriptor that was inherited
 * and neither named by OPTIONS nor a standard one, and enters the sandbox with CLEAN (DATA). The
 * report tells how far that came; it is never a failure. */
void ioh_confine (const IohOptions *options, const IohPlan *plan, IohSandboxClean clean,
                  gpointer data, IohReport *report);

/* The same for a process that only reads what it has opened, and prints. Nothing tells how far that
 * came. */
void ioh_confine_reader (const IohOptions *options);

#endif
