/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * readers - reads ahead by threads, in order, without copying.
 *
 * Owns the threads, their pipes and the turn-taking: reader K reads blocks K, K + COUNT, ... and
 * sleeps while its pipe is full. One consumer. Losing what was read ahead loses nothing: it is
 * still in the file.
 */
#include "readers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "error.h"
#include "i18n.h"
#include "sys.h"
#include "transport.h"

typedef struct {
    IohReaders *readers;
    GThread *thread;
    int pipe_fds[2];
    uint64_t offset; /* of the block it reads or holds */
    size_t bytes;    /* still in the pipe */
    int result;      /* -errno of a block that could not be read */
    gboolean ready;  /* the block is there, or the end, or the error */
} Reader;

struct IohReaders {
    int fd;
    uint64_t end;
    size_t block_bytes;
    size_t align;
    unsigned count;
    unsigned next; /* whose block comes next in order */
    int event_fd;  /* readable when a block has become ready */
    gboolean stopped;
    GMutex lock; /* guards the readers' offset, bytes, result and ready, and stopped */
    GCond turn;
    Reader *readers;
};

/* How much of the block at OFFSET to ask for, rounded up to what direct I/O takes. */
static size_t
reader_length (const IohReaders *readers, uint64_t offset)
{
    uint64_t left = readers->end > offset ? readers->end - offset : 0;

    if (left >= readers->block_bytes)
        return readers->block_bytes;
    return (size_t) ((left + readers->align - 1) / readers->align * readers->align);
}

/* Splices one block into the reader's pipe. The bytes read, 0 at the end of the file, or -errno. */
static ssize_t
reader_read_block (Reader *reader, uint64_t offset)
{
    const IohReaders *readers = reader->readers;
    size_t wanted = reader_length (readers, offset);
    size_t got = 0;

    /* an odd length is the end of the file: asking on from there would not be aligned */
    while (got < wanted && got % readers->align == 0) {
        ssize_t bytes = ioh_sys_splice (readers->fd, &offset, reader->pipe_fds[1], NULL,
                                        wanted - got, SPLICE_F_MOVE);
        if (bytes < 0)
            return bytes;
        if (bytes == 0)
            break;
        got += (size_t) bytes;
    }
    return (ssize_t) got;
}

static void
reader_announce (IohReaders *readers)
{
    uint64_t one = 1;
    ssize_t written = write (readers->event_fd, &one, sizeof one);

    /* EAGAIN: the counter is full, so it is readable; else who waits looks by itself */
    (void) written;
}

static gpointer
reader_main (gpointer data)
{
    Reader *reader = data;
    IohReaders *readers = reader->readers;

    g_mutex_lock (&readers->lock);
    while (!readers->stopped) {
        if (reader->ready) {
            g_cond_wait (&readers->turn, &readers->lock);
            continue;
        }
        uint64_t offset = reader->offset;
        g_mutex_unlock (&readers->lock);
        ssize_t result = reader_read_block (reader, offset);
        g_mutex_lock (&readers->lock);
        reader->result = (int) MIN (result, 0);
        reader->bytes = (size_t) MAX (result, 0);
        reader->ready = TRUE;
        reader_announce (readers);
    }
    g_mutex_unlock (&readers->lock);
    return NULL;
}

/* 0 or -errno. */
static int
reader_make_pipe (Reader *reader, IohReaders *readers)
{
    int refused = 0;
    int result = ioh_sys_pipe (reader->pipe_fds);

    reader->readers = readers;
    if (result < 0)
        return result;
    size_t capacity = (size_t) ioh_transport_grow_pipe (
        reader->pipe_fds[1], (int) MIN (readers->block_bytes, G_MAXINT), &refused);
    /* a block must fit: whoever reads it must never wait for the consumer */
    readers->block_bytes = MIN (readers->block_bytes, capacity - capacity % readers->align);
    return readers->block_bytes > 0 ? 0 : -EMFILE;
}

/* The smallest of the pipes decides how large blocks are. Where there are not as many to be had,
 * fewer readers do. */
