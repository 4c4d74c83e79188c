/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * probe - finds out facts: what the two ends are and what they can do.
 *
 * Owns nothing after it returns. Decides nothing (plan does) and changes nothing: the unnamed file
 * it may create to ask a file system about itself is gone before it returns.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine.h"
#include "error.h"
#include "i18n.h"
#include "image.h"
#include "queue.h"
#include "standard.h"
#include "sys.h"

/* Linux 6.16; absent from the headers of Debian 12. The member follows those they know. */
#define PROBE_STATX_DIO_READ_ALIGN 0x00020000U
#define PROBE_STATX_DIO_READ_ALIGN_AT 0xb4

/* What file systems ask for that say nothing: the page size is safe where 512 is not. */
#define PROBE_DEFAULT_ALIGN 4096

/* How many symbolic links a path may lead through, as in the kernel. */
#define PROBE_MAX_LINKS 40

const char *
ioh_end_kind_name (IohEndKind kind)
{
    static const char *const names[] = {
        [IOH_END_UNKNOWN] = "unknown", [IOH_END_MISSING] = "new",   [IOH_END_REGULAR] = "regular",
        [IOH_END_BLOCK] = "block",     [IOH_END_NULL] = "null",     [IOH_END_CHAR] = "char",
        [IOH_END_PIPE] = "pipe",       [IOH_END_SOCKET] = "socket",
    };
    return names[kind];
}

static const char *
probe_file_system_name (int fd)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } names[] = {
        {EXT4_SUPER_MAGIC, "ext4"},   {XFS_SUPER_MAGIC, "xfs"},
        {BTRFS_SUPER_MAGIC, "btrfs"}, {TMPFS_MAGIC, "tmpfs"},
        {NFS_SUPER_MAGIC, "nfs"},     {OVERLAYFS_SUPER_MAGIC, "overlayfs"},
        {FUSE_SUPER_MAGIC, "fuse"},   {F2FS_SUPER_MAGIC, "f2fs"},
        {MSDOS_SUPER_MAGIC, "vfat"},  {RAMFS_MAGIC, "ramfs"},
        {0x2fc12fc1UL, "zfs"},
    };
    struct statfs info;

    if (ioh_sys_fstatfs (fd, &info) < 0)
        return NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS (names); i++)
        if ((unsigned long) info.f_type == names[i].magic)
            return names[i].name;
    return NULL;
}

static IohEndKind
probe_kind (const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
    case S_IFREG:
        return IOH_END_REGULAR;
    case S_IFBLK:
        return IOH_END_BLOCK;
    case S_IFIFO:
        return IOH_END_PIPE;
    case S_IFSOCK:
        return IOH_END_SOCKET;
    case S_IFCHR:
        return st->st_rdev == makedev (1, 3) ? IOH_END_NULL : IOH_END_CHAR;
    default:
        return IOH_END_UNKNOWN;
    }
}

IohEndKind
ioh_end_kind_of (int fd)
{
    struct stat st;

    return ioh_sys_fstat (fd, &st) < 0 ? IOH_END_UNKNOWN : probe_kind (&st);
}

