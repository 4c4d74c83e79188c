/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RUN_H
#define IOH_RUN_H

#include <glib.h>

#include "cancel.h"
#include "options.h"
#include "plan.h"
#include "probe.h"
#include "progress.h"
#include "report.h"

typedef enum {
    IOH_OUTCOME_DONE,
    IOH_OUTCOME_FAILED,    /* the error is set */
    IOH_OUTCOME_CANCELLED, /* a signal came; ask CANCEL which */
} IohOutcome;

/* Carries out PLAN: opens the ends, moves the bytes, finishes or cleans up. The numbers are in
 * REPORT whatever the outcome; PROGRESS, which may be NULL, is told them on the way. */
IohOutcome ioh_run (const IohOptions *options, const IohFacts *facts, const IohPlan *plan,
                    IohCancel *cancel, IohReport *report, IohProgress *progress, GError **error);

#endif
