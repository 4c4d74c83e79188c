/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cases-fail - ends that go away, fill up or are not what they should be, and cancelling.
 *
 * Owns no state. A failure must name its side and stage, end with its status, and leave nothing
 * that looks complete.
 */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cases.h"

#define KIB 1024
#define MIB 1048576

/* Long enough that no pipe or socket holds it. */
#define FAIL_LENGTH (3 * MIB + 494700)

static void
fail_finish (Trial *trial, const TrialFailure *failure)
{
    trial_run (trial);
    trial_expect_failure (trial, failure);
    trial_free (trial);
}

static gboolean
fail_raise (gpointer data)
{
    kill (getpid (), SIGTERM);
    return FALSE;
}

/* The hypervisor stops, at once or in the middle, and the signal comes when the helper waits. */
static void
fail_run_cancel (const TrialEnds *ends, size_t stall_after)
{
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial->has_old = TRUE;
    peer_manner (trial->stream_peer)->paced = TRUE;
    peer_manner (trial->stream_peer)->stall_after = stall_after;
    peer_manner (trial->stream_peer)->at_stall = fail_raise;
    trial_run (trial);
    trial_expect_cancelled (trial);
    trial_free (trial);
}

static void
fail_run_cancel_file (const TrialEnds *ends, size_t stall_after)
{
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial_probe (trial);
    peer_manner (trial->file_peer)->stall_after = stall_after;
    peer_manner (trial->file_peer)->at_stall = fail_raise;
    trial_run (trial);
    trial_expect_cancelled (trial);
    trial_free (trial);
}

/* The file may not grow past a limit that lies in the middle of a block. */
static void
fail_run_limit (const TrialEnds *ends, size_t length)
{
    const TrialFailure failure = {IOH_SIDE_FILE, IOH_STAGE_WRITE, IOH_EXIT_NO_ROOM, EFBIG};
    Trial *trial = trial_new (ends, length);
    struct rlimit old;

    trial->has_old = TRUE;
    trial_probe (trial);
    getrlimit (RLIMIT_FSIZE, &old);
    const struct rlimit limit = {.rlim_cur = MIB + 4096, .rlim_max = old.rlim_max};
    setrlimit (RLIMIT_FSIZE, &limit);
    trial_run (trial);
    setrlimit (RLIMIT_FSIZE, &old);
    trial_expect_failure (trial, &failure);
    trial_free (trial);
}

/* The stream is longer than the device. */
static void
fail_run_device_end (const TrialEnds *ends, size_t excess)
{
    const TrialFailure failure = {IOH_SIDE_FILE, IOH_STAGE_WRITE, IOH_EXIT_NO_ROOM, ENOSPC};

    fail_finish (trial_new (ends, TRIAL_DEVICE_BYTES + excess), &failure);
}

