/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys - the only caller of the system calls that move data.
 *
 * Owns the retry of EINTR and the constants that the C library's headers may be too old to know.
 * Must never sleep, print, cache or decide.
 */
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Linux 6.14; absent from the headers of Debian 12 */
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x00000080
#endif

/* The value of CALL, repeated while a signal interrupts it, as -errno on failure. */
#define SYS_RETRY(call)                                                                            \
    (__extension__({                                                                               \
        __typeof__ (call) result_;                                                                 \
        do                                                                                         \
            result_ = (call);                                                                      \
        while (result_ < 0 && errno == EINTR);                                                     \
        result_ < 0 ? (__typeof__ (call)) -errno : result_;                                        \
    }))

ssize_t
ioh_sys_read (int fd, void *buffer, size_t length)
{
    return SYS_RETRY (read (fd, buffer, length));
}

ssize_t
ioh_sys_write (int fd, const void *buffer, size_t length)
{
    return SYS_RETRY (write (fd, buffer, length));
}

ssize_t
ioh_sys_pread (int fd, void *buffer, size_t length, uint64_t offset)
{
    return SYS_RETRY (pread (fd, buffer, length, (off_t) offset));
}

ssize_t
ioh_sys_pwrite (int fd, const void *buffer, size_t length, uint64_t offset)
{
    return SYS_RETRY (pwrite (fd, buffer, length, (off_t) offset));
}

ssize_t
ioh_sys_pwrite_dontcache (int fd, const void *buffer, size_t length, uint64_t offset)
{
    struct iovec iov = {.iov_base = (void *) buffer, .iov_len = length};

    return SYS_RETRY (pwritev2 (fd, &iov, 1, (off_t) offset, RWF_DONTCACHE));
}

ssize_t
ioh_sys_read_nowait (int fd, void *buffer, size_t length)
{
    struct iovec iov = {.iov_base = buffer, .iov_len = length};

    return SYS_RETRY (preadv2 (fd, &iov, 1, -1, RWF_NOWAIT));
}

ssize_t
ioh_sys_write_nowait (int fd, const void *buffer, size_t length)
{
    struct iovec iov = {.iov_base = (void *) buffer, .iov_len = length};

    return SYS_RETRY (pwritev2 (fd, &iov, 1, -1, RWF_NOWAIT));
}

ssize_t
ioh_sys_recv_nowait (int fd, void *buffer, size_t length)
{
    return SYS_RETRY (recv (fd, buffer, length, MSG_DONTWAIT));
}

ssize_t
ioh_sys_send_nowait (int fd, const void *buffer, size_t length)
{
    return SYS_RETRY (send (fd, buffer, length, MSG_DONTWAIT | MSG_NOSIGNAL));
}

ssize_t
ioh_sys_splice (int in_fd, uint64_t *in_offset, int out_fd, uint64_t *out_offset, size_t length,
                unsigned flags)
{
    return SYS_RETRY (
        splice (in_fd, (off64_t *) in_offset, out_fd, (off64_t *) out_offset, length, flags));
}

ssize_t
ioh_sys_sendfile (int out_fd, int in_fd, uint64_t *in_offset, size_t length)
{
    return SYS_RETRY (sendfile (out_fd, in_fd, (off_t *) in_offset, length));
}

int
ioh_sys_poll (struct pollfd *fds, unsigned count, gint64 timeout_us)
{
    struct timespec timeout = {
        .tv_sec = timeout_us / G_USEC_PER_SEC,
        .tv_nsec = (timeout_us % G_USEC_PER_SEC) * 1000,
    };
    return SYS_RETRY (ppoll (fds, count, timeout_us < 0 ? NULL : &timeout, NULL));
}

int
ioh_sys_wake_on_time (void)
{
    return SYS_RETRY (prctl (PR_SET_TIMERSLACK, 1));
}

