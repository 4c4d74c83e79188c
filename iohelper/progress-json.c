/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * progress-json - the progress as lines for a program.
 *
 * Owns what is left of a line that a slow reader has begun to take. Must never touch the flags of
 * the descriptor, which it shares with other processes, nor leave half a line without its rest.
 */
#include "progress-json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "channel.h"
#include "error.h"
#include "i18n.h"
#include "probe.h"

typedef struct {
    IohChannel channel;
    char line[192];
    int length;
    int sent; /* what a socket took of it */
} ProgressJson;

static void
progress_json_compose (ProgressJson *json, const IohMoment *moment)
{
    gint64 passed_ms = moment->passed_us / 1000;
    char expected[48] = "";

    if (moment->expect_bytes != IOH_UNSET)
        g_snprintf (expected, sizeof expected, ",\"" IOH_PROGRESS_EXPECTED "\":%" PRIu64,
                    moment->expect_bytes);
    json->sent = 0;
    json->length = g_snprintf (json->line, sizeof json->line,
                               "{\"" IOH_PROGRESS_PHASE "\":\"%s\",\"" IOH_PROGRESS_BYTES
                               "\":%" PRIu64 "%s,\"" IOH_PROGRESS_SECONDS "\":%" PRId64 ".%03d}\n",
                               ioh_wire_phase_name (moment->phase), moment->bytes, expected,
                               passed_ms / 1000, (int) (passed_ms % 1000));
}

/* Writes what is left of the line, as far as that goes without waiting. FALSE when nobody will ever
 * read it. */
static gboolean
progress_json_push (ProgressJson *json)
{
    ssize_t written = 0;

    while (written >= 0 && json->sent < json->length) {
        written = ioh_channel_write (&json->channel, json->line + json->sent,
                                     (size_t) (json->length - json->sent));
        if (written > 0)
            json->sent += (int) written;
    }
    return written >= 0 || written == -EAGAIN;
}

/* Half a line is never followed by another; a line of which nothing went is not worth keeping. */
static gboolean
progress_json_tell (gpointer listener, const IohMoment *moment, gboolean last)
{
    ProgressJson *json = listener;

    if (!progress_json_push (json))
        return FALSE;
    if (json->sent < json->length)
        return TRUE;
    progress_json_compose (json, moment);
    gboolean read = progress_json_push (json);
    if (json->sent == 0)
        json->sent = json->length;
    return read;
}

gboolean
ioh_progress_json_add (IohProgress *progress, int fd, GError **error)
{
    IohEndKind kind = ioh_end_kind_of (fd);

    if (kind == IOH_END_UNKNOWN)
        return ioh_error_usage (error, _ ("--%s: fd %d: %s"), IOH_OPTION_PROGRESS_FD, fd,
                                g_strerror (EBADF));
    ProgressJson *json = g_new0 (ProgressJson, 1);
    ioh_channel_init (&json->channel, fd, kind);
    return ioh_progress_add (progress, progress_json_tell, json, g_free, error);
}
