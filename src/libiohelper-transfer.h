/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBIOHELPER_TRANSFER_H
#define LIBIOHELPER_TRANSFER_H

#include <gio/gio.h>

#include "libiohelper-result.h"
#include "libiohelper-types.h"

G_BEGIN_DECLS

/**
 * IohTransportKind:
 * @IOH_TRANSPORT_AUTO: the faster one for the direction
 * @IOH_TRANSPORT_PIPE: a pipe
 * @IOH_TRANSPORT_SOCKET: a pair of connected Unix stream sockets
 *
 * What the stream of the hypervisor crosses.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_TRANSPORT_AUTO,
    IOH_TRANSPORT_PIPE,
    IOH_TRANSPORT_SOCKET,
} IohTransportKind;

/**
 * IohTransferState:
 * @IOH_TRANSFER_STATE_NEW: not started
 * @IOH_TRANSFER_STATE_RUNNING: under way
 * @IOH_TRANSFER_STATE_CANCELLING: cancelled, the helper is cleaning up
 * @IOH_TRANSFER_STATE_STUCK: cancelled and killed, but the helper hangs in the kernel, waiting for
 *   storage that does not answer; it will be gone when that does
 * @IOH_TRANSFER_STATE_DONE: ended well
 * @IOH_TRANSFER_STATE_FAILED: ended with an error
 * @IOH_TRANSFER_STATE_CANCELLED: ended by ioh_transfer_cancel()
 *
 * Where a transfer stands.
 *
 * Since: 0.1
 */
typedef enum {
    IOH_TRANSFER_STATE_NEW,
    IOH_TRANSFER_STATE_RUNNING,
    IOH_TRANSFER_STATE_CANCELLING,
    IOH_TRANSFER_STATE_STUCK,
    IOH_TRANSFER_STATE_DONE,
    IOH_TRANSFER_STATE_FAILED,
    IOH_TRANSFER_STATE_CANCELLED,
} IohTransferState;

/**
 * IohTransfer:
 *
 * One save or restore of a stream, carried out by a process of its own.
 *
 * Make one, set its properties, and ioh_transfer_start() it; hand the descriptor to the hypervisor
 * and close it; when the hypervisor reports success, ioh_transfer_finish(). The properties cannot
 * be changed once it has started.
 *
 * g_object_set() cannot see the types of what it is given: a number for a property of 64 bits needs
 * a cast, `"expect-size", (gint64) n`. A value out of a property's range is only warned about by
 * GObject, and the property keeps the value that it has.
 *
 * A transfer belongs to one thread, but ioh_transfer_cancel() and the functions that only ask for
 * something may be called from any.
 *
 * Since: 0.1
 */
#define IOH_TYPE_TRANSFER (ioh_transfer_get_type ())
G_DECLARE_FINAL_TYPE (IohTransfer, ioh_transfer, IOH, TRANSFER, GObject)

