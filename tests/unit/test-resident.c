/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-resident - what is remembered of the page cache as it was before we came.
 *
 * The kernel's answers are given here: no page cache is needed.
 */
#include "fault.h"
#include "resident.h"

#define MIB (UINT64_C (1) << 20)
#define AHEAD 32

/* Stretches FIRST to LAST (counted from 1) are in the page cache when they are looked at. */
static void
pretend (unsigned first, unsigned last)
{
    const Fault no = {SYS_IS_CACHED, 1, FAULT_FOR_EVER, FAULT_INSTEAD, FALSE, 0};
    const Fault yes = {SYS_IS_CACHED, first, last, FAULT_INSTEAD, TRUE, 0};

    fault_arm (&no);
    fault_arm (&yes);
}

static void
test_remembers (void)
{
    IohResident resident;

    pretend (3, 4);
    ioh_resident_init (&resident, MIB, 0);
    g_assert_false (ioh_resident_was (&resident, -1, 0, MIB));
    g_assert_false (ioh_resident_was (&resident, -1, MIB, MIB));
    g_assert_true (ioh_resident_was (&resident, -1, 2 * MIB, MIB));
    g_assert_true (ioh_resident_was (&resident, -1, 3 * MIB, MIB));
    g_assert_false (ioh_resident_was (&resident, -1, 4 * MIB, MIB));
    fault_disarm ();
}

/* Looking is done well before reading, which would bring pages in. */
static void
test_looks_ahead (void)
{
    IohResident resident;

    pretend (1, 0);
    ioh_resident_init (&resident, MIB, 0);
    ioh_resident_was (&resident, -1, 0, 4096);
    g_assert_cmpuint (fault_calls (SYS_IS_CACHED), ==, 1 + AHEAD);
    ioh_resident_was (&resident, -1, 4096, 4096);
    g_assert_cmpuint (fault_calls (SYS_IS_CACHED), ==, 1 + AHEAD);
    ioh_resident_was (&resident, -1, MIB, 4096);
    g_assert_cmpuint (fault_calls (SYS_IS_CACHED), ==, 2 + AHEAD);
    fault_disarm ();
}

/* One cached page of a range is enough: it is not ours to drop. */
static void
test_range (void)
{
    IohResident resident;

    pretend (16, 16);
    ioh_resident_init (&resident, MIB, 0);
    g_assert_false (ioh_resident_was (&resident, -1, 0, 15 * MIB));
    g_assert_true (ioh_resident_was (&resident, -1, 0, 15 * MIB + 1));
    g_assert_true (ioh_resident_was (&resident, -1, 15 * MIB, 16 * MIB));
    fault_disarm ();
}

/* What is remembered does not wear off over a long file. */
static void
test_long_file (void)
{
    IohResident resident;

    pretend (1000, 1000);
    ioh_resident_init (&resident, MIB, 0);
    for (uint64_t i = 0; i < 2000; i++)
        g_assert_cmpint (ioh_resident_was (&resident, -1, i * MIB, MIB), ==, i == 999);
    fault_disarm ();
}

static void
test_begins_inside (void)
{
    IohResident resident;

    pretend (1, 1);
    ioh_resident_init (&resident, MIB, 5000 * MIB + 777);
    g_assert_true (ioh_resident_was (&resident, -1, 5000 * MIB + 777, 4096));
    g_assert_false (ioh_resident_was (&resident, -1, 5001 * MIB, 4096));
    fault_disarm ();
}

/* Blocks and stretches begin and end together, whatever the size of blocks. */
static void
test_block_sizes (void)
{
    static const size_t blocks[] = {4096, 12288, 1048576, 1052672, 67108864};

    for (unsigned i = 0; i < G_N_ELEMENTS (blocks); i++) {
        IohResident resident;
        ioh_resident_init (&resident, blocks[i], 0);
        g_assert_cmpuint (resident.stretch_bytes % blocks[i], ==, 0);
        g_assert_cmpuint (resident.stretch_bytes, >=, MIB);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/resident/remembers", test_remembers);
    g_test_add_func ("/resident/looks-ahead", test_looks_ahead);
    g_test_add_func ("/resident/range", test_range);
    g_test_add_func ("/resident/long-file", test_long_file);
    g_test_add_func ("/resident/begins-inside", test_begins_inside);
    g_test_add_func ("/resident/block-sizes", test_block_sizes);
    return g_test_run ();
}
