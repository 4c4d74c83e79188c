/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_PROBE_H
#define IOH_PROBE_H

#include <glib.h>
#include <stdint.h>
#include <sys/stat.h>

#include "error.h"
#include "options.h"

typedef enum {
    IOH_END_UNKNOWN,
    IOH_END_MISSING, /* a path that is still to be created */
    IOH_END_REGULAR,
    IOH_END_BLOCK,
    IOH_END_NULL, /* the character device 1:3, whatever its name */
    IOH_END_CHAR,
    IOH_END_PIPE, /* also a FIFO */
    IOH_END_SOCKET,
} IohEndKind;

typedef enum {
    IOH_DIRECT_UNKNOWN, /* nobody says; to be tried */
    IOH_DIRECT_YES,
    IOH_DIRECT_NO,
} IohDirectSupport;

/* Facts about one end. Filled by probe, const afterwards. */
typedef struct {
    IohEndKind kind;
    gboolean seekable;       /* regular or block: has positions */
    gboolean direct_flag;    /* an inherited descriptor carries O_DIRECT */
    gboolean appends;        /* an inherited descriptor carries O_APPEND */
    uint64_t position;       /* of an inherited descriptor, else 0; behind a header to be skipped */
    uint64_t size;           /* of a regular file or block device, else 0 */
    uint64_t room;           /* bytes a new stream finds room for; UINT64_MAX when unknown */
    uint64_t size_limit;     /* how long the file may become; UINT64_MAX when unlimited */
    int pipe_bytes;          /* capacity of a pipe, else 0 */
    IohDirectSupport direct; /* whether O_DIRECT works there */
    const char *direct_why;  /* in words; static */
    size_t memory_align;     /* of buffers, when direct is not NO */
    size_t write_align;      /* of offsets and lengths */
    size_t read_align;       /* the same for reading; file systems may differ */
    const char *align_origin; /* "statx", "sector size" or "default"; static */
    gboolean unnamed;         /* the directory takes O_TMPFILE */
    char *path;               /* symbolic links resolved; NULL for a descriptor */
    const char *file_system;  /* its name, or NULL; static */
    struct stat replaced;     /* of the file that is there, when kind is regular */
} IohEndFacts;

typedef struct {
    IohDirection direction;
    IohEndFacts stream;
    IohEndFacts file;
    size_t page_bytes;
    int io_uring_errno; /* 0: works here; why not; ENOPKG: not in this build; -1: not asked */
} IohFacts;

/* Finds out what OPTIONS talk about. Opens for a moment, changes nothing. NULL with an error that
 * names the end when it does not exist, may not be used, or goes the wrong way. */
IohFacts *ioh_probe (const IohOptions *options, GError **error);

/* The facts of the image that is open as FD and called PLACE, the stream unknown. */
IohFacts *ioh_probe_image (int fd, const IohPlace *place, GError **error);

/* The facts of this host alone, both ends unknown. */
IohFacts *ioh_probe_host (void);

void ioh_facts_free (IohFacts *facts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohFacts, ioh_facts_free)

/* What FD is; IOH_END_UNKNOWN when it is not open, or is something no transfer can use. */
IohEndKind ioh_end_kind_of (int fd);

/* A word for the report and for messages: "regular", "pipe" ... */
const char *ioh_end_kind_name (IohEndKind kind);

#endif