/**
 * IohTransfer:direction:
 *
 * An #IohDirection. Save or restore. Set at construction only.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:path:
 *
 * A string. The file, by its path: where a save goes, or the image of a restore. Set at
 * construction only, and %NULL when a descriptor was given.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:file-fd:
 *
 * A #gint. The file, already open: the transfer makes a copy of it at once. Write-only, set at
 * construction only, and -1 when a path was given.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:pipe-size:
 *
 * A #guint64. Size wanted for a stream that is a pipe, in bytes. When the kernel refuses, half of
 * it is tried, and so on; this is never an error. ioh_transfer_get_stream_size() tells what came of
 * it.
 *
 * The default is 1 MiB.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:socket-buffer:
 *
 * A #guint64. Send buffer wanted for a stream that is a socket, in bytes: of the hypervisor's end
 * for a save, of the helper's for a restore. The kernel may give less.
 *
 * The default is 1 MiB.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:transport:
 *
 * An #IohTransportKind. What the stream is to be.
 *
 * The default is %IOH_TRANSPORT_AUTO.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:stream-label:
 *
 * A string. SELinux context that the stream is given before the hypervisor gets it. Where SELinux
 * is disabled nothing is done, and a note of the result says so; a library that was built without
 * libselinux refuses to start.
 *
 * The default is %NULL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:engine:
 *
 * A string. How the bytes cross: `auto`, or the name of an engine that `iohelper engines` lists. A
 * named engine is used or the transfer fails; it is never replaced by another. The helper checks
 * the name.
 *
 * The default is `auto`.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:cache:
 *
 * An #IohCache. What becomes of the page cache on the file's side.
 *
 * The default is %IOH_CACHE_AUTO.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:block-size:
 *
 * A #guint64. Size of one request to the file, in bytes, 4 KiB to 64 MiB; rounded up to what
 * O_DIRECT needs.
 *
 * The default is 1 MiB.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:queue-depth:
 *
 * A #guint. How many requests of the direct engine are under way at the same time, 1 to 64.
 *
 * The default is 4.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:queue:
 *
 * An #IohQueueKind. How requests of the direct engine reach the kernel.
 *
 * The default is %IOH_QUEUE_AUTO.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:offset:
 *
 * A #gint64. Where in the file the stream begins, in bytes. -1: at the beginning of a path, at the
 * current position of a descriptor.
 *
 * The default is -1.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:skip-header:
 *
 * A #gboolean. The image is one that libvirt saved: find the stream behind its header, and refuse
 * anything else, also an image that libvirt has not completed or has compressed. For a restore
 * only; excludes #IohTransfer:offset.
 *
 * The default is %FALSE.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:expect-size:
 *
 * A #gint64. The exact length of the stream, in bytes; anything else is a failure, and so is a lack
 * of room for it, before the first byte is taken. -1: not known. 0: an empty stream is meant, which
 * is a failure otherwise.
 *
 * The default is -1.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:rate-limit:
 *
 * A #guint64. No faster than so many bytes a second, without bursts saved up while nothing came. 0:
 * no limit.
 *
 * The default is 0.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:stall-timeout:
 *
 * A #guint. The transfer fails when nothing has moved for so many seconds, the time before the
 * hypervisor gets the stream included. 0: it waits for ever. It does not cover the opening of a
 * FIFO, which waits for the other end, nor a helper that is stopped or hangs in the kernel.
 *
 * The default is 0.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:sync:
 *
 * An #IohSync. What is on storage before a save is a success. For a save only.
 *
 * The default is %IOH_SYNC_FULL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:exists:
 *
 * An #IohExists. What happens to a file that has the path already. Descriptors, devices and FIFOs
 * are always written in place; %IOH_EXISTS_REFUSE means nothing for a descriptor. For a save only.
 *
 * The default is %IOH_EXISTS_REPLACE.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:mode:
 *
 * A #guint. Permissions of a new file, which the umask does not change; one that replaces another
 * has those of the other. It means nothing for a descriptor. For a save only.
 *
 * The default is 0600.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:label:
 *
 * A string. SELinux context of a created file, also of one that replaces another; without it, a
 * replacement has that of the file it replaces. Where SELinux is disabled nothing is done, and a
 * note of the result says so; a helper that was built without libselinux refuses it. For a save
 * only.
 *
 * The default is %NULL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:keep-partial:
 *
 * A #gboolean. After a failure, leave what was written as the path with `.part` added. It means
 * nothing for a descriptor. For a save only.
 *
 * The default is %FALSE.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:parent-death:
 *
 * An #IohParentDeath. What the helper does when this program dies, or drops the last reference to
 * the transfer, before it has called ioh_transfer_finish().
 *
 * The default is %IOH_PARENT_DEATH_CANCEL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:helper-path:
 *
 * A string. The program to start; %NULL: the one that the environment variable `IOH_HELPER` names,
 * which programs with more privileges than their user ignore, or else the installed one.
 *
 * The default is %NULL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:environment:
 *
 * A #GStrv. The environment of the helper, `NAME=value` each; %NULL: `PATH`, `LD_LIBRARY_PATH`,
 * `TZ`, and what says which language messages are in, as they are in this program.
 *
 * The default is %NULL.
 *
 * Since: 0.1
 */

/**
 * IohTransfer:state:
 *
 * Where the transfer stands. Read-only; its notification comes in the main context that was the
 * thread-default one of ioh_transfer_start(). It is how a program learns that the helper has ended
 * before it calls ioh_transfer_finish(), for instance because the file system is full. Whether it
 * or a #IohTransfer::progress comes first is not promised.
 *
 * Since: 0.1
 */

