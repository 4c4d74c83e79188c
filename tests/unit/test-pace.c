/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-pace - when a stream is looked at again, on a clock made of numbers.
 */
#include "pace.h"

#define GOAL 262144
#define LATE_US 300

/* What a stream of BYTES_PER_US comes to after some looks TICK_US apart. */
static gint64
wait_at (double bytes_per_us, gint64 tick_us)
{
    IohPace pace;
    gint64 now_us = 1000000;

    ioh_pace_init (&pace, GOAL, 0);
    for (unsigned i = 0; i < 20; i++) {
        now_us += tick_us;
        ioh_pace_moved (&pace, (size_t) (bytes_per_us * (double) tick_us));
        ioh_pace_stopped (&pace, now_us);
    }
    return ioh_pace_wait_us (&pace, now_us);
}

static void
test_first_look (void)
{
    IohPace pace;

    ioh_pace_init (&pace, GOAL, LATE_US);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 12345), ==, 0);
}

/* As long as it takes for the goal to gather. */
static void
test_fast_stream (void)
{
    gint64 wait_us = wait_at (1000, 600);

    g_assert_cmpint (wait_us, >=, 260);
    g_assert_cmpint (wait_us, <=, 264);
}

/* One that is waited for: a single byte of it is passed on as soon as it is there. */
static void
test_slow_stream (void)
{
    g_assert_cmpint (wait_at (10, 1000), ==, 0);
    g_assert_cmpint (wait_at (0, 1000), ==, 0);
}

/* However fast or slow, never longer than a millisecond. */
static void
test_bounded (void)
{
    for (double rate = 1; rate < 100000; rate *= 1.3)
        g_assert_cmpint (wait_at (rate, 100), <=, 1000);
}

/* A stream that turns slow is waited for again soon. */
static void
test_turns_slow (void)
{
    IohPace pace;
    gint64 now_us = 1000000;
    unsigned looks = 0;

    ioh_pace_init (&pace, GOAL, 0);
    for (unsigned i = 0; i < 20; i++) {
        ioh_pace_moved (&pace, 600000);
        ioh_pace_stopped (&pace, now_us += 600);
    }
    g_assert_cmpint (ioh_pace_wait_us (&pace, now_us), >, 0);
    for (; ioh_pace_wait_us (&pace, now_us) > 0; looks++) {
        now_us += ioh_pace_wait_us (&pace, now_us);
        ioh_pace_moved (&pace, 1);
        ioh_pace_stopped (&pace, now_us);
    }
    g_assert_cmpuint (looks, <=, 4);
}

static void
test_not_paced (void)
{
    IohPace pace;

    ioh_pace_init (&pace, 0, LATE_US);
    ioh_pace_moved (&pace, 1000000);
    ioh_pace_stopped (&pace, 1000);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 1000), ==, 0);
}

/* What was waited has passed. */
static void
test_time_passes (void)
{
    IohPace pace;

    ioh_pace_init (&pace, GOAL, LATE_US);
    ioh_pace_moved (&pace, GOAL * 4);
    ioh_pace_stopped (&pace, 200);
    gint64 wait_us = ioh_pace_wait_us (&pace, 200);
    g_assert_cmpint (wait_us, >, 1);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 201), ==, wait_us - 1);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 200 + wait_us), ==, 0);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 5000000), ==, 0);
}

/* Whether a fast stream is napped on when ALLOWED_US late is not too late and the last nap ended
 * LATE_US late, AFTER_US ago. */
static gboolean
naps_after (gint64 allowed_us, gint64 late_us, gint64 after_us)
{
    IohPace pace;
    gint64 now_us = 1000000;

    ioh_pace_init (&pace, GOAL, allowed_us);
    ioh_pace_moved (&pace, GOAL);
    ioh_pace_stopped (&pace, now_us);
    ioh_pace_moved (&pace, GOAL);
    ioh_pace_stopped (&pace, now_us += 300);
    now_us += ioh_pace_wait_us (&pace, now_us) + late_us;
    ioh_pace_moved (&pace, GOAL);
    ioh_pace_stopped (&pace, now_us);
    for (gint64 until_us = now_us + after_us; now_us < until_us;) {
        ioh_pace_moved (&pace, GOAL);
        ioh_pace_stopped (&pace, now_us += 300);
    }
    return ioh_pace_wait_us (&pace, now_us) > 0;
}

/* Where naps end late others use the processor: none are taken for a while. */
static void
test_busy_processor (void)
{
    g_assert_true (naps_after (LATE_US, 0, 0));
    g_assert_true (naps_after (LATE_US, 100, 0));
    g_assert_false (naps_after (LATE_US, 400, 0));
    g_assert_false (naps_after (LATE_US, 400, 10000));
    g_assert_true (naps_after (LATE_US, 400, 100000));
    g_assert_true (naps_after (0, 400, 0));
}

/* A sender that has less room than the goal is not left standing until the goal has gathered, which
 * it never does. */
static void
test_small_sender (void)
{
    const size_t room = GOAL / 4;
    const double bytes_per_us = 1000;
    IohPace pace;
    gint64 now_us = 1000000;

    ioh_pace_init (&pace, GOAL, LATE_US);
    for (unsigned i = 0; i < 100; i++) {
        gint64 gap_us = 20 + ioh_pace_wait_us (&pace, now_us);
        now_us += gap_us;
        ioh_pace_moved (&pace, MIN (room, (size_t) (bytes_per_us * (double) gap_us)));
        ioh_pace_stopped (&pace, now_us);
    }
    g_assert_cmpfloat ((double) ioh_pace_wait_us (&pace, now_us) * bytes_per_us, <, room);
}

/* A first look that finds nothing tells nothing. */
static void
test_empty_look (void)
{
    IohPace pace;

    ioh_pace_init (&pace, GOAL, LATE_US);
    ioh_pace_stopped (&pace, 1000);
    g_assert_cmpint (ioh_pace_wait_us (&pace, 1000), ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/pace/first-look", test_first_look);
    g_test_add_func ("/pace/fast-stream", test_fast_stream);
    g_test_add_func ("/pace/slow-stream", test_slow_stream);
    g_test_add_func ("/pace/bounded", test_bounded);
    g_test_add_func ("/pace/turns-slow", test_turns_slow);
    g_test_add_func ("/pace/not-paced", test_not_paced);
    g_test_add_func ("/pace/time-passes", test_time_passes);
    g_test_add_func ("/pace/busy-processor", test_busy_processor);
    g_test_add_func ("/pace/small-sender", test_small_sender);
    g_test_add_func ("/pace/empty-look", test_empty_look);
    return g_test_run ();
}
