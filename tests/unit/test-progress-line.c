/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-progress-line - the line of progress says what is so, or nothing, and has room.
 */
#include "progress-line.h"

#include <locale.h>
#include <string.h>

#include "printable.h"
#include "size.h"

#define S ((gint64) G_USEC_PER_SEC)

typedef struct {
    IohMoment moment;
    double rate;
    const char *line;
} LineRow;

static void
check (const LineRow *rows, unsigned count, int columns)
{
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *line = ioh_progress_line (&rows[i].moment, rows[i].rate, columns);
        g_assert_cmpstr (line, ==, rows[i].line);
    }
}

static void
test_end_known (void)
{
    static const LineRow rows[] = {
        {{IOH_PHASE_OPENING, 0, 4 * IOH_MIB, 0}, -1, "opening  0 bytes of 4.0 MiB  0%  0:00"},
        {{IOH_PHASE_MOVING, IOH_MIB, 4 * IOH_MIB, 10 * S},
         IOH_MIB,
         "moving  1.0 MiB of 4.0 MiB  25%  1.0 MiB/s  0:03 left"},
        {{IOH_PHASE_FLUSHING, 4 * IOH_MIB, 4 * IOH_MIB, 75 * S},
         IOH_MIB,
         "flushing  4.0 MiB of 4.0 MiB  99%  1:15"},
        {{IOH_PHASE_WAITING, 1536, 1536, 3600 * S}, 0, "waiting  1.5 KiB of 1.5 KiB  99%  1:00:00"},
    };

    check (rows, G_N_ELEMENTS (rows), 80);
}

static void
test_end_not_known (void)
{
    static const LineRow rows[] = {
        {{IOH_PHASE_MOVING, 0, IOH_UNSET, 0}, -1, "moving  0 bytes  0:00"},
        {{IOH_PHASE_MOVING, 700, IOH_UNSET, 61 * S}, 0, "moving  700 bytes  0 bytes/s  1:01"},
        {{IOH_PHASE_MOVING, 700, 0, 9 * S}, 1, "moving  700 bytes  1 byte/s  0:09"},
    };

    check (rows, G_N_ELEMENTS (rows), 80);
}

/* More than there should be, and numbers that no counter of ours reaches. */
static void
test_beyond (void)
{
    static const LineRow rows[] = {
        {{IOH_PHASE_MOVING, 4 * IOH_MIB, IOH_MIB, 10 * S},
         IOH_MIB,
         "moving  4.0 MiB of 1.0 MiB  1.0 MiB/s  0:10"},
        {{IOH_PHASE_MOVING, UINT64_C (1) << 63, (UINT64_C (1) << 63) + 1, 10 * S},
         -1,
         "moving  8.0 EiB of 8.0 EiB  99%  0:10"},
    };

    check (rows, G_N_ELEMENTS (rows), 80);
}

