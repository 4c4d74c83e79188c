/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PUBLISH_H
#define IOH_PUBLISH_H

#include <glib.h>

#include "options.h"
#include "plan.h"
#include "report.h"

/* A file that is complete before it has its name: until ioh_publication_commit the target's name
 * means the old file or none. */
typedef struct IohPublication IohPublication;

/* Creates the file beside the target, with the mode, owner and label it is to have; EXTRA_FLAGS
 * (O_DIRECT) are added to the open. Returns its descriptor in *OUT_FD, owned by the caller, who
 * keeps it open until commit or discard. NULL with the error set. */
IohPublication *ioh_publication_new (const IohOptions *options, const IohPlan *plan,
                                     const IohFacts *facts, int extra_flags, IohReport *report,
                                     int *out_fd, GError **error);

/* Gives FD, flushed by the caller, its name. */
gboolean ioh_publication_commit (IohPublication *publication, int fd, GError **error);

/* After commit: flushes the directory, so that the name survives a crash as well. */
gboolean ioh_publication_flush (IohPublication *publication, GError **error);

/* Removes what was created, or leaves it as TARGET.part when KEEP_PARTIAL. */
void ioh_publication_discard (IohPublication *publication, int fd, gboolean keep_partial);

/* Removes the temporary name, if there is one, and nothing else. Safe in a signal handler. */
void ioh_publication_drop (const IohPublication *publication);

void ioh_publication_free (IohPublication *publication);

#endif