int
ioh_sys_work_in_batches (void)
{
    const struct sched_param parameters = {0};

    if (sched_getscheduler (0) != SCHED_OTHER)
        return 0;
    return SYS_RETRY (sched_setscheduler (0, SCHED_BATCH | SCHED_RESET_ON_FORK, &parameters));
}

int
ioh_sys_open (int directory_fd, const char *path, int flags, mode_t mode)
{
    return SYS_RETRY (openat (directory_fd, path, flags | O_CLOEXEC, mode));
}

int
ioh_sys_reopen (int fd, int flags)
{
    char path[64];

    snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
    return ioh_sys_open (AT_FDCWD, path, flags, 0);
}

int
ioh_sys_close (int fd)
{
    return close (fd) < 0 && errno != EINTR ? -errno : 0;
}

int
ioh_sys_dup (int fd)
{
    return SYS_RETRY (fcntl (fd, F_DUPFD_CLOEXEC, 3));
}

int
ioh_sys_pipe (int out_fds[2])
{
    return SYS_RETRY (pipe2 (out_fds, O_CLOEXEC));
}

int
ioh_sys_fstat (int fd, struct stat *out_stat)
{
    return SYS_RETRY (fstat (fd, out_stat));
}

int
ioh_sys_stat (const char *path, struct stat *out_stat)
{
    return SYS_RETRY (stat (path, out_stat));
}

int
ioh_sys_statx (int directory_fd, const char *path, int flags, unsigned mask,
               struct statx *out_statx)
{
    return SYS_RETRY (statx (directory_fd, path, flags, mask, out_statx));
}

int
ioh_sys_fstatfs (int fd, struct statfs *out_statfs)
{
    return SYS_RETRY (fstatfs (fd, out_statfs));
}

int
ioh_sys_device_size (int fd, uint64_t *out_bytes)
{
    return SYS_RETRY (ioctl (fd, BLKGETSIZE64, out_bytes));
}

int
ioh_sys_sector_size (int fd, size_t *out_bytes)
{
    int bytes = 0;
    int result = SYS_RETRY (ioctl (fd, BLKSSZGET, &bytes));

    if (result >= 0)
        *out_bytes = (size_t) bytes;
    return result;
}

gint64
ioh_sys_seek (int fd, gint64 offset, int whence)
{
    return SYS_RETRY (lseek (fd, offset, whence));
}

int
ioh_sys_get_flags (int fd)
{
    return SYS_RETRY (fcntl (fd, F_GETFL));
}

int
ioh_sys_set_flags (int fd, int flags)
{
    return SYS_RETRY (fcntl (fd, F_SETFL, flags));
}

int
ioh_sys_get_pipe_size (int fd)
{
    return SYS_RETRY (fcntl (fd, F_GETPIPE_SZ));
}

int
ioh_sys_set_pipe_size (int fd, int bytes)
{
    return SYS_RETRY (fcntl (fd, F_SETPIPE_SZ, bytes));
}

int
ioh_sys_get_send_buffer (int fd)
{
    int bytes = 0;
    socklen_t length = sizeof bytes;

    return getsockopt (fd, SOL_SOCKET, SO_SNDBUF, &bytes, &length) < 0 ? -errno : bytes;
}

