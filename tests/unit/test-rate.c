/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-rate - pauses that keep a transfer at its rate, on a clock made of numbers.
 */
#include "rate.h"

static void
test_no_limit (void)
{
    IohRate rate;

    ioh_rate_init (&rate, 0);
    g_assert_cmpint (ioh_rate_pause_us (&rate, UINT64_MAX, 5), ==, 0);
    g_assert_cmpuint (ioh_rate_batch_bytes (0), ==, SIZE_MAX);
}

/* A second's worth of bytes takes a second, in whatever parts it comes. */
static void
test_steady (void)
{
    IohRate rate;
    gint64 now_us = 7000000;
    uint64_t total = 0;

    ioh_rate_init (&rate, 1000000);
    for (unsigned i = 0; i < 100; i++) {
        total += 10000;
        now_us += ioh_rate_pause_us (&rate, total, now_us);
    }
    g_assert_cmpint (now_us, ==, 8000000);
}

/* The time that moving takes counts. */
static void
test_slow_moves (void)
{
    IohRate rate;
    gint64 now_us = 1000000;

    ioh_rate_init (&rate, 1000000);
    now_us += ioh_rate_pause_us (&rate, 10000, now_us);
    g_assert_cmpint (ioh_rate_pause_us (&rate, 20000, now_us + 4000), ==, 10000);
}

/* A minute in which nothing came gives no minute's worth of burst afterwards. */
static void
test_no_saving_up (void)
{
    IohRate rate;
    gint64 now_us = 1000000;

    ioh_rate_init (&rate, 1000000);
    now_us += ioh_rate_pause_us (&rate, 1000, now_us);
    now_us += 60000000;
    g_assert_cmpint (ioh_rate_pause_us (&rate, 501000, now_us), ==, 500000);
}

/* Beyond 2^32 bytes and at rates of gigabytes. */
static void
test_large (void)
{
    IohRate rate;

    ioh_rate_init (&rate, UINT64_C (1) << 40);
    g_assert_cmpint (ioh_rate_pause_us (&rate, UINT64_C (1) << 40, 0), ==, 1000000);
    g_assert_cmpint (ioh_rate_pause_us (&rate, UINT64_C (3) << 40, 1000000), ==, 2000000);
}

static void
test_batches (void)
{
    g_assert_cmpuint (ioh_rate_batch_bytes (1), ==, 4096);
    g_assert_cmpuint (ioh_rate_batch_bytes (1000000), ==, 50000);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/rate/no-limit", test_no_limit);
    g_test_add_func ("/rate/steady", test_steady);
    g_test_add_func ("/rate/slow-moves", test_slow_moves);
    g_test_add_func ("/rate/no-saving-up", test_no_saving_up);
    g_test_add_func ("/rate/large", test_large);
    g_test_add_func ("/rate/batches", test_batches);
    return g_test_run ();
}
