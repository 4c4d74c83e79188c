/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_RUN_H
#define IOH_RUN_H

#include <glib.h>

#include "cancel.h"
#include "control.h"
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

/* Whom a transfer listens to and tells while it runs. */
typedef struct {
    IohCancel *cancel;
    IohControl *control; /* may be NULL */
    IohReport *report;
    IohProgress *progress; /* may be NULL */
    gboolean own_process;  /* nothing else lives in it: what is not needed is given up */
} IohLinks;

/* Carries out PLAN: opens the ends, moves the bytes, finishes or cleans up. The numbers are in
 * the report whatever the outcome. */
IohOutcome ioh_run (const IohOptions *options, const IohFacts *facts, const IohPlan *plan,
                    const IohLinks *links, GError **error);

#endif