/**
 * IohTransfer::progress:
 * @transfer: the transfer
 * @phase: what it is doing
 * @bytes: how many bytes of the stream have been handed over; never falls
 * @expected: how many there will be, -1 when that is not known
 * @seconds: how long it has been going on
 *
 * Emitted at least once a second while the transfer is under way, also while it is stuck in a write
 * or a flush, and once when it has ended. It comes in the main context that was the thread-default
 * one of ioh_transfer_start(); when that is not run in time, what was missed is left out.
 *
 * Since: 0.1
 */

/**
 * ioh_transfer_new_save:
 * @path: (type filename): where the stream is saved: a file that need not exist, a block device, or
 *   a FIFO
 *
 * A transfer from a hypervisor to storage. A file appears, or replaces the one that is there, only
 * once it is complete, unless it is written in place: see #IohTransfer:exists.
 *
 * Returns: (transfer full): a new transfer; %NULL with a critical warning when @path is %NULL
 *
 * Since: 0.1
 */
IohTransfer *ioh_transfer_new_save (const char *path);

/**
 * ioh_transfer_new_save_to_fd:
 * @fd: what the stream is saved to, open for writing. It stays the caller's, who may close it any
 *   time: the transfer has a copy. It is used as it is, and never opened again by its path
 *
 * A transfer from a hypervisor to something that the caller has opened. It is written in place from
 * its current position, or from #IohTransfer:offset.
 *
 * Returns: (transfer full): a new transfer; %NULL with a critical warning when @fd is negative
 *
 * Since: 0.1
 */
IohTransfer *ioh_transfer_new_save_to_fd (int fd);

/**
 * ioh_transfer_new_restore:
 * @path: (type filename): the image
 *
 * A transfer from storage to a hypervisor.
 *
 * Returns: (transfer full): a new transfer; %NULL with a critical warning when @path is %NULL
 *
 * Since: 0.1
 */
IohTransfer *ioh_transfer_new_restore (const char *path);

/**
 * ioh_transfer_new_restore_from_fd:
 * @fd: the image, open for reading; as with ioh_transfer_new_save_to_fd() it stays the caller's
 *
 * A transfer from something that the caller has opened to a hypervisor.
 *
 * Returns: (transfer full): a new transfer; %NULL with a critical warning when @fd is negative
 *
 * Since: 0.1
 */
IohTransfer *ioh_transfer_new_restore_from_fd (int fd);

/**
 * ioh_transfer_start:
 * @transfer: a new transfer
 * @error: return location for an error
 *
 * Starts the helper and gives the stream for the hypervisor: to be written to by it for a save, to
 * be read by it for a restore. Hand it over (for QEMU: `getfd`, then `migrate` or
 * `migrate-incoming` with `fd:`), then close it: the stream of a save ends when its last copy is
 * closed. It is close-on-exec.
 *
 * This does not wait for storage: what is wrong with the file is learned from
 * ioh_transfer_finish(), and so are settings that contradict each other; only those that make no
 * sense for the direction are refused here. After a failure the transfer is new still, and may be
 * started again.
 *
 * Signals and notifications come in the thread-default main context of the thread that calls this.
 *
 * Returns: a descriptor that the caller owns, or -1 with @error set to %IOH_TRANSFER_ERROR_USAGE,
 *   %IOH_TRANSFER_ERROR_STREAM, %IOH_TRANSFER_ERROR_SPAWN or %IOH_TRANSFER_ERROR_INTERNAL
 *
 * Since: 0.1
 */
int ioh_transfer_start (IohTransfer *transfer, GError **error);

/**
 * ioh_transfer_finish:
 * @transfer: a transfer that was started
 * @cancellable: (nullable): ends the waiting, not the transfer
 * @error: return location for an error
 *
 * As ioh_transfer_finish_async(), but waits. This is the one function that does, as long as it
 * takes: after ioh_transfer_cancel() some seconds, also when the storage does not answer.
 *
 * Returns: as ioh_transfer_finish_finish()
 *
 * Since: 0.1
 */
gboolean ioh_transfer_finish (IohTransfer *transfer, GCancellable *cancellable, GError **error);

