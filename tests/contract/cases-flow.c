/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cases-flow - ends that are slow, small, choppy, or pass on what they get.
 *
 * Owns no state. Slow peers take turns with the helper and know no clock.
 */
#include <fcntl.h>

#include "cases.h"
#include "fault.h"

#define KIB 1024
#define MIB 1048576

static void
flow_finish (Trial *trial)
{
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static void
flow_draw_pieces (Trial *trial, size_t max_piece)
{
    uint32_t seed = contract_seed ();

    *peer_manner (trial->stream_peer) = (PeerManner){
        .max_piece = max_piece,
        .seed = seed,
        .leave_after = PEER_NEVER,
        .stall_after = PEER_NEVER,
    };
}

/* Pieces of any length on the stream's side. */
static void
flow_run_pieces (const TrialEnds *ends, size_t max_piece)
{
    Trial *trial = trial_new (ends, max_piece > KIB ? 2 * MIB + 777 : 7001);

    flow_draw_pieces (trial, max_piece);
    flow_finish (trial);
}

/* The same with a pipe of one page: every request comes back short. */
static void
flow_run_small_pipe (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    flow_draw_pieces (trial, 9000);
    fcntl (trial->stream_fd, F_SETPIPE_SZ, 4096);
    trial->options->pipe_bytes = 4096;
    flow_finish (trial);
}

/* The hypervisor is slow: it acts only while the helper waits. */
static void
flow_run_slow_stream (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    flow_draw_pieces (trial, 30000);
    peer_manner (trial->stream_peer)->paced = TRUE;
    flow_finish (trial);
}

/* Who is at the other end of the FIFO is slow. */
static void
flow_run_slow_file (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial_probe (trial);
    *peer_manner (trial->file_peer) = (PeerManner){
        .max_piece = 30000,
        .seed = contract_seed (),
        .paced = TRUE,
        .leave_after = PEER_NEVER,
        .stall_after = PEER_NEVER,
    };
    flow_finish (trial);
}

/* The stream's descriptor is inherited with O_NONBLOCK set, and keeps it. */
static void
flow_run_nonblocking (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    flow_draw_pieces (trial, 30000);
    peer_manner (trial->stream_peer)->paced = TRUE;
    fcntl (trial->stream_fd, F_SETFL, trial->stream_flags | O_NONBLOCK);
    trial->stream_flags = fcntl (trial->stream_fd, F_GETFL);
    flow_finish (trial);
}

/* The receiver moves the pages on without looking: nobody may write to them any more. */
static void
flow_run_splicing_reader (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial_probe (trial);
    trial->options->block_bytes = 16 * KIB;
    peer_manner (contract_is_restore (ends) ? trial->stream_peer : trial->file_peer)->holds = TRUE;
    flow_finish (trial);
}

/* In the peer's thread, which has written a little and goes on when that has arrived. */
static gboolean
flow_await_arrival (gpointer data)
{
    const Trial *trial = data;
    gboolean save = contract_is_save (&trial->ends);

    peer_await (save ? trial->file_peer : trial->stream_peer, 1);
    return TRUE;
}

/* A single byte is passed on although nothing follows it. */
static void
flow_run_passes_on (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial_probe (trial);
    Peer *writer = contract_is_save (ends) ? trial->stream_peer : trial->file_peer;
    peer_manner (writer)->stall_after = 1;
    peer_manner (writer)->at_stall = flow_await_arrival;
    peer_manner (writer)->at_stall_data = trial;
    flow_finish (trial);
}

/* Requests come back in another order than they were made. */
static void
flow_run_reversed (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->options->block_bytes = 16 * KIB;
    trial->options->queue_depth = 16;
    fault_reverse_queues (TRUE);
    trial_run (trial);
    fault_reverse_queues (FALSE);
    trial_expect_done (trial);
    trial_free (trial);
}

static gboolean
flow_has_queue (const TrialEnds *ends)
{
    return ends->engine->queues;
}

static gboolean
flow_has_pipe (const TrialEnds *ends)
{
    return ends->stream == TRIAL_PIPE;
}

static gboolean
flow_has_reader (const TrialEnds *ends)
{
    return contract_is_restore (ends) || contract_has_file_peer (ends);
}

const ContractCase contract_flow_cases[] = {
    {"pieces", NULL, flow_run_pieces, 200000},
    {"tiny-pieces", NULL, flow_run_pieces, 17},
    {"small-pipe", flow_has_pipe, flow_run_small_pipe, 200777},
    {"slow-stream", NULL, flow_run_slow_stream, MIB + 777},
    {"slow-file", contract_has_file_peer, flow_run_slow_file, MIB + 777},
    {"nonblocking", NULL, flow_run_nonblocking, MIB + 777},
    {"passes-on", contract_has_file_peer, flow_run_passes_on, MIB + 777},
    {"reversed-queue", flow_has_queue, flow_run_reversed, 3 * MIB + 777},
    {"splicing-reader", flow_has_reader, flow_run_splicing_reader, 900 * KIB + 777},
    {NULL},
};