/* Up to its very end it fits. */
static void
fail_run_device_full (const TrialEnds *ends, size_t offset)
{
    Trial *trial = trial_new (ends, TRIAL_DEVICE_BYTES - offset);

    trial->offset = offset;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static void
fail_run_empty (const TrialEnds *ends, size_t length)
{
    const TrialFailure received = {IOH_SIDE_STREAM, IOH_STAGE_READ, IOH_EXIT_STREAM, 0};
    const TrialFailure unread = {IOH_SIDE_FILE, IOH_STAGE_CHECK, IOH_EXIT_IMAGE, 0};
    const TrialFailure read = {IOH_SIDE_FILE, IOH_STAGE_READ, IOH_EXIT_IMAGE, 0};
    Trial *trial = trial_new (ends, length);

    trial->has_old = TRUE;
    if (contract_is_save (ends))
        fail_finish (trial, &received);
    else
        fail_finish (trial, contract_is_seekable (ends) ? &unread : &read);
}

/* The hypervisor died: its stream ends like any other. */
static void
fail_run_early_end (const TrialEnds *ends, size_t leave_after)
{
    const TrialFailure failure = {IOH_SIDE_STREAM, IOH_STAGE_READ, IOH_EXIT_STREAM, 0};
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial->has_old = TRUE;
    trial->options->expect_bytes = FAIL_LENGTH;
    peer_manner (trial->stream_peer)->leave_after = leave_after;
    fail_finish (trial, &failure);
}

static void
fail_run_excess (const TrialEnds *ends, size_t length)
{
    const TrialFailure stream = {IOH_SIDE_STREAM, IOH_STAGE_READ, IOH_EXIT_STREAM, 0};
    const TrialFailure image = {IOH_SIDE_FILE, IOH_STAGE_READ, IOH_EXIT_IMAGE, 0};
    Trial *trial = trial_new (ends, length);

    trial->has_old = TRUE;
    trial->options->expect_bytes = length - 1;
    fail_finish (trial, contract_is_save (ends) ? &stream : &image);
}

/* Who writes to the FIFO ends before the image does. */
static void
fail_run_image_ends (const TrialEnds *ends, size_t leave_after)
{
    const TrialFailure failure = {IOH_SIDE_FILE, IOH_STAGE_READ, IOH_EXIT_IMAGE, 0};
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial_probe (trial);
    trial->options->expect_bytes = FAIL_LENGTH;
    peer_manner (trial->file_peer)->leave_after = leave_after;
    fail_finish (trial, &failure);
}

/* The hypervisor stops reading. A socket may also say that it was reset. */
static void
fail_run_reader_leaves (const TrialEnds *ends, size_t leave_after)
{
    const TrialFailure failure = {IOH_SIDE_STREAM, IOH_STAGE_WRITE, IOH_EXIT_STREAM,
                                  ends->stream == TRIAL_PIPE ? EPIPE : -1};
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    peer_manner (trial->stream_peer)->leave_after = leave_after;
    fail_finish (trial, &failure);
}

static void
fail_run_fifo_reader_leaves (const TrialEnds *ends, size_t leave_after)
{
    const TrialFailure failure = {IOH_SIDE_FILE, IOH_STAGE_WRITE, IOH_EXIT_FILE, EPIPE};
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial_probe (trial);
    peer_manner (trial->file_peer)->leave_after = leave_after;
    fail_finish (trial, &failure);
}

static gboolean
fail_shrink (gpointer data)
{
    const Trial *trial = data;

    return truncate (trial->path, FAIL_LENGTH - 100000) == 0;
}

/* Somebody cuts the image after its size was looked at: before the first byte, or later. */
static void
fail_run_image_shrinks (const TrialEnds *ends, size_t stall_after)
{
    const TrialFailure failure = {IOH_SIDE_FILE, IOH_STAGE_READ, IOH_EXIT_IMAGE, 0};
    Trial *trial = trial_new (ends, FAIL_LENGTH);

    trial->options->block_bytes = 64 * KIB;
    trial_probe (trial);
    if (stall_after == 0)
        fail_shrink (trial);
    else
        peer_manner (trial->stream_peer)->stall_after = stall_after;
    peer_manner (trial->stream_peer)->at_stall = fail_shrink;
    peer_manner (trial->stream_peer)->at_stall_data = trial;
    fail_finish (trial, &failure);
}

static gboolean
fail_is_save_to_file (const TrialEnds *ends)
{
    return contract_is_save (ends) && contract_is_regular (ends);
}

static gboolean
fail_is_save_to_device (const TrialEnds *ends)
{
    return contract_is_save (ends) && ends->file->kind == TRIAL_BLOCK;
}

static gboolean
fail_is_restore_from_fifo (const TrialEnds *ends)
{
    return contract_is_restore (ends) && contract_has_file_peer (ends);
}

static gboolean
fail_is_save_to_fifo (const TrialEnds *ends)
{
    return contract_is_save (ends) && contract_has_file_peer (ends);
}

static gboolean
fail_is_restore_from_file (const TrialEnds *ends)
{
    return contract_is_restore (ends) && contract_is_regular (ends);
}

static gboolean
fail_may_be_longer (const TrialEnds *ends)
{
    return contract_is_save (ends) || contract_has_file_peer (ends);
}

static gboolean
fail_may_be_empty (const TrialEnds *ends)
{
    return contract_is_save (ends) || ends->file->kind != TRIAL_BLOCK;
}

const ContractCase contract_fail_cases[] = {
    {"cancel-at-once", NULL, fail_run_cancel, 0},
    {"cancel", NULL, fail_run_cancel, MIB + 777},
    {"cancel-file", contract_has_file_peer, fail_run_cancel_file, MIB + 777},
    {"limit", fail_is_save_to_file, fail_run_limit, FAIL_LENGTH},
    {"device-end", fail_is_save_to_device, fail_run_device_end, 1},
    {"device-far-end", fail_is_save_to_device, fail_run_device_end, MIB + 777},
    {"device-full", fail_is_save_to_device, fail_run_device_full, 0},
    {"device-full-offset", fail_is_save_to_device, fail_run_device_full, 777},
    {"empty", fail_may_be_empty, fail_run_empty, 0},
    {"early-end", contract_is_save, fail_run_early_end, 100001},
    {"early-end-by-one", contract_is_save, fail_run_early_end, FAIL_LENGTH - 1},
    {"excess", fail_may_be_longer, fail_run_excess, MIB + 777},
    {"image-ends", fail_is_restore_from_fifo, fail_run_image_ends, 100001},
    {"image-shrinks-at-once", fail_is_restore_from_file, fail_run_image_shrinks, 0},
    {"image-shrinks", fail_is_restore_from_file, fail_run_image_shrinks, 100001},
    {"reader-leaves", contract_is_restore, fail_run_reader_leaves, 100001},
    {"reader-leaves-at-once", contract_is_restore, fail_run_reader_leaves, 0},
    {"fifo-reader-leaves", fail_is_save_to_fifo, fail_run_fifo_reader_leaves, 100001},
    {NULL},
};