static gboolean
readers_make_pipes (IohReaders *readers, GError **error)
{
    unsigned wanted = readers->count;
    int result = 0;

    for (unsigned i = 0; i < wanted && result >= 0; i++)
        result = reader_make_pipe (&readers->readers[i], readers);
    readers->count = 0;
    while (readers->count < wanted && readers->readers[readers->count].pipe_fds[0] >= 0)
        readers->count++;
    return (readers->count > 0 && readers->block_bytes > 0) ||
           ioh_error_internal (error, _ ("cannot make a pipe to read ahead"), -result);
}

static gboolean
readers_start (IohReaders *readers, uint64_t offset, GError **error)
{
    readers->event_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (readers->event_fd < 0)
        return ioh_error_internal (error, _ ("cannot read ahead"), errno);
    if (!readers_make_pipes (readers, error))
        return FALSE;
    for (unsigned i = 0; i < readers->count; i++) {
        Reader *reader = &readers->readers[i];
        reader->offset = offset + i * (uint64_t) readers->block_bytes;
        reader->thread = g_thread_try_new ("ioh-reader", reader_main, reader, error);
        if (reader->thread == NULL)
            return FALSE;
    }
    return TRUE;
}

IohReaders *
ioh_readers_new (int fd, uint64_t offset, uint64_t end, size_t block_bytes, size_t align,
                 unsigned count, GError **error)
{
    IohReaders *readers = g_new0 (IohReaders, 1);

    readers->fd = fd;
    readers->end = end;
    readers->block_bytes = block_bytes;
    readers->align = align;
    readers->count = count;
    readers->event_fd = -1;
    g_mutex_init (&readers->lock);
    g_cond_init (&readers->turn);
    readers->readers = g_new0 (Reader, count);
    for (unsigned i = 0; i < count; i++)
        readers->readers[i].pipe_fds[0] = readers->readers[i].pipe_fds[1] = -1;
    if (readers_start (readers, offset, error))
        return readers;
    ioh_readers_free (readers);
    return NULL;
}

IohStep
ioh_readers_next (IohReaders *readers, int *out_pipe_fd, size_t *out_bytes, uint64_t *out_offset,
                  int *out_result, IohWait *out_wait)
{
    Reader *reader = &readers->readers[readers->next];
    uint64_t events;

    g_mutex_lock (&readers->lock);
    gboolean ready = reader->ready;
    /* forget older announcements before going to wait for a new one */
    if (!ready && read (readers->event_fd, &events, sizeof events) < 0)
        events = 0;
    g_mutex_unlock (&readers->lock);
    if (!ready)
        return ioh_wait_for_news (out_wait, readers->event_fd);
    *out_pipe_fd = reader->pipe_fds[0];
    *out_bytes = reader->bytes;
    *out_offset = reader->offset;
    *out_result = reader->result;
    if (reader->result < 0)
        return IOH_STEP_FAILED;
    return reader->bytes > 0 ? IOH_STEP_MOVED : IOH_STEP_DONE;
}

void
ioh_readers_taken (IohReaders *readers, size_t bytes)
{
    Reader *reader = &readers->readers[readers->next];

    g_mutex_lock (&readers->lock);
    reader->bytes -= bytes;
    if (reader->bytes == 0) {
        reader->offset += readers->count * (uint64_t) readers->block_bytes;
        reader->ready = FALSE;
        readers->next = (readers->next + 1) % readers->count;
        g_cond_broadcast (&readers->turn);
    }
    g_mutex_unlock (&readers->lock);
}

void
ioh_readers_free (IohReaders *readers)
{
    if (readers == NULL)
        return;
    g_mutex_lock (&readers->lock);
    readers->stopped = TRUE;
    g_cond_broadcast (&readers->turn);
    g_mutex_unlock (&readers->lock);
    for (unsigned i = 0; i < readers->count; i++) {
        Reader *reader = &readers->readers[i];
        g_clear_pointer (&reader->thread, g_thread_join);
        ioh_sys_clear_fd (&reader->pipe_fds[0]);
        ioh_sys_clear_fd (&reader->pipe_fds[1]);
    }
    ioh_sys_clear_fd (&readers->event_fd);
    g_cond_clear (&readers->turn);
    g_mutex_clear (&readers->lock);
    g_free (readers->readers);
    g_free (readers);
}