/**
 * ioh_transfer_finish_async:
 * @transfer: a transfer that was started
 * @cancellable: (nullable): ends the waiting, not the transfer
 * @callback: (scope async): called in the thread-default main context of the caller
 * @user_data: data for @callback
 *
 * Says that the hypervisor has reported success, and waits until the helper has ended: for a save
 * until what was saved is durable and has its name. Until this is called a save does not replace or
 * create a file, however complete it looks: the end of a stream is no proof of that. What is
 * written in place (a descriptor, a device, a FIFO, %IOH_EXISTS_OVERWRITE) is changed before.
 * Success is said even when @cancellable has been cancelled already.
 *
 * Do not end the hypervisor before this has ended with %TRUE: after a failure its guest can be
 * continued. A transfer that was never started fails with %IOH_TRANSFER_ERROR_USAGE.
 *
 * When the hypervisor has failed, call ioh_transfer_cancel() first, or instead. To learn how a
 * transfer that is under way stands, look at #IohTransfer:state.
 *
 * Since: 0.1
 */
void ioh_transfer_finish_async (IohTransfer *transfer, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);

/**
 * ioh_transfer_finish_finish:
 * @transfer: a transfer
 * @async_result: what the callback of ioh_transfer_finish_async() got
 * @error: return location for an error
 *
 * How the transfer ended.
 *
 * Returns: %TRUE when it is done: every byte has crossed, and what was to be durable is. %FALSE
 *   with @error set to any #IohTransferError, or to %G_IO_ERROR_CANCELLED when the waiting was
 *   cancelled; the transfer goes on then, and may be waited for again
 *
 * Since: 0.1
 */
gboolean ioh_transfer_finish_finish (IohTransfer *transfer, GAsyncResult *async_result,
                                     GError **error);

/**
 * ioh_transfer_cancel:
 * @transfer: a transfer
 *
 * Asks the helper to remove what it has made and to end; it is killed when it has not done so in
 * five seconds. Returns at once, from any thread. ioh_transfer_finish() then fails with
 * %IOH_TRANSFER_ERROR_CANCELLED, unless this came too late: what is done is done. What is written
 * in place keeps what has been written. While the state is %IOH_TRANSFER_STATE_STUCK, the message
 * may still change, once the storage answers.
 *
 * Nothing happens when the transfer is not under way.
 *
 * Since: 0.1
 */
void ioh_transfer_cancel (IohTransfer *transfer);

/**
 * ioh_transfer_get_state:
 * @transfer: a transfer
 *
 * Where it stands, at once.
 *
 * Returns: the state
 *
 * Since: 0.1
 */
IohTransferState ioh_transfer_get_state (IohTransfer *transfer);

/**
 * ioh_transfer_get_progress:
 * @transfer: a transfer
 * @phase: (out) (optional): what it is doing
 * @bytes: (out) (optional): how many bytes of the stream have been handed over; never falls
 * @expected: (out) (optional): how many there will be, -1 when that is not known
 * @seconds: (out) (optional): how long it has been going on
 *
 * How far it is, by the last word from the helper; for programs without a main loop. Never waits.
 *
 * Since: 0.1
 */
void ioh_transfer_get_progress (IohTransfer *transfer, IohPhase *phase, guint64 *bytes,
                                gint64 *expected, double *seconds);

/**
 * ioh_transfer_get_silence:
 * @transfer: a transfer
 *
 * How long ago the helper was last heard of. It says something twice a second even when the storage
 * does not answer: a helper that has been silent for many seconds is stopped, or gets no CPU.
 *
 * Returns: seconds; 0 when the transfer is not under way
 *
 * Since: 0.1
 */
double ioh_transfer_get_silence (IohTransfer *transfer);

/**
 * ioh_transfer_get_result:
 * @transfer: a transfer
 *
 * What the transfer came to, well or not.
 *
 * Returns: (transfer full) (nullable): the result, or %NULL while the helper has not ended
 *
 * Since: 0.1
 */
IohTransferResult *ioh_transfer_get_result (IohTransfer *transfer);

/**
 * ioh_transfer_get_stream_size:
 * @transfer: a transfer
 *
 * How much the stream holds: the capacity of the pipe, or the buffer of the socket that is written
 * to. The kernel may have given less than was asked for.
 *
 * Returns: bytes; 0 before the start
 *
 * Since: 0.1
 */
guint64 ioh_transfer_get_stream_size (IohTransfer *transfer);

/**
 * ioh_transfer_get_pid:
 * @transfer: a transfer
 *
 * The helper's process, to be put into a control group or given a priority.
 *
 * Returns: its number, or -1 when it is not running
 *
 * Since: 0.1
 */
int ioh_transfer_get_pid (IohTransfer *transfer);

G_END_DECLS

#endif
