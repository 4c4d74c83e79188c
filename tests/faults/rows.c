/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rows - what may go wrong in each function, and what has to come of it.
 *
 * Owns the one table. Every function of sys.h is in it; the test "complete" sees to that.
 */
#include "rows.h"

#include <errno.h>

#define READ FATE_AT (IOH_STAGE_READ)
#define WRITE FATE_AT (IOH_STAGE_WRITE)
#define OPEN FATE_AT (IOH_STAGE_OPEN)
#define TRUNCATE FATE_AT (IOH_STAGE_TRUNCATE)
#define FLUSH FATE_AT (IOH_STAGE_FLUSH)
#define CLOSE FATE_AT (IOH_STAGE_CLOSE)
#define PUBLISH FATE_AT (IOH_STAGE_PUBLISH)
#define INTERNAL FATE_INTERNAL
#define USAGE FATE_USAGE
#define NAMED FATE_NAMED

#define FAILS(call, number, how)                                                                   \
    {                                                                                              \
        SYS_##call, FAULT_INSTEAD, number, 0, FALSE, FATE_FAILS, how                               \
    }
#define EITHER(call, number, how)                                                                  \
    {                                                                                              \
        SYS_##call, FAULT_INSTEAD, number, 0, FALSE, FATE_EITHER, how                              \
    }
#define LASTS(call, number, how)                                                                   \
    {                                                                                              \
        SYS_##call, FAULT_INSTEAD, number, 0, TRUE, FATE_EITHER, how                               \
    }
#define SURVIVES(call, number)                                                                     \
    {                                                                                              \
        SYS_##call, FAULT_INSTEAD, number, 0, FALSE, FATE_SURVIVES, 0                              \
    }
#define OUTLIVES(call, number)                                                                     \
    {                                                                                              \
        SYS_##call, FAULT_INSTEAD, number, 0, TRUE, FATE_SURVIVES, 0                               \
    }
#define SHORT(call, length)                                                                        \
    {                                                                                              \
        SYS_##call, FAULT_SHORT, 0, length, FALSE, FATE_SURVIVES, 0                                \
    }
#define ALL_SHORT(call, length)                                                                    \
    {                                                                                              \
        SYS_##call, FAULT_SHORT, 0, length, TRUE, FATE_SURVIVES, 0                                 \
    }
/* told late: the call was made */
#define LATE(call, number, how)                                                                    \
    {                                                                                              \
        SYS_##call, FAULT_AFTER, number, 0, FALSE, FATE_EITHER, how                                \
    }

