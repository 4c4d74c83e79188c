/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scenes - the transfers that faults are put into.
 *
 * Owns the choice of them: together they reach every function of sys.h but those of block devices.
 * The peers act in the helper's waits, so that the same calls come in the same order every time.
 */
#include "scenes.h"

#include <errno.h>
#include <fcntl.h>

#define SCENE_BLOCK 16384
#define SCENE_LENGTH (3 * SCENE_BLOCK + 4096 + 777)

/* Beyond the windows of the write-behind: it begins, settles and drops. */
#define SCENE_LONG (36 * 1048576 + 777)

static void
scene_sync_full (Trial *trial)
{
    trial->options->sync = IOH_SYNC_FULL;
}

static void
scene_sync_data (Trial *trial)
{
    trial->options->sync = IOH_SYNC_DATA;
}

static void
scene_overwrite (Trial *trial)
{
    trial->options->exists = IOH_EXISTS_OVERWRITE;
}

static void
scene_refuse (Trial *trial)
{
    trial->options->exists = IOH_EXISTS_REFUSE;
}

/* Pipes of one page: nothing goes in one piece. */
static void
scene_small_pipe (Trial *trial)
{
    fcntl (trial->stream_fd, F_SETPIPE_SZ, 4096);
    trial->options->pipe_bytes = 8192;
}

static void
scene_large_blocks (Trial *trial)
{
    fcntl (trial->stream_fd, F_SETPIPE_SZ, 1048576);
    trial->options->block_bytes = 1048576;
}

/* A file system without O_TMPFILE. */
static void
scene_no_unnamed (Trial *trial)
{
    trial->facts->file.unnamed = FALSE;
}

/* Root owns what it replaces: make it somebody else's. */
static void
scene_other_owner (Trial *trial)
{
    trial->facts->file.replaced.st_uid = 12345;
}

/* The caller's file may not be opened by us. */
static const Fault scene_no_reopen = {SYS_REOPEN, 1, FAULT_FOR_EVER, FAULT_INSTEAD, -EACCES, 0};

static const SysCall scene_behind_calls[] = {SYS_SYNC_RANGE, SYS_ADVISE, SYS_IS_CACHED, SYS_CALLS};

#define PATH_FILE(cache)                                                                           \
    {                                                                                              \
        "path", TRIAL_REGULAR, cache, FALSE                                                        \
    }
#define GIVEN_FILE(cache, direct)                                                                  \
    {                                                                                              \
        "inherited", TRIAL_INHERITED, cache, direct                                                \
    }
#define FIFO_FILE                                                                                  \
    {                                                                                              \
        "fifo", TRIAL_FIFO, IOH_CACHE_AUTO, FALSE                                                  \
    }
#define NULL_FILE                                                                                  \
    {                                                                                              \
        "null", TRIAL_NULL, IOH_CACHE_AUTO, FALSE                                                  \
    }

