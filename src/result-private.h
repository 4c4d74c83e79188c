/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RESULT_PRIVATE_H
#define IOH_RESULT_PRIVATE_H

#include <json-glib/json-glib.h>

#include "error-private.h"
#include "libiohelper-result.h"

/* Written by verdict and transfer while they make it, const from then on. */
struct _IohTransferResult {
    gatomicrefcount references;
    gboolean done;
    int exit_status;   /* -1: none, or not known */
    int signal_number; /* 0: none, or not known */
    char *report;      /* as it came; NULL when there was none that makes sense */
    JsonNode *root;    /* what it says, or NULL */
    char **notes;
    char *message; /* of the error, or NULL */
    IohTransferErrorPrivate details;
};

IohTransferResult *ioh_transfer_result_new (void);

/* Takes TEXT as the report. FALSE with the error set (the code is PROTOCOL) when it is none. */
gboolean ioh_transfer_result_read (IohTransferResult *result, const char *text, gsize length,
                                   GError **error);

/* Adds remarks for people, which are texts, in front of those of the report. */
void ioh_transfer_result_add_notes (IohTransferResult *result, const GPtrArray *notes);

/* What the report says, NULL when there is none. */
JsonObject *ioh_transfer_result_said (const IohTransferResult *result);

#endif
