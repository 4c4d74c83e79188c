/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_MANAGER_H
#define IOH_TEST_MANAGER_H

#include <libiohelper.h>

/* What the tests of the library share: the hypervisor's part, and a main loop. */

/* Before the first test: what GLib opens once and keeps is opened, so that descriptors can be
 * counted. */
void manager_init (int *argc, char ***argv);

/* Takes over FD and writes LENGTH bytes of the pattern to it, or reads it to its end, in a thread.
 * manager_join returns how many bytes it came to; what was read has been compared. */
GThread *manager_write (int fd, size_t length);
GThread *manager_read (int fd);
size_t manager_join (GThread *thread);

/* Saves LENGTH bytes of the pattern through TRANSFER, from its start to its finish. */
gboolean manager_save (IohTransfer *transfer, size_t length, GError **error);

/* Restores through TRANSFER. *OUT_LENGTH is what came, compared with the pattern. */
gboolean manager_restore (IohTransfer *transfer, size_t *out_length, GError **error);

/* Runs the default main context until TRANSFER is in STATE; fails when it ends in another. */
void manager_await_state (IohTransfer *transfer, IohTransferState state);

/* Runs it until the helper says that it is in PHASE. */
void manager_await_phase (IohTransfer *transfer, IohPhase phase);

/* Waits until the process PID has ended; it need not be a child of ours. */
void manager_await_exit (int pid);

/* Under valgrind a program that cannot be executed is one that exits with 127. */
gboolean manager_under_valgrind (void);

/* Waits until this process has no more than FDS descriptors open: nobody tells when the library has
 * let go of a transfer that was dropped. */
void manager_await_fds (unsigned fds);

/* A file of LENGTH bytes of the pattern, whose path the caller frees. */
char *manager_make_image (const char *directory, const char *name, size_t length);

/* Fails unless PATH is LENGTH bytes of the pattern. */
void manager_check_image (const char *path, size_t length);

#endif