static uint64_t
probe_size_limit (void)
{
    struct rlimit limit;

    /* offsets are signed whatever the limit says */
    if (getrlimit (RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur > INT64_MAX)
        return INT64_MAX;
    return limit.rlim_cur;
}

/* Free bytes of the file system FD is on, for root those kept for root as well, and REUSED, what a
 * file there holds already and would be written over. Numbers that are all zero mean nothing. */
static uint64_t
probe_room (int fd, uint64_t reused)
{
    struct statfs info;

    if (ioh_sys_fstatfs (fd, &info) < 0 || info.f_blocks == 0)
        return UINT64_MAX;
    uint64_t free_blocks = (uint64_t) (geteuid () == 0 ? info.f_bfree : info.f_bavail);
    return free_blocks * (uint64_t) info.f_bsize + reused;
}

static void
probe_direct_from_sectors (IohEndFacts *facts, int fd)
{
    size_t sector_bytes = PROBE_DEFAULT_ALIGN;
    gboolean known = facts->kind == IOH_END_BLOCK && ioh_sys_sector_size (fd, &sector_bytes) >= 0;

    facts->direct = known ? IOH_DIRECT_YES : IOH_DIRECT_UNKNOWN;
    facts->direct_why = known ? N_ ("block devices take O_DIRECT")
                              : N_ ("the file system does not say; trying O_DIRECT");
    if (known) {
        facts->align_origin = "sector size";
        facts->memory_align = sector_bytes;
        facts->write_align = sector_bytes;
        facts->read_align = sector_bytes;
    }
}

/* Asks the kernel about O_DIRECT on FD, which may or may not be open that way. */
static void
probe_direct (IohEndFacts *facts, int fd)
{
    struct statx stx = {0};
    uint32_t read_align = 0;

    /* what a device node lies on says nothing about the device */
    if (facts->kind != IOH_END_BLOCK)
        facts->file_system = probe_file_system_name (fd);
    facts->align_origin = "default";
    facts->memory_align = PROBE_DEFAULT_ALIGN;
    facts->write_align = PROBE_DEFAULT_ALIGN;
    facts->read_align = PROBE_DEFAULT_ALIGN;
    if (g_strcmp0 (facts->file_system, "tmpfs") == 0 ||
        g_strcmp0 (facts->file_system, "ramfs") == 0) {
        facts->direct = IOH_DIRECT_NO;
        facts->direct_why = N_ ("the file system lives in memory");
        return;
    }
    if (ioh_sys_statx (fd, "", AT_EMPTY_PATH, STATX_DIOALIGN | PROBE_STATX_DIO_READ_ALIGN, &stx) <
            0 ||
        !(stx.stx_mask & STATX_DIOALIGN)) {
        probe_direct_from_sectors (facts, fd);
        return;
    }
    if (stx.stx_dio_offset_align == 0) {
        facts->direct = IOH_DIRECT_NO;
        facts->direct_why = N_ ("the kernel says that O_DIRECT does not work on this file");
        return;
    }
    if (stx.stx_mask & PROBE_STATX_DIO_READ_ALIGN)
        memcpy (&read_align, (char *) &stx + PROBE_STATX_DIO_READ_ALIGN_AT, sizeof read_align);
    facts->direct = IOH_DIRECT_YES;
    facts->direct_why = N_ ("the kernel says that O_DIRECT works on this file");
    facts->align_origin = "statx";
    facts->memory_align = stx.stx_dio_mem_align;
    facts->write_align = stx.stx_dio_offset_align;
    facts->read_align = read_align != 0 ? read_align : stx.stx_dio_offset_align;
}

/* Size, room and O_DIRECT of a regular file or block device that is open. */
static void
probe_storage (IohEndFacts *facts, int fd, const struct stat *st)
{
    facts->seekable = TRUE;
    if (facts->kind == IOH_END_BLOCK) {
        if (ioh_sys_device_size (fd, &facts->size) >= 0)
            facts->size_limit = facts->size;
    } else {
        facts->size = (uint64_t) st->st_size;
        facts->room = probe_room (fd, (uint64_t) st->st_blocks * 512);
        facts->size_limit = probe_size_limit ();
        facts->replaced = *st;
    }
    probe_direct (facts, fd);
}

/* Facts of a descriptor somebody else opened. WRITES: we are going to write to it. */
static gboolean
probe_descriptor (IohEndFacts *facts, int fd, gboolean writes, const IohPlace *place,
                  GError **error)
{
    struct stat st;
    int flags = ioh_sys_get_flags (fd);

    if (!ioh_standard_check (fd, place, error))
        return FALSE;
    if (flags < 0 || (flags & O_PATH) != 0 || ioh_sys_fstat (fd, &st) < 0)
        return ioh_error_set (error, IOH_EXIT_USAGE, place, "%s", g_strerror (EBADF));
    int access = flags & O_ACCMODE;
    if (writes ? access == O_RDONLY : access == O_WRONLY)
        return ioh_error_set (error, IOH_EXIT_USAGE, place, "%s",
                              writes ? _ ("the descriptor is open for reading only")
                                     : _ ("the descriptor is open for writing only"));
    if (S_ISDIR (st.st_mode))
        return ioh_error_errno (error, place, EISDIR);
    facts->kind = probe_kind (&st);
    facts->direct_flag = (flags & O_DIRECT) != 0 && facts->kind != IOH_END_PIPE;
    facts->appends = writes && (flags & O_APPEND) != 0;
    if (facts->kind == IOH_END_PIPE)
        facts->pipe_bytes = MAX (ioh_sys_get_pipe_size (fd), 0);
    if (facts->kind != IOH_END_REGULAR && facts->kind != IOH_END_BLOCK)
        return TRUE;
    probe_storage (facts, fd, &st);
    gint64 position = ioh_sys_seek (fd, 0, SEEK_CUR);
    if (position < 0)
        return ioh_error_errno (error, place, (int) -position);
    /* O_APPEND: every write goes to the end, whatever the position says */
    facts->position = facts->appends ? facts->size : (uint64_t) position;
    return TRUE;
}

/* PATH with its last component's symbolic links followed, whether or not that exists. */
static char *
probe_resolve_links (const char *path)
{
    char *resolved = g_strdup (path);

    for (int i = 0; i < PROBE_MAX_LINKS; i++) {
        g_autofree char *link = g_file_read_link (resolved, NULL);
        if (link == NULL)
            break;
        g_autofree char *directory = g_path_get_dirname (resolved);
        g_free (resolved);
        resolved =
            g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (directory, link, NULL);
    }
    return resolved;
}

/* Asks the directory of a target about the file that is going to be created there. */
static gboolean
probe_directory (IohEndFacts *facts, const IohPlace *place, GError **error)
{
    g_autofree char *path = g_path_get_dirname (facts->path);
    ioh_autofd directory_fd = ioh_sys_open (AT_FDCWD, path, O_DIRECTORY | O_RDONLY, 0);

    if (directory_fd < 0)
        return ioh_error_errno (error, place, -directory_fd);
    ioh_autofd fd = ioh_sys_open (directory_fd, ".", O_TMPFILE | O_WRONLY, 0600);
    facts->unnamed = fd >= 0;
    facts->seekable = TRUE;
    facts->room = probe_room (directory_fd, 0);
    facts->size_limit = probe_size_limit ();
    if (fd == -EROFS || fd == -EACCES || fd == -ENOSPC || fd == -EDQUOT)
        return ioh_error_errno (error, place, -fd);
    probe_direct (facts, fd >= 0 ? fd : directory_fd);
    return TRUE;
}

/* A target that is written in place: it must open for writing. Nothing is truncated here. */
static gboolean
probe_in_place (IohEndFacts *facts, const struct stat *st, int access, const IohPlace *place,
                GError **error)
{
    ioh_autofd fd = ioh_sys_open (AT_FDCWD, facts->path, access | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0)
        return ioh_error_errno (error, place, -fd);
    probe_storage (facts, fd, st);
    return TRUE;
}

static gboolean
probe_target (IohEndFacts *facts, const IohOptions *options, const IohPlace *place, GError **error)
{
    struct stat st = {0};

    facts->path = probe_resolve_links (options->file_path);
    int result = ioh_sys_stat (facts->path, &st);
    if (result < 0 && result != -ENOENT)
        return ioh_error_errno (error, place, -result);
    if (result < 0) {
        facts->kind = IOH_END_MISSING;
        return probe_directory (facts, place, error);
    }
    if (S_ISDIR (st.st_mode))
        return ioh_error_errno (error, place, EISDIR);
    facts->kind = probe_kind (&st);
    if (facts->kind == IOH_END_SOCKET)
        return ioh_error_errno (error, place, ENXIO);
    if (facts->kind == IOH_END_BLOCK)
        return probe_in_place (facts, &st, O_WRONLY, place, error);
    if (facts->kind != IOH_END_REGULAR)
        return TRUE;
    if (options->exists == IOH_EXISTS_OVERWRITE)
        return probe_in_place (facts, &st, O_WRONLY, place, error);
    if (!probe_directory (facts, place, error))
        return FALSE;
    facts->size = (uint64_t) st.st_size;
    facts->replaced = st;
    return TRUE;
}

static gboolean
probe_image (IohEndFacts *facts, const IohOptions *options, const IohPlace *place, GError **error)
{
    struct stat st = {0};

    facts->path = g_strdup (options->file_path);
    int result = ioh_sys_stat (facts->path, &st);
    if (result < 0)
        return ioh_error_errno (error, place, -result);
    if (S_ISDIR (st.st_mode))
        return ioh_error_errno (error, place, EISDIR);
    facts->kind = probe_kind (&st);
    if (facts->kind == IOH_END_SOCKET)
        return ioh_error_errno (error, place, ENXIO);
    if (facts->kind == IOH_END_REGULAR || facts->kind == IOH_END_BLOCK)
        return probe_in_place (facts, &st, O_RDONLY, place, error);
    return TRUE;
}

/* Moves the position to where the stream of a save image begins. */
static gboolean
probe_stream_start (IohEndFacts *facts, const IohOptions *options, const IohPlace *place,
                    GError **error)
{
    if (!facts->seekable)
        return ioh_error_usage (error, _ ("--%s: %s (%s) has no positions"), IOH_OPTION_SKIP_HEADER,
                                options->file_name, ioh_end_kind_name (facts->kind));
    ioh_autofd fd = options->file_fd >= 0
                        ? ioh_sys_dup (options->file_fd)
                        : ioh_sys_open (AT_FDCWD, facts->path, O_RDONLY | O_NOCTTY, 0);
    if (fd < 0)
        return ioh_error_errno (error, place, -fd);
    return ioh_image_find_stream (fd, options->file_name, facts->position, facts->size,
                                  &facts->position, error);
}

/* Nobody types an image or wants to read one: an operand or a redirection was forgotten. */
static gboolean
probe_terminal (const IohOptions *options, int fd, const IohPlace *place, GError **error)
{
    if (options->command == IOH_COMMAND_DROPIN || options->explain || !isatty (fd))
        return TRUE;
    return ioh_error_set (error, IOH_EXIT_USAGE, place, "%s",
                          _ ("it is a terminal; a pipe, a socket or a file is wanted"));
}

static IohFacts *
probe_facts_new (void)
{
    IohFacts *facts = g_new0 (IohFacts, 1);

    facts->io_uring_errno = -1;
    facts->page_bytes = (size_t) sysconf (_SC_PAGESIZE);
    facts->file.room = UINT64_MAX;
    facts->file.size_limit = UINT64_MAX;
    return facts;
}

IohFacts *
ioh_probe_host (void)
{
    IohFacts *facts = probe_facts_new ();

    facts->io_uring_errno = ioh_queue_probe_io_uring ();
    return facts;
}

IohFacts *
ioh_probe_image (int fd, const IohPlace *place, GError **error)
{
    g_autoptr (IohFacts) facts = probe_facts_new ();

    return probe_descriptor (&facts->file, fd, FALSE, place, error) ? g_steal_pointer (&facts)
                                                                    : NULL;
}

/* Asks for io_uring where an engine with a queue may be chosen: setting up a ring takes time. */
static void
probe_queue (IohFacts *facts, const IohOptions *options)
{
    const IohEngine *engine = ioh_engine_find (options->engine);
    gboolean direct = facts->file.seekable && facts->file.direct != IOH_DIRECT_NO &&
                      (options->cache == IOH_CACHE_AUTO || options->cache == IOH_CACHE_DIRECT);

    if (options->queue != IOH_QUEUE_THREADS && (engine != NULL ? engine->queues : direct))
        facts->io_uring_errno = ioh_queue_probe_io_uring ();
}

IohFacts *
ioh_probe (const IohOptions *options, GError **error)
{
    g_autoptr (IohFacts) facts = probe_facts_new ();
    gboolean save = options->direction == IOH_SAVE;
    const IohPlace stream = {IOH_SIDE_STREAM, options->stream_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    const IohPlace file = {IOH_SIDE_FILE, options->file_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    gboolean known;

    facts->direction = options->direction;
    if (options->stream_fd < 0)
        facts->stream.kind = IOH_END_SOCKET;
    else if (!probe_descriptor (&facts->stream, options->stream_fd, !save, &stream, error) ||
             !probe_terminal (options, options->stream_fd, &stream, error))
        return NULL;
    if (options->file_fd >= 0)
        known = probe_descriptor (&facts->file, options->file_fd, save, &file, error) &&
                probe_terminal (options, options->file_fd, &file, error);
    else if (save)
        known = probe_target (&facts->file, options, &file, error);
    else
        known = probe_image (&facts->file, options, &file, error);
    if (known && options->skip_header)
        known = probe_stream_start (&facts->file, options, &file, error);
    if (!known)
        return NULL;
    probe_queue (facts, options);
    return g_steal_pointer (&facts);
}

void
ioh_facts_free (IohFacts *facts)
{
    if (facts == NULL)
        return;
    g_free (facts->file.path);
    g_free (facts->stream.path);
    g_free (facts);
}
