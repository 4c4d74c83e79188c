/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SETTINGS_H
#define IOH_SETTINGS_H

#include <glib-object.h>

#include "libiohelper-transfer.h"

/* What was asked for: the values of the properties that a program sets before it starts a transfer.
 * Strings are owned. */
typedef struct {
    IohDirection direction;
    char *path;   /* NULL when there is a descriptor */
    int file_fd;  /* our copy of the caller's, -1 when there is a path */
    int fd_errno; /* why the copy could not be made, or 0 */

    guint64 pipe_size;
    guint64 socket_buffer;
    IohTransportKind transport;
    char *stream_label;

    char *engine;
    IohCache cache;
    guint64 block_size;
    guint queue_depth;
    IohQueueKind queue;
    gint64 offset; /* -1: not given */
    gboolean skip_header;
    gint64 expect_size;  /* -1: not given */
    guint64 rate_limit;  /* bytes a second, 0: none */
    guint stall_timeout; /* seconds, 0: none */

    IohSync sync;
    IohExists exists;
    guint mode;
    char *label;
    gboolean keep_partial;

    IohParentDeath parent_death;
    char *helper_path;
    char **environment;
} IohSettings;

/* The properties have the ids from 1 to IOH_SETTINGS_COUNT. */
#define IOH_SETTINGS_COUNT 25

void ioh_settings_install (GObjectClass *object_class);
void ioh_settings_init (IohSettings *settings);
void ioh_settings_clear (IohSettings *settings);

void ioh_settings_set (IohSettings *settings, guint id, const GValue *value);
void ioh_settings_get (const IohSettings *settings, guint id, GValue *value);

/* FALSE with the error set when they contradict each other. */
gboolean ioh_settings_check (const IohSettings *settings, GError **error);

/* The program to run; the caller frees it. */
char *ioh_settings_helper (const IohSettings *settings);

/* The options that differ from what goes without saying, added to ARGV, which frees its strings. */
void ioh_settings_add_options (const IohSettings *settings, GPtrArray *argv);

/* The environment of the helper; the caller frees it. */
char **ioh_settings_environment (const IohSettings *settings);

#endif