const FaultScene fault_scenes[] = {
    {.name = "save-keep", .file = PATH_FILE (IOH_CACHE_KEEP), .prepare = scene_sync_full},
    {.name = "save-drop",
     .file = PATH_FILE (IOH_CACHE_DROP),
     .has_old = TRUE,
     .prepare = scene_sync_full},
    {.name = "save-direct", .file = PATH_FILE (IOH_CACHE_DIRECT), .prepare = scene_sync_data},
    {.name = "save-auto",
     .file = PATH_FILE (IOH_CACHE_AUTO),
     .has_old = TRUE,
     .offset = 777,
     .mislead = scene_other_owner},
    {.name = "save-socket", .stream = TRIAL_SOCKET, .file = PATH_FILE (IOH_CACHE_AUTO)},
    {.name = "save-listen", .stream = TRIAL_LISTEN, .file = PATH_FILE (IOH_CACHE_AUTO)},
    {.name = "save-connect", .stream = TRIAL_CONNECT, .file = PATH_FILE (IOH_CACHE_KEEP)},
    {.name = "save-named",
     .file = PATH_FILE (IOH_CACHE_KEEP),
     .has_old = TRUE,
     .mislead = scene_no_unnamed},
    {.name = "save-named-refuse",
     .file = PATH_FILE (IOH_CACHE_AUTO),
     .prepare = scene_refuse,
     .mislead = scene_no_unnamed},
    {.name = "save-overwrite",
     .file = PATH_FILE (IOH_CACHE_AUTO),
     .has_old = TRUE,
     .prepare = scene_overwrite},
    {.name = "save-inherited", .file = GIVEN_FILE (IOH_CACHE_KEEP, FALSE), .offset = 777},
    {.name = "save-inherited-direct",
     .file = GIVEN_FILE (IOH_CACHE_AUTO, TRUE),
     .offset = 777,
     .prepare = scene_sync_data},
    {.name = "save-not-ours",
     .file = GIVEN_FILE (IOH_CACHE_AUTO, TRUE),
     .standing = &scene_no_reopen},
    {.name = "save-fifo", .file = FIFO_FILE},
    {.name = "save-null", .file = NULL_FILE, .prepare = scene_small_pipe},
    {.name = "save-long",
     .file = PATH_FILE (IOH_CACHE_DROP),
     .length = SCENE_LONG,
     .prepare = scene_large_blocks,
     .only = scene_behind_calls},
    {.name = "restore-keep",
     .direction = IOH_RESTORE,
     .file = PATH_FILE (IOH_CACHE_KEEP),
     .prepare = scene_small_pipe},
    {.name = "restore-drop", .direction = IOH_RESTORE, .file = PATH_FILE (IOH_CACHE_DROP)},
    {.name = "restore-direct",
     .direction = IOH_RESTORE,
     .file = PATH_FILE (IOH_CACHE_DIRECT),
     .prepare = scene_small_pipe},
    {.name = "restore-auto",
     .direction = IOH_RESTORE,
     .file = PATH_FILE (IOH_CACHE_AUTO),
     .offset = 777},
    {.name = "restore-socket",
     .direction = IOH_RESTORE,
     .stream = TRIAL_SOCKET,
     .file = PATH_FILE (IOH_CACHE_DROP)},
    {.name = "restore-listen",
     .direction = IOH_RESTORE,
     .stream = TRIAL_LISTEN,
     .file = PATH_FILE (IOH_CACHE_AUTO)},
    {.name = "restore-connect",
     .direction = IOH_RESTORE,
     .stream = TRIAL_CONNECT,
     .file = PATH_FILE (IOH_CACHE_KEEP)},
    {.name = "restore-inherited-direct",
     .direction = IOH_RESTORE,
     .file = GIVEN_FILE (IOH_CACHE_AUTO, TRUE),
     .offset = 777},
    {.name = "restore-not-ours",
     .direction = IOH_RESTORE,
     .file = GIVEN_FILE (IOH_CACHE_AUTO, TRUE),
     .offset = 777,
     .standing = &scene_no_reopen},
    {.name = "restore-fifo", .direction = IOH_RESTORE, .file = FIFO_FILE},
};

const unsigned fault_scene_count = G_N_ELEMENTS (fault_scenes);

static void
scene_pace (Peer *peer, const FaultScene *scene)
{
    if (peer == NULL || scene->length != 0)
        return;
    peer_manner (peer)->max_piece = 20000;
    peer_manner (peer)->seed = 42;
}

Trial *
fault_scene_trial (const FaultScene *scene, const IohEngine *engine, IohQueueKind queue)
{
    const TrialEnds ends = {
        .engine = engine,
        .queue = queue,
        .direction = scene->direction,
        .stream = scene->stream,
        .file = &scene->file,
    };
    Trial *trial = trial_new (&ends, scene->length != 0 ? scene->length : SCENE_LENGTH);

    trial->stepped = TRUE;
    trial->offset = scene->offset;
    trial->has_old = scene->has_old;
    trial->options->block_bytes = SCENE_BLOCK;
    trial->options->queue_depth = 3;
    if (scene->prepare != NULL)
        scene->prepare (trial);
    trial_make (trial);
    scene_pace (trial->stream_peer, scene);
    scene_pace (trial->file_peer, scene);
    return trial;
}
