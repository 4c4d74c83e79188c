/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_TRIAL_H
#define IOH_TEST_TRIAL_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdint.h>
#include <sys/stat.h>

#include "options.h"
#include "peer.h"
#include "plan.h"
#include "probe.h"
#include "report.h"
#include "run.h"

/* One transfer inside the test: its two ends are made, options -> probe -> plan -> run are gone
 * through as main does, and what came of it is compared with what should have. */

typedef enum {
    TRIAL_PIPE,
    TRIAL_SOCKET,
    TRIAL_LISTEN,  /* the helper listens at a path */
    TRIAL_CONNECT, /* the helper goes to a TCP port of this machine */
} TrialStream;

typedef enum {
    TRIAL_REGULAR,   /* a path */
    TRIAL_INHERITED, /* a regular file the caller has opened */
    TRIAL_BLOCK,     /* the device of trial_use_device */
    TRIAL_NULL,
    TRIAL_FIFO,
} TrialKind;

typedef struct {
    const char *name;
    TrialKind kind;
    IohCache cache;
    gboolean direct; /* an inherited descriptor carries O_DIRECT */
} TrialFile;

typedef struct {
    const IohEngine *engine; /* NULL: auto */
    IohQueueKind queue;      /* of engines that have one */
    IohDirection direction;
    TrialStream stream;
    const TrialFile *file;
} TrialEnds;

typedef struct {
    TrialEnds ends;
    IohOptions *options; /* to be changed before trial_run */
    uint64_t offset;     /* where in the file the stream begins */
    gboolean has_old;    /* there is a file at the target's path already */
    gboolean stepped;    /* the peers act in the helper's waits, without threads */
    gboolean disturbed;  /* an inherited descriptor need not be left as it should be */
    gboolean littered;   /* nor the directory */
    Peer *stream_peer;
    Peer *file_peer; /* who is at the other end of a FIFO, else NULL */

    uint8_t *data; /* the stream */
    size_t length;
    char *directory;
    char *path;

    IohFacts *facts; /* NULL when the probe failed */
    IohPlan *plan;   /* NULL when the plan was refused */
    IohReport *report;
    IohCancel *cancel;
    IohOutcome outcome;
    GError *error;
    JsonParser *said; /* the report as JSON, once something of it was asked for */

    int stream_fd;  /* the helper's end, or -1 when it makes that itself */
    int meeting_fd; /* where the peer will meet it then, or -1 when that is over */
    int stream_flags;
    struct stat stream_stat;
    int file_fd; /* inherited, or -1 */
    struct stat file_stat;
    int witness_fd; /* a second descriptor of the inherited file */
    int fifo_fd;    /* the FIFO is open at both ends before the helper opens it: one of ours ... */
    int fifo_writer_fd; /* ... and, until the helper first waits, another one to write */
    unsigned fds;       /* open before anything was made */
} Trial;

/* What TRIAL_BLOCK stands for; borrowed. */
void trial_use_device (const char *path);
#define TRIAL_DEVICE_BYTES (8 * 1048576)

/* A trial of LENGTH bytes; nothing of the file's side is made yet. */
Trial *trial_new (const TrialEnds *ends, size_t length);

/* Makes the file's side. */
void trial_make (Trial *trial);

/* Makes it, unless that is done, and asks the probe: facts or error. */
void trial_probe (Trial *trial);

/* After the probe: whether the engine says that it works with these ends. */
gboolean trial_engine_fits (const Trial *trial);

/* All of it. */
void trial_run (Trial *trial);

/* What is being tried, for messages; borrowed. NULL: just the test. */
void trial_says (const char *what);

/* Fails the test; it goes on. */
void trial_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Ends the process when it takes longer than a transfer ever may. */
void trial_watchdog (gboolean on);

/* What a transfer has to come to. */
typedef struct {
    IohSide side;
    IohStage stage;
    IohExit status;
    int error_number; /* 0: none of the kernel's; -1: any */
} TrialFailure;

/* Success: every byte at its place, exact length, the report agrees, nothing else is left. */
void trial_expect_done (Trial *trial);

/* Failure in just that way, and the target as trial_expect_untouched says. */
void trial_expect_failure (Trial *trial, const TrialFailure *failure);

/* Cancelled by SIGTERM. */
void trial_expect_cancelled (Trial *trial);

/* The old file, or none; nothing else in the directory. Files written in place have no such
 * promise. */
void trial_expect_untouched (Trial *trial);

/* The stream arrived in full, or what arrived of it is its beginning. */
gboolean trial_is_complete (Trial *trial);
gboolean trial_is_prefix (Trial *trial);

/* The report says that the target has its name. */
gboolean trial_is_published (Trial *trial);

/* Takes everything away again; fails the test when a descriptor is left over. */
void trial_free (Trial *trial);

#endif
