/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ENGINE_H
#define IOH_ENGINE_H

#include <glib.h>
#include <poll.h>
#include <stdint.h>

#include "probe.h"

typedef struct IohPlan IohPlan;
typedef struct IohEngine IohEngine;
typedef struct IohJob IohJob;

/* What one step came to. */
typedef enum {
    IOH_STEP_MOVED,       /* some bytes moved; call again */
    IOH_STEP_WAIT,        /* nothing can move until what IohWait names happens */
    IOH_STEP_DONE,        /* the last byte was handed over */
    IOH_STEP_UNSUPPORTED, /* this way does not work here; nothing is held back, nothing was lost */
    IOH_STEP_FAILED,      /* the error is set */
} IohStep;

/* What a step that returned WAIT is waiting for: any of the descriptors, or the time. */
typedef struct {
    struct pollfd fds[3];
    unsigned count;
    gint64 timeout_us; /* -1: no time; else microseconds */
    IohSide side;      /* who keeps us waiting, for the report */
} IohWait;

/* The one vtable. An engine moves bytes between the stream and the file of a job; it opens neither
 * and publishes nothing. State is what begin returned. */
struct IohEngine {
    const char *name;
    const char *summary;      /* one line for people, marked N_() */
    gboolean saves_direct;    /* whether it can write to a file with O_DIRECT, */
    gboolean restores_direct; /* and read from one */
    gboolean queues;          /* submits to a queue: which there are is to be probed */

    /* Whether it can work with these facts; a kind that is unknown rules nothing out. Pure.
     * *OUT_WHY is a static text marked N_(), set both ways. */
    gboolean (*usable) (const IohFacts *facts, IohDirection direction, const char **out_why);

    /* Acquires what it needs and moves nothing. NULL with the error set on failure. */
    gpointer (*begin) (IohJob *job, GError **error);

    /* Moves one bounded batch. Never blocks on the stream. */
    IohStep (*save_step) (gpointer state, IohWait *out_wait, GError **error);
    IohStep (*restore_step) (gpointer state, IohWait *out_wait, GError **error);

    /* Waits for everything in flight, also after a failure; NULL when nothing ever is. */
    gboolean (*settle) (gpointer state, GError **error);

    /* Writes to a file what was taken from the stream and not yet handed over, for a save that is
     * given up and whose beginning is kept. Nothing is in flight. FALSE with the error set. */
    gboolean (*save_rest) (gpointer state, GError **error);

    /* Releases everything; accepts half-built state and NULL. */
    void (*end) (gpointer state);
};

/* The engine of that name, or NULL. */
const IohEngine *ioh_engine_find (const char *name);

/* The engines in the order of preference; NULL past the last. */
const IohEngine *ioh_engine_nth (unsigned n);

/* What --engine may be, "auto" and all names, which end with NULL; the caller frees the list only.
 */
const char **ioh_engine_words (void);

/* Makes *WAIT wait for EVENTS on one descriptor of SIDE. Returns IOH_STEP_WAIT. */
IohStep ioh_wait_for (IohWait *wait, int fd, short events, IohSide side);

/* Makes *WAIT wait for what threads of ours, who wait for the file, tell at FD; and the same beside
 * what it waits for. Both return IOH_STEP_WAIT. */
IohStep ioh_wait_for_news (IohWait *wait, int fd);
IohStep ioh_wait_also_for_news (IohWait *wait, int fd);

#endif