/* No time left when nothing moves, when it has hardly begun, or when it is no time at all. */
static void
test_time_left (void)
{
    const IohMoment early = {IOH_PHASE_MOVING, IOH_MIB, 4 * IOH_MIB, S};
    const IohMoment moment = {IOH_PHASE_MOVING, IOH_MIB, 4 * IOH_MIB, 10 * S};
    const struct {
        const IohMoment *moment;
        double rate;
        const char *end;
    } rows[] = {
        {&early, IOH_MIB, "  0:01"},      {&moment, 0, "  0:10"},
        {&moment, -1, "  0:10"},          {&moment, 0.1, "  0:10"},
        {&moment, 100, "  8:44:17 left"}, {&moment, 1e300, "  0:00 left"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *line = ioh_progress_line (rows[i].moment, rows[i].rate, 80);
        g_test_message ("%s", line);
        g_assert_true (g_str_has_suffix (line, rows[i].end));
    }
}

/* Whatever the width: it fits and the last column is free; what there is room for is there. */
static void
test_width (void)
{
    const IohMoment moment = {IOH_PHASE_MOVING, IOH_MIB, 4 * IOH_MIB, 10 * S};
    size_t before = 0;

    for (int columns = 0; columns < 100; columns++) {
        g_autofree char *line = ioh_progress_line (&moment, IOH_MIB, columns);
        g_assert_cmpint (ioh_printable_width (line), <, MAX (columns, 1));
        g_assert_cmpuint (strlen (line), >=, before);
        before = strlen (line);
    }
    g_assert_cmpuint (before, ==, strlen ("moving  1.0 MiB of 4.0 MiB  25%  1.0 MiB/s  0:03 left"));
    static const LineRow narrow[] = {
        {{IOH_PHASE_MOVING, IOH_MIB, 4 * IOH_MIB, 10 * S}, IOH_MIB, "moving  1.0 MiB of 4.0 MiB"},
    };
    check (narrow, G_N_ELEMENTS (narrow), 27);
}

static void
test_wide_letters (void)
{
    g_assert_cmpint (ioh_printable_width (""), ==, 0);
    g_assert_cmpint (ioh_printable_width ("moving"), ==, 6);
    g_assert_cmpint (ioh_printable_width ("übrig"), ==, 5);
    g_assert_cmpint (ioh_printable_width ("u\u0308brig"), ==, 5);
    g_assert_cmpint (ioh_printable_width ("传输"), ==, 4);
}

static void
test_cut (void)
{
    static const struct {
        const char *text;
        int columns;
        const char *left;
    } rows[] = {
        {"moving", 6, "moving"}, {"moving", 5, "movin"}, {"moving", 0, ""},
        {"传输", 3, "传"},       {"übrig", 1, "ü"},      {"u\u0308brig", 1, "u\u0308"},
        {"\xff\xfe", 1, "\xff"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = g_strdup (rows[i].text);
        ioh_printable_cut (text, rows[i].columns);
        g_assert_cmpstr (text, ==, rows[i].left);
    }
}

/* Fills RATE with a moment every half second, BYTES more each; the last that was said. */
static double
run (IohProgressRate *rate, IohMoment *moment, unsigned count, uint64_t bytes)
{
    double said = -1;

    for (unsigned i = 0; i < count; i++) {
        moment->passed_us += S / 2;
        moment->bytes += bytes;
        said = ioh_progress_rate (rate, moment);
    }
    return said;
}

static void
test_rate (void)
{
    IohProgressRate rate = {.count = 0};
    IohMoment moment = {.phase = IOH_PHASE_MOVING};

    g_assert_cmpfloat (ioh_progress_rate (&rate, &moment), ==, -1);
    moment.passed_us += S / 10;
    g_assert_cmpfloat (ioh_progress_rate (&rate, &moment), ==, -1);
    moment.passed_us = 0;
    g_assert_cmpfloat (run (&rate, &moment, 100, 1000), ==, 2000);
    /* what was long ago is forgotten, soon and altogether */
    g_assert_cmpfloat (run (&rate, &moment, 2, 0), <, 2000);
    g_assert_cmpfloat (run (&rate, &moment, 20, 0), ==, 0);
    g_assert_cmpfloat (run (&rate, &moment, 20, 5000), ==, 10000);
}

/* Moments that come in a burst do not drive out the others. */
static void
test_rate_of_bursts (void)
{
    IohProgressRate rate = {.count = 0};
    IohMoment moment = {.phase = IOH_PHASE_MOVING};

    run (&rate, &moment, 20, 1000);
    for (unsigned i = 0; i < 100; i++) {
        moment.passed_us += 1;
        g_assert_cmpfloat (ioh_progress_rate (&rate, &moment), >, 1000);
    }
}

int
main (int argc, char **argv)
{
    setlocale (LC_ALL, "C.UTF-8");
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/progress-line/end-known", test_end_known);
    g_test_add_func ("/progress-line/end-not-known", test_end_not_known);
    g_test_add_func ("/progress-line/beyond", test_beyond);
    g_test_add_func ("/progress-line/time-left", test_time_left);
    g_test_add_func ("/progress-line/width", test_width);
    g_test_add_func ("/progress-line/wide-letters", test_wide_letters);
    g_test_add_func ("/progress-line/cut", test_cut);
    g_test_add_func ("/progress-line/rate", test_rate);
    g_test_add_func ("/progress-line/rate-of-bursts", test_rate_of_bursts);
    return g_test_run ();
}
