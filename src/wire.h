/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_WIRE_H
#define IOH_WIRE_H

#include <glib.h>
#include <stdint.h>

#include "libiohelper-types.h"

G_BEGIN_DECLS

/*
 * The words the helper and its users share: options, exit statuses, and the keys and values of the
 * report; what they can be is in libiohelper-types.h, for managers to see as well. Scripts and
 * managers match on them, so a word that has been released never changes its spelling or meaning.
 */

/* Exit status of the helper. Death by a signal is the one other way it ends. */
typedef enum {
    IOH_EXIT_DONE = 0,     /* every byte moved and, unless asked otherwise, durable */
    IOH_EXIT_INTERNAL = 1, /* a fault of ours or of the system around us (memory, descriptors) */
    IOH_EXIT_USAGE = 2,    /* the command line makes no sense; nothing was touched */
    IOH_EXIT_STREAM = 3,   /* the hypervisor's side failed: read, early end, stall, peer gone */
    IOH_EXIT_FILE = 4,     /* the storage side failed */
    IOH_EXIT_NO_ROOM = 5,  /* ENOSPC, EDQUOT, EFBIG, or a device that is too small */
    IOH_EXIT_FLUSH = 6,    /* flush, close or publish failed */
    IOH_EXIT_IMAGE = 7,    /* the image was refused: truncated, incomplete, not an image */
} IohExit;

/* Whether a person is told of the progress. */
typedef enum {
    IOH_PROGRESS_AUTO, /* when it looks as if somebody watches */
    IOH_PROGRESS_ALWAYS,
    IOH_PROGRESS_NEVER,
} IohProgressWhen;

const char *ioh_wire_cache_name (IohCache cache);
const char *ioh_wire_sync_name (IohSync sync);
const char *ioh_wire_exists_name (IohExists exists);
const char *ioh_wire_queue_name (IohQueueKind kind);
const char *ioh_wire_progress_name (IohProgressWhen when);

/* The other way round; FALSE for an unknown word, *OUT untouched. */
gboolean ioh_wire_cache_parse (const char *word, IohCache *out);
gboolean ioh_wire_sync_parse (const char *word, IohSync *out);
gboolean ioh_wire_exists_parse (const char *word, IohExists *out);
gboolean ioh_wire_queue_parse (const char *word, IohQueueKind *out);
gboolean ioh_wire_progress_parse (const char *word, IohProgressWhen *out);
gboolean ioh_wire_parent_death_parse (const char *word, IohParentDeath *out);
gboolean ioh_wire_phase_parse (const char *word, IohPhase *out);

const char *ioh_wire_parent_death_name (IohParentDeath policy);
const char *ioh_wire_phase_name (IohPhase phase);
const char *ioh_wire_direction_name (IohDirection direction);
const char *ioh_wire_side_name (IohSide side);
const char *ioh_wire_stage_name (IohStage stage);
const char *ioh_wire_exit_name (IohExit status);

/* What the helper calls itself in its messages, and the name of its program. */
#define IOH_HELPER_NAME "iohelper"

/* The environment variable that names another program for the library to start. */
#define IOH_HELPER_VARIABLE "IOH_HELPER"

/* Long options of the command line, and properties of the library. */
#define IOH_OPTION_FD "fd"
#define IOH_OPTION_LISTEN "listen"
#define IOH_OPTION_CONNECT "connect"
#define IOH_OPTION_SOCKET_BUFFER "socket-buffer"
#define IOH_OPTION_PIPE_SIZE "pipe-size"
#define IOH_OPTION_ENGINE "engine"
#define IOH_OPTION_CACHE "cache"
#define IOH_OPTION_BLOCK_SIZE "block-size"
#define IOH_OPTION_QUEUE_DEPTH "queue-depth"
#define IOH_OPTION_QUEUE "queue"
#define IOH_OPTION_OFFSET "offset"
#define IOH_OPTION_SKIP_HEADER "skip-header"
#define IOH_OPTION_EXPECT_SIZE "expect-size"
#define IOH_OPTION_RATE_LIMIT "rate-limit"
#define IOH_OPTION_STALL_TIMEOUT "stall-timeout"
#define IOH_OPTION_PROGRESS "progress"
#define IOH_OPTION_PROGRESS_FD "progress-fd"
#define IOH_OPTION_CONTROL_FD "control-fd"
#define IOH_OPTION_PARENT_DEATH "parent-death"
#define IOH_OPTION_REPORT "report"
#define IOH_OPTION_NO_SANDBOX "no-sandbox"
#define IOH_OPTION_EXPLAIN "explain"
#define IOH_OPTION_QUIET "quiet"
#define IOH_OPTION_VERBOSE "verbose"
#define IOH_OPTION_SYNC "sync"
#define IOH_OPTION_EXISTS "exists"
#define IOH_OPTION_MODE "mode"
#define IOH_OPTION_LABEL "label"
#define IOH_OPTION_KEEP_PARTIAL "keep-partial"
#define IOH_OPTION_HELP "help"
#define IOH_OPTION_HELP_ALL "help-all"
#define IOH_OPTION_VERSION "version"
#define IOH_OPTION_JSON "json"
#define IOH_OPTION_SIZE "size"
#define IOH_OPTION_RUNS "runs"
#define IOH_OPTION_BURST "burst"
#define IOH_OPTION_RANDOM "random"
#define IOH_OPTION_ZERO "zero"
#define IOH_OPTION_PLOT "plot"

/* How deep JSON may nest that comes from outside: reading it recurses as deep. */
#define IOH_WIRE_JSON_DEPTH_MOST 32

/* TRUE when TEXT nests no deeper than that and has none of the comments and other quotes that
 * parsers take although they are no JSON. Whether it is JSON is another question. */
