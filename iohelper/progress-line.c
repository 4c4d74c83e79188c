/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress-line - the progress as one line for people.
 *
 * Pure: knows no terminal. Says nothing rather than what it cannot know.
 */
#include "progress-line.h"

#include "i18n.h"
#include "printable.h"
#include "size.h"

/* Moments nearer to each other than this say little of the rate. */
#define LINE_SAMPLE_US (G_USEC_PER_SEC * 2 / 5)

/* In the beginning the rate is that of filling buffers. */
#define LINE_TRUSTED_US (2 * G_USEC_PER_SEC)

/* Nobody waits longer, and a rate that low is no rate. */
#define LINE_LEFT_MOST_S (100.0 * 3600)

double
ioh_progress_rate (IohProgressRate *rate, const IohMoment *moment)
{
    const IohMoment *newest =
        &rate->samples[(rate->count + IOH_PROGRESS_SAMPLES - 1) % IOH_PROGRESS_SAMPLES];
    unsigned kept = MIN (rate->count, IOH_PROGRESS_SAMPLES);
    const IohMoment *oldest = &rate->samples[(rate->count - kept) % IOH_PROGRESS_SAMPLES];
    gint64 us = rate->count > 0 ? moment->passed_us - oldest->passed_us : 0;
    double result = us >= LINE_SAMPLE_US
                        ? (double) (moment->bytes - oldest->bytes) * G_USEC_PER_SEC / (double) us
                        : -1;

    if (rate->count == 0 || moment->passed_us - newest->passed_us >= LINE_SAMPLE_US)
        rate->samples[rate->count++ % IOH_PROGRESS_SAMPLES] = *moment;
    return result;
}

static const char *
line_phase (IohPhase phase)
{
    static const char *const phrases[] = {
        [IOH_PHASE_OPENING] = N_ ("opening"),
        [IOH_PHASE_MOVING] = N_ ("moving"),
        [IOH_PHASE_WAITING] = N_ ("waiting"),
        [IOH_PHASE_FLUSHING] = N_ ("flushing"),
    };
    return _ (phrases[phase]);
}

static gboolean
line_end_is_known (const IohMoment *moment)
{
    return moment->expect_bytes != IOH_UNSET && moment->expect_bytes > 0;
}

static char *
line_bytes (const IohMoment *moment)
{
    g_autofree char *bytes = ioh_size_format (moment->bytes);

    if (!line_end_is_known (moment))
        return g_steal_pointer (&bytes);
    g_autofree char *expected = ioh_size_format (moment->expect_bytes);
    return g_strdup_printf (_ ("%s of %s"), bytes, expected);
}

/* NULL when it is not known, or there is more than there should be. */
static char *
line_percentage (const IohMoment *moment)
{
    if (!line_end_is_known (moment) || moment->bytes > moment->expect_bytes)
        return NULL;
    double share = (double) moment->bytes / (double) moment->expect_bytes;
    return g_strdup_printf ("%d%%", MIN ((int) (share * 100), 99));
}

/* NULL when it is not known, or nothing is to move now. */
static char *
line_rate (const IohMoment *moment, double rate)
{
    if (rate < 0 || moment->phase != IOH_PHASE_MOVING)
        return NULL;
    g_autofree char *bytes = ioh_size_format ((uint64_t) rate);
    return g_strdup_printf (_ ("%s/s"), bytes);
}

/* "1:02:03", or "2:03" below an hour */
static char *
line_duration (gint64 seconds)
{
    int hours = (int) (seconds / 3600);
    int minutes = (int) (seconds / 60 % 60);

    return hours > 0 ? g_strdup_printf ("%d:%02d:%02d", hours, minutes, (int) (seconds % 60))
                     : g_strdup_printf ("%d:%02d", minutes, (int) (seconds % 60));
}

static char *
line_time (const IohMoment *moment, double rate)
{
    gboolean moves =
        moment->phase == IOH_PHASE_MOVING && rate > 0 && moment->passed_us >= LINE_TRUSTED_US;

    if (moves && line_end_is_known (moment) && moment->bytes <= moment->expect_bytes) {
        double left = (double) (moment->expect_bytes - moment->bytes) / rate;
        if (left < LINE_LEFT_MOST_S) {
            g_autofree char *duration = line_duration ((gint64) (left + 0.5));
            return g_strdup_printf (_ ("%s left"), duration);
        }
    }
    return line_duration (moment->passed_us / G_USEC_PER_SEC);
}

char *
ioh_progress_line (const IohMoment *moment, double rate, int columns)
{
    char *parts[] = {
        g_strdup (line_phase (moment->phase)),
        line_bytes (moment),
        line_percentage (moment),
        line_rate (moment, rate),
        line_time (moment, rate),
    };
    GString *line = g_string_new (NULL);
    int width = 0;
    gboolean room = TRUE;

    for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++) {
        g_autofree char *part = parts[i];
        if (part == NULL)
            continue;
        const char *space = line->len > 0 ? "  " : "";
        int more = ioh_printable_width (space) + ioh_printable_width (part);
        room = room && more < columns - width;
        if (room) {
            g_string_append_printf (line, "%s%s", space, part);
            width += more;
        }
    }
    return g_string_free (line, FALSE);
}
