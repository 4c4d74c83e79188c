/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_VERDICT_H
#define IOH_VERDICT_H

#include <glib.h>

#include "libiohelper-result.h"
#include "process.h"

/* How a helper ended, and what it said. Texts are borrowed and never NULL. */
typedef struct {
    IohEnded how;
    int number;         /* exit status or signal */
    gboolean cancelled; /* it was asked to give up */
    gboolean committed; /* it was told to complete what it saves */
    gboolean flooded;   /* it said too much and was killed for it */
    const char *report;
    gsize report_length;
    const char *words; /* the end of what it said on standard error */
} IohEnding;

/* What ENDING means: a result, and *OUT_ERROR when that is not success. Pure. */
IohTransferResult *ioh_verdict (const IohEnding *ending, GError **out_error);

#endif
