/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROGRESS_TERMINAL_H
#define IOH_PROGRESS_TERMINAL_H

#include "options.h"
#include "progress.h"

/* TRUE when OPTIONS ask for progress on FD, or ask for nothing and somebody watches FD who is
 * neither looking at the data nor has asked for quiet. */
gboolean ioh_progress_terminal_wanted (int fd, const IohOptions *options);

/* TRUE unless FD is a terminal that somebody else is using now, which a job in the background must
 * leave alone. */
gboolean ioh_progress_terminal_free_to_use (int fd);

/* Tells FD: one line that is drawn anew on a terminal, and is gone when the progress ends; plain
 * lines elsewhere. FALSE with the error set when there is no thread to be had. */
gboolean ioh_progress_terminal_add (IohProgress *progress, int fd, const IohOptions *options,
                                    GError **error);

#endif
