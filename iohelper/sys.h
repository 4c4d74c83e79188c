/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SYS_H
#define IOH_SYS_H

#include <glib.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

/*
 * The system calls that touch data and descriptors. Every function returns what the call returns,
 * or -errno; EINTR is retried here and nowhere else. -EAGAIN means "wait on this descriptor".
 * Nothing is cached, nothing is printed. Tests replace single functions at link time.
 */

ssize_t ioh_sys_read (int fd, void *buffer, size_t length);
ssize_t ioh_sys_write (int fd, const void *buffer, size_t length);
ssize_t ioh_sys_pread (int fd, void *buffer, size_t length, uint64_t offset);
ssize_t ioh_sys_pwrite (int fd, const void *buffer, size_t length, uint64_t offset);

/* pwrite whose pages leave the cache once written (RWF_DONTCACHE, Linux 6.14); -EOPNOTSUPP where
 * the kernel or the file system does not know it. */
ssize_t ioh_sys_pwrite_dontcache (int fd, const void *buffer, size_t length, uint64_t offset);

/* One call that does not wait, whatever O_NONBLOCK says: pipes by RWF_NOWAIT (-EOPNOTSUPP on
 * kernels that refuse it there), sockets by MSG_DONTWAIT. */
ssize_t ioh_sys_read_nowait (int fd, void *buffer, size_t length);
ssize_t ioh_sys_write_nowait (int fd, const void *buffer, size_t length);
ssize_t ioh_sys_recv_nowait (int fd, void *buffer, size_t length);
ssize_t ioh_sys_send_nowait (int fd, const void *buffer, size_t length);

/* Offsets may be NULL: the descriptor's own position, or none. */
ssize_t ioh_sys_splice (int in_fd, uint64_t *in_offset, int out_fd, uint64_t *out_offset,
                        size_t length, unsigned flags);
ssize_t ioh_sys_sendfile (int out_fd, int in_fd, uint64_t *in_offset, size_t length);

/* Waits until one of FDS is ready or TIMEOUT_US microseconds have passed (-1: for ever). */
int ioh_sys_poll (struct pollfd *fds, unsigned count, gint64 timeout_us);

/* Threads of ours write to a descriptor when they have something to tell. Should the kernel refuse
 * that, who waits looks after so long: the transfer is slow then, and does not stand still. */
#define IOH_SYS_LOOK_US G_USEC_PER_SEC

/* Takes the slack from this thread's timers. A refusal (-errno) costs speed alone. */
int ioh_sys_wake_on_time (void);

/* Makes this thread one that works in batches: woken, it lets whoever woke it go on first, so that
 * more has gathered when its turn comes. Another policy than the ordinary
 * one is left alone. Threads it starts are not affected. A refusal (-errno) costs speed alone. */
int ioh_sys_work_in_batches (void);

/* O_CLOEXEC is added to FLAGS. DIRECTORY_FD may be AT_FDCWD. */
int ioh_sys_open (int directory_fd, const char *path, int flags, mode_t mode);

/* A second open file description of what FD refers to, through /proc/self/fd. */
int ioh_sys_reopen (int fd, int flags);

/* Never retried: the descriptor is gone whatever close says. */
int ioh_sys_close (int fd);
int ioh_sys_dup (int fd);
int ioh_sys_pipe (int out_fds[2]);

int ioh_sys_fstat (int fd, struct stat *out_stat);
int ioh_sys_stat (const char *path, struct stat *out_stat);
int ioh_sys_statx (int directory_fd, const char *path, int flags, unsigned mask,
                   struct statx *out_statx);
int ioh_sys_fstatfs (int fd, struct statfs *out_statfs);
int ioh_sys_device_size (int fd, uint64_t *out_bytes);
int ioh_sys_sector_size (int fd, size_t *out_bytes);
gint64 ioh_sys_seek (int fd, gint64 offset, int whence);

int ioh_sys_get_flags (int fd);
int ioh_sys_set_flags (int fd, int flags);
int ioh_sys_get_pipe_size (int fd);
int ioh_sys_set_pipe_size (int fd, int bytes);

/* What a socket may hold on its way out, as the kernel counts. */
int ioh_sys_get_send_buffer (int fd);

/* A socket of our own, whose description nobody shares: it is O_NONBLOCK, and the path that it may
 * be bound to is for its owner only. */
int ioh_sys_socket (int family, int type);
int ioh_sys_bind (int fd, const struct sockaddr *name, socklen_t length);
int ioh_sys_listen (int fd, int backlog);
int ioh_sys_accept (int fd);
int ioh_sys_connect (int fd, const struct sockaddr *name, socklen_t length);
int ioh_sys_set_option (int fd, int level, int option, const void *value, socklen_t size);
int ioh_sys_get_option (int fd, int level, int option, void *out_value, socklen_t size);

/* The end of what we send; the other direction stays open. */
int ioh_sys_end_sending (int fd);

/* Bytes that were sent over TCP and not acknowledged yet. */
int ioh_sys_get_unsent (int fd, int *out_bytes);

/* Takes something of what was received from the socket and throws it away. How much, 0 at its end.
 */
ssize_t ioh_sys_discard (int fd);

int ioh_sys_truncate (int fd, uint64_t length);
int ioh_sys_allocate (int fd, uint64_t offset, uint64_t length);
int ioh_sys_sync (int fd);
int ioh_sys_sync_data (int fd);
int ioh_sys_sync_range (int fd, uint64_t offset, uint64_t length, unsigned flags);
int ioh_sys_advise (int fd, uint64_t offset, uint64_t length, int advice);

/* TRUE when the page cache holds any page of the range, or nobody can say. */
gboolean ioh_sys_is_cached (int fd, uint64_t offset, size_t length);

int ioh_sys_chown (int fd, uid_t uid, gid_t gid);
int ioh_sys_chmod (int fd, mode_t mode);
int ioh_sys_link_fd (int fd, int directory_fd, const char *name);
int ioh_sys_link (int directory_fd, const char *from, const char *to);
int ioh_sys_rename (int directory_fd, const char *from, const char *to);
int ioh_sys_unlink (int directory_fd, const char *name);

/* Closes *FD when it is open and sets it to -1: for failure paths, where the error of close no
 * longer matters. */
void ioh_sys_clear_fd (int *fd);
#define ioh_autofd __attribute__ ((cleanup (ioh_sys_clear_fd))) int

#endif