int
ioh_sys_socket (int family, int type)
{
    int fd = SYS_RETRY (socket (family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

    /* the mode of the socket's own inode becomes that of the path */
    int result = fd >= 0 && family == AF_UNIX ? SYS_RETRY (fchmod (fd, 0600)) : 0;
    if (result < 0) {
        ioh_sys_close (fd);
        return result;
    }
    return fd;
}

int
ioh_sys_bind (int fd, const struct sockaddr *name, socklen_t length)
{
    return SYS_RETRY (bind (fd, name, length));
}

int
ioh_sys_listen (int fd, int backlog)
{
    return SYS_RETRY (listen (fd, backlog));
}

int
ioh_sys_accept (int fd)
{
    return SYS_RETRY (accept4 (fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int
ioh_sys_connect (int fd, const struct sockaddr *name, socklen_t length)
{
    return SYS_RETRY (connect (fd, name, length));
}

int
ioh_sys_set_option (int fd, int level, int option, const void *value, socklen_t size)
{
    return SYS_RETRY (setsockopt (fd, level, option, value, size));
}

int
ioh_sys_get_option (int fd, int level, int option, void *out_value, socklen_t size)
{
    return SYS_RETRY (getsockopt (fd, level, option, out_value, &size));
}

int
ioh_sys_end_sending (int fd)
{
    return SYS_RETRY (shutdown (fd, SHUT_WR));
}

int
ioh_sys_get_unsent (int fd, int *out_bytes)
{
    return SYS_RETRY (ioctl (fd, SIOCOUTQ, out_bytes));
}

ssize_t
ioh_sys_discard (int fd)
{
    char bytes[4096];

    return SYS_RETRY (recv (fd, bytes, sizeof bytes, MSG_DONTWAIT));
}

int
ioh_sys_truncate (int fd, uint64_t length)
{
    return SYS_RETRY (ftruncate (fd, (off_t) length));
}

int
ioh_sys_allocate (int fd, uint64_t offset, uint64_t length)
{
    return SYS_RETRY (fallocate (fd, 0, (off_t) offset, (off_t) length));
}

int
ioh_sys_sync (int fd)
{
    return SYS_RETRY (fsync (fd));
}

int
ioh_sys_sync_data (int fd)
{
    return SYS_RETRY (fdatasync (fd));
}

int
ioh_sys_sync_range (int fd, uint64_t offset, uint64_t length, unsigned flags)
{
    return SYS_RETRY (sync_file_range (fd, (off64_t) offset, (off64_t) length, flags));
}

int
ioh_sys_advise (int fd, uint64_t offset, uint64_t length, int advice)
{
    /* the one call here that returns its errno value */
    return -posix_fadvise (fd, (off_t) offset, (off_t) length, advice);
}

gboolean
ioh_sys_is_cached (int fd, uint64_t offset, size_t length)
{
    size_t page_bytes = (size_t) sysconf (_SC_PAGESIZE);
    size_t in_front = (size_t) (offset % page_bytes);
    size_t bytes = in_front + length;
    g_autofree unsigned char *pages = g_malloc (bytes / page_bytes + 1);
    gboolean cached = TRUE;

    void *map = mmap (NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t) (offset - in_front));
    if (map == MAP_FAILED)
        return TRUE;
    if (mincore (map, bytes, pages) == 0) {
        cached = FALSE;
        for (size_t i = 0; i * page_bytes < bytes; i++)
            cached = cached || (pages[i] & 1) != 0;
    }
    munmap (map, bytes);
    return cached;
}

int
ioh_sys_chown (int fd, uid_t uid, gid_t gid)
{
    return SYS_RETRY (fchown (fd, uid, gid));
}

int
ioh_sys_chmod (int fd, mode_t mode)
{
    return SYS_RETRY (fchmod (fd, mode));
}

int
ioh_sys_link_fd (int fd, int directory_fd, const char *name)
{
    char path[64];

    snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
    return SYS_RETRY (linkat (AT_FDCWD, path, directory_fd, name, AT_SYMLINK_FOLLOW));
}

int
ioh_sys_link (int directory_fd, const char *from, const char *to)
{
    return SYS_RETRY (linkat (directory_fd, from, directory_fd, to, 0));
}

int
ioh_sys_rename (int directory_fd, const char *from, const char *to)
{
    return SYS_RETRY (renameat (directory_fd, from, directory_fd, to));
}

int
ioh_sys_unlink (int directory_fd, const char *name)
{
    return SYS_RETRY (unlinkat (directory_fd, name, 0));
}

void
ioh_sys_clear_fd (int *fd)
{
    if (*fd >= 0)
        ioh_sys_close (*fd);
    *fd = -1;
}
