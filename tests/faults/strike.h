/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_STRIKE_H
#define IOH_TEST_STRIKE_H

#include "rows.h"
#include "scenes.h"

/* A scene for an engine (NULL: auto) and a queue. */
typedef struct {
    const FaultScene *scene;
    const IohEngine *engine;
    IohQueueKind queue;
} FaultTest;

/* Call NTH of a row's function, and later ones where the row lasts. */
typedef struct {
    const FaultRow *row;
    unsigned nth;
} Strike;

/* Runs the transfer with COUNT faults in it. TRUE when the last of them was met. */
gboolean strike_run (const FaultTest *test, const Strike *strikes, unsigned count,
                     Trial **out_trial);

/* After one fault of ROW was met. */
void strike_judge (Trial *trial, const FaultRow *row);

/* After any faults: what must hold whatever they were. */
void strike_judge_loosely (Trial *trial);

#endif