const FaultRow fault_rows[] = {
    /* the data itself */
    FAILS (READ, EIO, READ | INTERNAL),
    SHORT (READ, 1),
    FAILS (WRITE, EIO, WRITE),
    FAILS (WRITE, EPIPE, WRITE),
    SHORT (WRITE, 1),
    FAILS (PREAD, EIO, READ),
    EITHER (PREAD, EINVAL, READ),
    LASTS (PREAD, EINVAL, READ),
    SHORT (PREAD, 4096),
    FAILS (PWRITE, EIO, WRITE),
    FAILS (PWRITE, ENOSPC, WRITE),
    EITHER (PWRITE, EINVAL, WRITE),
    LASTS (PWRITE, EINVAL, WRITE),
    SHORT (PWRITE, 4096),
    FAILS (PWRITE_DONTCACHE, EIO, WRITE),
    FAILS (PWRITE_DONTCACHE, EDQUOT, WRITE),
    SURVIVES (PWRITE_DONTCACHE, EOPNOTSUPP),
    SHORT (PWRITE_DONTCACHE, 1),
    FAILS (READ_NOWAIT, EIO, READ),
    SURVIVES (READ_NOWAIT, EAGAIN),
    SURVIVES (READ_NOWAIT, EOPNOTSUPP),
    SHORT (READ_NOWAIT, 1),
    ALL_SHORT (READ_NOWAIT, 4097),
    FAILS (WRITE_NOWAIT, EIO, WRITE),
    FAILS (WRITE_NOWAIT, EPIPE, WRITE),
    SURVIVES (WRITE_NOWAIT, EAGAIN),
    SURVIVES (WRITE_NOWAIT, EOPNOTSUPP),
    SHORT (WRITE_NOWAIT, 1),
    ALL_SHORT (WRITE_NOWAIT, 4097),
    FAILS (RECV_NOWAIT, ECONNRESET, READ),
    SURVIVES (RECV_NOWAIT, EAGAIN),
    SHORT (RECV_NOWAIT, 1),
    FAILS (SEND_NOWAIT, EPIPE, WRITE),
    FAILS (SEND_NOWAIT, ECONNRESET, WRITE),
    SURVIVES (SEND_NOWAIT, EAGAIN),
    SHORT (SEND_NOWAIT, 1),
    FAILS (SPLICE, EIO, READ | WRITE),
    EITHER (SPLICE, EINVAL, NAMED),
    LASTS (SPLICE, EINVAL, NAMED),
    LASTS (SPLICE, ENOSYS, NAMED),
    EITHER (SPLICE, EAGAIN, NAMED),
    SHORT (SPLICE, 4096),
    FAILS (SENDFILE, EPIPE, WRITE),
    FAILS (SENDFILE, EIO, READ),
    EITHER (SENDFILE, EINVAL, NAMED),
    LASTS (SENDFILE, ENOSYS, NAMED),
    SURVIVES (SENDFILE, EAGAIN),
    SHORT (SENDFILE, 1),
    EITHER (POLL, ENOMEM, INTERNAL | OPEN | CLOSE),
    LASTS (POLL, ENOMEM, INTERNAL | OPEN | CLOSE),

    /* coming to the ends */
    EITHER (OPEN, EMFILE, OPEN),
    EITHER (OPEN, EIO, OPEN),
    EITHER (OPEN, EINVAL, OPEN),
    EITHER (OPEN, EOPNOTSUPP, OPEN),
    LATE (OPEN, EINVAL, OPEN),
    EITHER (REOPEN, EACCES, OPEN | READ | WRITE | NAMED),
    LASTS (REOPEN, EACCES, OPEN | READ | WRITE | NAMED),
    EITHER (DUP, EMFILE, OPEN),
    EITHER (PIPE, EMFILE, OPEN | NAMED),
    LASTS (PIPE, EMFILE, OPEN | NAMED),
    EITHER (FSTAT, EIO, OPEN | USAGE),
    EITHER (STAT, EACCES, OPEN),
    SURVIVES (STATX, ENOSYS),
    OUTLIVES (STATX, ENOSYS),
    OUTLIVES (FSTATFS, EIO),
    EITHER (DEVICE_SIZE, EIO, OPEN),
    SURVIVES (SECTOR_SIZE, EIO),
    EITHER (SEEK, EIO, OPEN),
    EITHER (GET_FLAGS, EBADF, OPEN | USAGE | READ | WRITE),
    EITHER (SET_FLAGS, EINVAL, READ | WRITE),
    OUTLIVES (GET_PIPE_SIZE, EBADF),
    OUTLIVES (SET_PIPE_SIZE, EPERM),
    SURVIVES (SET_PIPE_SIZE, EBUSY),
    SURVIVES (SET_PIPE_SIZE, ENOMEM),
    OUTLIVES (GET_SEND_BUFFER, EINVAL),

    /* meeting a peer, and parting */
    FAILS (SOCKET, EAFNOSUPPORT, OPEN),
    FAILS (SOCKET, EMFILE, OPEN),
    FAILS (BIND, EACCES, OPEN),
    FAILS (BIND, EADDRINUSE, OPEN),
    FAILS (LISTEN, EADDRINUSE, OPEN),
    FAILS (ACCEPT, EMFILE, OPEN),
    SURVIVES (ACCEPT, EAGAIN),
    SURVIVES (ACCEPT, ECONNABORTED),
    FAILS (CONNECT, ECONNREFUSED, OPEN),
    FAILS (CONNECT, ENETUNREACH, OPEN),
    OUTLIVES (SET_OPTION, EPERM),
    EITHER (GET_OPTION, ENOPROTOOPT, OPEN),
    LASTS (GET_OPTION, ENOPROTOOPT, OPEN),
    FAILS (END_SENDING, ENOTCONN, CLOSE),
    SURVIVES (GET_UNSENT, EINVAL),
    SURVIVES (DISCARD, ECONNRESET),

    /* finishing */
    FAILS (TRUNCATE, EIO, TRUNCATE),
    OUTLIVES (ALLOCATE, EOPNOTSUPP),
    SURVIVES (ALLOCATE, ENOSPC),
    FAILS (SYNC, EIO, FLUSH),
    FAILS (SYNC, ENOSPC, FLUSH),
    EITHER (SYNC, EINVAL, FLUSH),
    FAILS (SYNC_DATA, EIO, FLUSH),
    FAILS (SYNC_RANGE, EIO, FLUSH),
    SURVIVES (SYNC_RANGE, EINVAL),
    OUTLIVES (SYNC_RANGE, ENOSYS),
    OUTLIVES (ADVISE, EIO),
    OUTLIVES (WORK_IN_BATCHES, EPERM),
    OUTLIVES (WAKE_ON_TIME, EPERM),
    OUTLIVES (IS_CACHED, -TRUE),
    OUTLIVES (IS_CACHED, FALSE),
    LATE (CLOSE, EIO, CLOSE),
    LATE (CLOSE, EDQUOT, CLOSE),

    /* publishing */
    SURVIVES (CHOWN, EPERM),
    SURVIVES (CHMOD, EPERM),
    FAILS (LINK_FD, EIO, PUBLISH),
    EITHER (LINK_FD, EEXIST, PUBLISH),
    LASTS (LINK_FD, EEXIST, PUBLISH),
    FAILS (LINK, EIO, PUBLISH),
    FAILS (LINK, EEXIST, PUBLISH),
    FAILS (RENAME, EIO, PUBLISH),
    SURVIVES (UNLINK, EIO),

    /* the queue's backends */
    EITHER (QUEUE_OPEN, ENOSYS, NAMED),
    LASTS (QUEUE_OPEN, EPERM, NAMED),
    EITHER (QUEUE_SUBMIT, ENOMEM, INTERNAL | READ | WRITE),
    FAILS (QUEUE_REAP, EIO, READ | WRITE),
    FAILS (QUEUE_REAP, ENOSPC, READ | WRITE),
    EITHER (QUEUE_REAP, EINVAL, READ | WRITE),
    SURVIVES (QUEUE_REAP, EAGAIN),
    SURVIVES (QUEUE_REAP, EINTR),
    SHORT (QUEUE_REAP, 4096),
    SHORT (QUEUE_REAP, 512),
    ALL_SHORT (QUEUE_REAP, 4096),
};

const unsigned fault_row_count = G_N_ELEMENTS (fault_rows);

char *
fault_row_name (const FaultRow *row)
{
    const char *lasts = row->lasts ? " and all later ones" : "";

    if (row->manner == FAULT_SHORT)
        return g_strdup_printf ("%s short, %zu bytes%s", sys_call_names[row->call], row->short_to,
                                lasts);
    return g_strdup_printf ("%s %s %s%s", sys_call_names[row->call],
                            row->manner == FAULT_AFTER ? "done, but returning" : "returning",
                            row->error_number > 0 ? g_strerror (row->error_number) : "a value",
                            lasts);
}
