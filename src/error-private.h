/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ERROR_PRIVATE_H
#define IOH_ERROR_PRIVATE_H

#include "libiohelper-error.h"

/* What an error of the domain knows besides its code and message. */
typedef struct {
    IohSide side;
    IohStage stage;
    gint64 offset;    /* -1: none */
    int error_number; /* errno value, 0 when the kernel was not involved */
} IohTransferErrorPrivate;

/* Fails with what is known; DETAILS may be NULL. Returns FALSE, to be returned on. */
gboolean ioh_transfer_error_set (GError **error, IohTransferError code,
                                 const IohTransferErrorPrivate *details, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* Fails with "WHAT: errno text". */
gboolean ioh_transfer_error_errno (GError **error, IohTransferError code, int error_number,
                                   const char *what);

#endif
