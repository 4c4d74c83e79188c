/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_OPTIONS_H
#define IOH_OPTIONS_H

#include <glib.h>
#include <stdint.h>
#include <sys/types.h>

#include "address.h"
#include "wire.h"

typedef enum {
    IOH_COMMAND_SAVE,
    IOH_COMMAND_RESTORE,
    IOH_COMMAND_INFO,
    IOH_COMMAND_BENCH,
    IOH_COMMAND_ENGINES,
    IOH_COMMAND_HELP,
    IOH_COMMAND_DROPIN, /* libvirt_iohelper PATH FD; save or restore by the mode of FD */
} IohCommand;

#define IOH_BENCH_RUNS_STANDARD 5
#define IOH_BENCH_RUNS_MOST 1001

/* What a benchmark is to be. */
typedef struct {
    const char *suite;    /* its name, static */
    uint64_t size_bytes;  /* of one run; IOH_UNSET: found out */
    unsigned runs;        /* of each cell */
    uint64_t burst_bytes; /* of one write of the sender */
    gboolean zeros;       /* pages of zeros, not random ones */
    char *plot;           /* FILE for a picture, NULL for none */
} IohBenchOptions;

/* What was asked, before anything was looked at. Const once parsed; read by probe and plan only. */
typedef struct {
    IohCommand command;
    IohDirection direction;

    char *file_path;     /* TARGET or IMAGE when it is a path, else NULL */
    int file_fd;         /* the descriptor when it is one, else -1 */
    char *file_name;     /* what messages call it */
    int stream_fd;       /* the hypervisor's end, -1 when it is met at an address */
    IohAddress *listen;  /* where it comes to, or NULL */
    IohAddress *connect; /* where it is gone to, or NULL */
    char *stream_name;   /* what messages call it */

    char *engine; /* a name or "auto" */
    IohCache cache;
    IohSync sync;
    IohExists exists;
    uint64_t pipe_bytes;
    uint64_t socket_bytes; /* of the buffer of sockets we make */
    uint64_t block_bytes;
    unsigned queue_depth;
    IohQueueKind queue;
    uint64_t offset;       /* IOH_UNSET: start of a path, current position of a descriptor */
    gboolean skip_header;  /* the stream is behind a header of libvirt */
    uint64_t expect_bytes; /* IOH_UNSET when the length is not known */
    uint64_t rate_bytes;   /* a second; 0 without a limit */
    gint64 stall_us;       /* both sides may stand still so long; 0: for ever */
    mode_t mode;
    char *label; /* SELinux context of a created file, NULL for none */
    gboolean keep_partial;
    gboolean accept_empty; /* a stream of no bytes is no failure */
    gboolean no_sandbox;   /* what is not needed is not given up */

    char *report;  /* FILE, fd:N or -, NULL for none */
    int report_fd; /* the descriptor when it is one, else -1 */
    IohProgressWhen progress;
    int progress_fd; /* -1 for none */
    int control_fd;  /* -1 for none */
    IohParentDeath parent_death;
    gboolean parent_death_given;
    gboolean explain;
    gboolean json;
    IohBenchOptions bench;
    int verbosity; /* -1 quiet, 0, 1 and more */
} IohOptions;

/* Reads a command line. ARGV[0] is the program, NULL its end. NULL with an error of status usage;
 * --help and --version print and exit, as programs do. */
IohOptions *ioh_options_parse (char **argv, GError **error);

/* The options that go without saying, for COMMAND. */
IohOptions *ioh_options_new (IohCommand command);

/* Says which descriptors the transfer uses; takes no ownership of them, but of the address. */
void ioh_options_set_stream (IohOptions *options, int fd);
void ioh_options_set_address (IohOptions *options, IohAddress *address, gboolean listens);
void ioh_options_set_file (IohOptions *options, const char *path, int fd);

/* Reads TEXT as a descriptor number. FALSE with a usage error that says WHAT it was for. */
gboolean ioh_options_parse_fd (const char *what, const char *text, int *out_fd, GError **error);

void ioh_options_free (IohOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohOptions, ioh_options_free)

#endif
