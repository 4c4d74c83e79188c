/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_QMP_H
#define IOH_TESTS_QMP_H

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/*
 * The QEMU machine protocol over a connected unix socket. Nothing here waits for ever: every call
 * fails with G_IO_ERROR_TIMED_OUT at last, and with G_IO_ERROR_CLOSED at once when QEMU goes away.
 */
typedef struct _IohQmp IohQmp;

/* Reads the greeting and leaves the capabilities negotiation behind. Takes the descriptor. */
IohQmp *ioh_qmp_new (int socket_fd, GError **error);

/*
 * Runs one command. arguments may be NULL and is taken over. passed_fd, when not -1, goes along and
 * stays the caller's. out_return may be NULL.
 */
gboolean ioh_qmp_execute (IohQmp *self, const char *command, JsonObject *arguments, int passed_fd,
                          JsonNode **out_return, GError **error);

/* The data of the next event of that name, also one that came during a command; skips the others.
 */
JsonObject *ioh_qmp_wait_event (IohQmp *self, const char *name, unsigned seconds, GError **error);

void ioh_qmp_free (IohQmp *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohQmp, ioh_qmp_free)

G_END_DECLS

#endif
