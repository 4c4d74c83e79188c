/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-behind - when writing to storage begins, when it is waited for, when pages leave.
 *
 * The calls are counted, and made to fail; their effect is the kernel's.
 */
#include <errno.h>

#include "behind.h"
#include "fault.h"

#define WINDOW (UINT64_C (8) << 20)

/* No file is needed: all calls are answered here. */
static void
stub (int sync_result)
{
    const Fault sync = {SYS_SYNC_RANGE, 1, FAULT_FOR_EVER, FAULT_INSTEAD, sync_result, 0};
    const Fault advise = {SYS_ADVISE, 1, FAULT_FOR_EVER, FAULT_INSTEAD, 0, 0};

    fault_arm (&sync);
    fault_arm (&advise);
}

static void
expect_calls (unsigned syncs, unsigned drops)
{
    g_assert_cmpuint (fault_calls (SYS_SYNC_RANGE), ==, syncs);
    g_assert_cmpuint (fault_calls (SYS_ADVISE), ==, drops);
}

static void
test_nothing_before_a_window (void)
{
    IohBehind behind;

    stub (0);
    ioh_behind_init (&behind, IOH_CACHE_DROP, 0);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, WINDOW - 1), ==, 0);
    expect_calls (0, 0);
    fault_disarm ();
}

/* Each full window is begun once, whatever the writes were like. */
static void
test_begins_each_window (void)
{
    IohBehind behind;

    stub (0);
    ioh_behind_init (&behind, IOH_CACHE_DROP, 0);
    for (uint64_t end = 1; end <= 3 * WINDOW; end += WINDOW / 4)
        g_assert_cmpint (ioh_behind_wrote (&behind, -1, end), ==, 0);
    expect_calls (2, 0);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 3 * WINDOW), ==, 0);
    expect_calls (3, 0);
    fault_disarm ();
}

/* No more than three windows are dirty or on their way: the fourth waits for the first. */
static void
test_settles (void)
{
    IohBehind behind;

    stub (0);
    ioh_behind_init (&behind, IOH_CACHE_DROP, 0);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 4 * WINDOW), ==, 0);
    expect_calls (4 + 1, 1);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 100 * WINDOW), ==, 0);
    expect_calls (100 + 97, 97);
    g_assert_cmpuint (behind.begun - behind.settled, ==, 3 * WINDOW);
    fault_disarm ();
}

/* Pages that may stay are written all the same. */
static void
test_keeps (void)
{
    IohBehind behind;

    stub (0);
    ioh_behind_init (&behind, IOH_CACHE_KEEP, 0);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 10 * WINDOW), ==, 0);
    expect_calls (10 + 7, 0);
    fault_disarm ();
}

/* What lies before the stream is none of ours. */
static void
test_starts_at_offset (void)
{
    IohBehind behind;

    stub (0);
    ioh_behind_init (&behind, IOH_CACHE_DROP, 1000 * WINDOW + 777);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 1001 * WINDOW + 776), ==, 0);
    expect_calls (0, 0);
    g_assert_cmpint (ioh_behind_wrote (&behind, -1, 1001 * WINDOW + 777), ==, 0);
    expect_calls (1, 0);
    fault_disarm ();
}

/* A failure of writing back is told by the kernel once: it must come through. */
static void
test_failure (void)
{
    static const int errors[] = {EIO, ENOSPC, EDQUOT};

    for (unsigned i = 0; i < G_N_ELEMENTS (errors); i++) {
        IohBehind behind;
        stub (-errors[i]);
        ioh_behind_init (&behind, IOH_CACHE_DROP, 0);
        g_assert_cmpint (ioh_behind_wrote (&behind, -1, WINDOW), ==, -errors[i]);
        fault_disarm ();
    }
}

/* Where there is no such call, the final flush does it all. */
static void
test_unsupported (void)
{
    static const int errors[] = {ESPIPE, EINVAL, ENOSYS};

    for (unsigned i = 0; i < G_N_ELEMENTS (errors); i++) {
        IohBehind behind;
        stub (-errors[i]);
        ioh_behind_init (&behind, IOH_CACHE_DROP, 0);
        g_assert_cmpint (ioh_behind_wrote (&behind, -1, 5 * WINDOW), ==, 0);
        fault_disarm ();
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/behind/nothing-before-a-window", test_nothing_before_a_window);
    g_test_add_func ("/behind/begins-each-window", test_begins_each_window);
    g_test_add_func ("/behind/settles", test_settles);
    g_test_add_func ("/behind/keeps", test_keeps);
    g_test_add_func ("/behind/starts-at-offset", test_starts_at_offset);
    g_test_add_func ("/behind/failure", test_failure);
    g_test_add_func ("/behind/unsupported", test_unsupported);
    return g_test_run ();
}
