/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cases-size - streams of every awkward length, at every awkward place.
 *
 * Owns no state. Peers are as fast as they can be; what matters here is where things end.
 */
#include "cases.h"
#include "fault.h"

#define KIB 1024
#define MIB 1048576

/* Not a power of two: several of it never end where a page does. */
#define SIZE_ODD_BLOCK (3 * 4096)

static void
size_run (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->options->accept_empty = TRUE;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

/* Small blocks: many requests, and a block size that is nothing special. */
static void
size_run_small_blocks (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->options->block_bytes = SIZE_ODD_BLOCK;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static void
size_run_offset (const TrialEnds *ends, size_t offset)
{
    Trial *trial = trial_new (ends, MIB + 494700);

    trial->offset = offset;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

/* A file that was there, longer than what replaces it or is written over it. */
static void
size_run_replaces (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->has_old = TRUE;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static void
size_run_overwrites (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->has_old = TRUE;
    trial->options->exists = IOH_EXISTS_OVERWRITE;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static void
size_run_flushed (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->options->sync = IOH_SYNC_FULL;
    fault_count_anew ();
    trial_run (trial);
    trial_expect_done (trial);
    if (contract_is_seekable (ends) && fault_calls (SYS_SYNC) == 0)
        trial_fail ("nothing was flushed");
    trial_free (trial);
}

static void
size_run_expected (const TrialEnds *ends, size_t length)
{
    Trial *trial = trial_new (ends, length);

    trial->options->expect_bytes = length;
    trial_run (trial);
    trial_expect_done (trial);
    trial_free (trial);
}

static gboolean
size_is_new_file (const TrialEnds *ends)
{
    return contract_is_save (ends) && ends->file->kind == TRIAL_REGULAR;
}

#define SIZE(length)                                                                               \
    {                                                                                              \
        "size-" #length, NULL, size_run, length                                                    \
    }
#define SMALL_BLOCKS(length)                                                                       \
    {                                                                                              \
        "small-blocks-" #length, NULL, size_run_small_blocks, length                               \
    }
#define OFFSET(offset)                                                                             \
    {                                                                                              \
        "offset-" #offset, contract_is_seekable, size_run_offset, offset                           \
    }

const ContractCase contract_size_cases[] = {
    SIZE (0),
    SIZE (1),
    SIZE (511),
    SIZE (512),
    SIZE (513),
    SIZE (4095),
    SIZE (4096),
    SIZE (4097),
    SIZE (65535),
    SIZE (65536),
    SIZE (65537),
    SIZE (1048575),
    SIZE (1048576),
    SIZE (1048577),
    SIZE (3640428),
    SMALL_BLOCKS (12287),
    SMALL_BLOCKS (12288),
    SMALL_BLOCKS (12289),
    SMALL_BLOCKS (200777),
    OFFSET (1),
    OFFSET (511),
    OFFSET (512),
    OFFSET (4097),
    OFFSET (1048576),
    OFFSET (1048589),
    {"replaces", size_is_new_file, size_run_replaces, 70001},
    {"overwrites", size_is_new_file, size_run_overwrites, 70001},
    {"flushed", contract_is_save, size_run_flushed, MIB + 4097},
    {"expected", NULL, size_run_expected, 300 * KIB + 5},
    {NULL},
};