gboolean ioh_wire_json_is_shallow (const char *text, gsize length);

/* "not given", for an offset or a size */
#define IOH_UNSET UINT64_MAX

/* What an option that is a number of bytes may be. */
typedef struct {
    const char *option;
    uint64_t least;
    uint64_t most;
    uint64_t standard; /* when it is not given; may be IOH_UNSET */
} IohWireRange;

/* The range of OPTION, which must be one of those. */
const IohWireRange *ioh_wire_range (const char *option);

/* The words that OPTION can be, which must be one that is a word; they end with NULL. */
const char *const *ioh_wire_words (const char *option);

/* What --engine is when it is not given. */
#define IOH_ENGINE_AUTO "auto"

/* How many requests may be under way, and are when nothing is said. */
#define IOH_QUEUE_DEPTH_STANDARD 4
#define IOH_QUEUE_DEPTH_MOST 64

/* How long both sides may stand still, in seconds. */
#define IOH_STALL_TIMEOUT_MOST (365 * 24 * 3600)

/* Permissions of a new file, and the bits that may be asked for: those of data. */
#define IOH_MODE_STANDARD 0600
#define IOH_MODE_MOST 0777

/* Members of the report, one JSON object. Times are seconds, amounts are bytes. */
#define IOH_REPORT_PROGRAM "program"
#define IOH_REPORT_VERSION "version"
#define IOH_REPORT_DIRECTION "direction"
#define IOH_REPORT_OUTCOME "outcome"
#define IOH_REPORT_EXIT_STATUS "exit-status"
#define IOH_REPORT_SIGNAL "signal"
#define IOH_REPORT_BYTES "bytes"
#define IOH_REPORT_DURABLE "durable"
#define IOH_REPORT_ERROR "error"
#define IOH_REPORT_STREAM "stream" /* object: name, kind, pipe-size */
#define IOH_REPORT_FILE "file"     /* object: name, kind, file-system and those below */
#define IOH_REPORT_ENGINE "engine" /* a choice, as all up to pipe-size */
#define IOH_REPORT_CACHE "cache"
#define IOH_REPORT_SYNC "sync"
#define IOH_REPORT_EXISTS "exists"
#define IOH_REPORT_QUEUE "queue" /* also has depth; direct engine */
#define IOH_REPORT_PIPE_SIZE "pipe-size"
#define IOH_REPORT_SOCKET_BUFFER "socket-buffer" /* of a socket of ours, in stream */
#define IOH_REPORT_PEER_PID "peer-pid"           /* who was met at a unix socket, in stream */
#define IOH_REPORT_PEER_UID "peer-uid"
#define IOH_REPORT_ALIGNMENT "alignment" /* object: memory, offset, origin */
#define IOH_REPORT_BLOCK_SIZE "block-size"
#define IOH_REPORT_RATE_LIMIT "rate-limit" /* bytes a second; left out without one */
#define IOH_REPORT_SANDBOX "sandbox"       /* a choice */
#define IOH_REPORT_STEPS_DOWN "steps-down" /* array of objects: what, from, to, offset, reason */
#define IOH_REPORT_NOTES "notes"           /* array of strings */
#define IOH_REPORT_SECONDS "seconds"       /* object of those below */

/* Values of outcome. */
#define IOH_REPORT_OUTCOME_DONE "done"
#define IOH_REPORT_OUTCOME_FAILED "failed"
#define IOH_REPORT_OUTCOME_CANCELLED "cancelled"

/* What the sandbox may be: system calls are filtered; privileges and descriptors were given up
 * only; nothing was. */
#define IOH_REPORT_SANDBOX_SECCOMP "seccomp"
#define IOH_REPORT_SANDBOX_BASIC "basic"
#define IOH_REPORT_SANDBOX_NONE "none"

/* Members of both ends. */
#define IOH_REPORT_END_NAME "name"
#define IOH_REPORT_END_KIND "kind"

/* Members of a choice. */
#define IOH_REPORT_ASKED "asked"
#define IOH_REPORT_USED "used"
#define IOH_REPORT_REASON "reason"

/* Members of error; all but the first only when one side failed. */
#define IOH_REPORT_ERROR_MESSAGE "message"
#define IOH_REPORT_ERROR_SIDE "side"
#define IOH_REPORT_ERROR_NAME "name"
#define IOH_REPORT_ERROR_STAGE "stage"
#define IOH_REPORT_ERROR_OFFSET "offset" /* left out when no position is meant */
#define IOH_REPORT_ERROR_ERRNO "errno"

/* Members of file. */
#define IOH_REPORT_FILE_SYSTEM "file-system"
#define IOH_REPORT_FILE_LENGTH "length"
#define IOH_REPORT_FILE_ALLOCATED "allocated"
#define IOH_REPORT_FILE_PUBLISHED "published"

/* Members of seconds. */
#define IOH_REPORT_SECONDS_TOTAL "total"
#define IOH_REPORT_SECONDS_WAIT_STREAM "wait-stream"
#define IOH_REPORT_SECONDS_WAIT_FILE "wait-file"
#define IOH_REPORT_SECONDS_FLUSH "flush"

/* Members of a line of progress, one JSON object. */
#define IOH_PROGRESS_PHASE "phase"
#define IOH_PROGRESS_BYTES "bytes"       /* of the stream, handed over */
#define IOH_PROGRESS_EXPECTED "expected" /* how many there will be; left out when not known */
#define IOH_PROGRESS_SECONDS "seconds"   /* since the transfer began */

/* The line that --control-fd waits for, without its newline. */
#define IOH_CONTROL_COMMIT "commit"

G_END_DECLS

#endif
