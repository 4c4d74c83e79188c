/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_CHILD_H
#define IOH_TESTS_CHILD_H

#include <glib.h>

G_BEGIN_DECLS

/* A program started by a test, its standard error kept for messages. */
typedef struct _IohChild IohChild;

/*
 * Starts argv[0], found in PATH. fds[i] becomes descriptor i of the child; -1 is /dev/null for 0
 * and 1 and nothing for the others. fds[2] is ignored: standard error is kept. The fds stay the
 * caller's. The child is killed when the calling thread ends, however it ends.
 */
IohChild *ioh_child_spawn (const char *const *argv, const int *fds, size_t n_fds, GError **error);

/*
 * Waits for the end of the child: its exit status, or 128 + the signal it died of. -1 with an error
 * when it still runs after so many seconds.
 */
int ioh_child_wait (IohChild *self, unsigned seconds, GError **error);

void ioh_child_kill (IohChild *self);

/* What the child has written to standard error so far, without the last newline. */
char *ioh_child_stderr (IohChild *self);

/* Kills the child if it still runs, and reaps it. */
void ioh_child_free (IohChild *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohChild, ioh_child_free)

G_END_DECLS

#endif
