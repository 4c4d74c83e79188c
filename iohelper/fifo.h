/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_FIFO_H
#define IOH_FIFO_H

#include "cancel.h"
#include "options.h"

/* Opens the FIFO at PATH, the file of OPTIONS, with FLAGS, those of open. That waits until somebody
 * has opened its other end, or for as long as nothing may move. -1 with the error set, or without
 * it when a signal came. */
int ioh_fifo_open (const IohOptions *options, const char *path, int flags, IohCancel *cancel,
                   GError **error);

#endif
