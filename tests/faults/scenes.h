/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_SCENES_H
#define IOH_TEST_SCENES_H

#include "fault.h"
#include "trial.h"

/* A transfer in which things are made to go wrong. */
typedef struct {
    const char *name;
    IohDirection direction;
    TrialStream stream;
    TrialFile file;
    uint64_t offset;
    gboolean has_old;
    size_t length;                  /* 0: a few blocks and an odd end */
    void (*prepare) (Trial *trial); /* changes options, before the probe; or NULL */
    void (*mislead) (Trial *trial); /* changes facts, after the probe; or NULL */
    const Fault *standing;          /* always goes wrong; or NULL */
    const SysCall *only;            /* the functions that matter, ended by SYS_CALLS; or NULL */
} FaultScene;

extern const FaultScene fault_scenes[];
extern const unsigned fault_scene_count;

/* A trial of SCENE for ENGINE (NULL: auto) and QUEUE, ready to be run. */
Trial *fault_scene_trial (const FaultScene *scene, const IohEngine *engine, IohQueueKind queue);

#endif
