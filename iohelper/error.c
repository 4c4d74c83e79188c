/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error - failures that know their side, stage, offset and errno.
 *
 * Owns the error domain, the composition of the one line a person reads, and the mapping from a
 * failure to an exit status. Nothing here prints: main does.
 */
#include "error.h"

#include <errno.h>
#include <inttypes.h>

#include "i18n.h"
#include "printable.h"

static void
ioh_error_private_init (IohErrorPrivate *priv)
{
    priv->offset = IOH_NO_OFFSET;
}

static void
ioh_error_private_copy (const IohErrorPrivate *src, IohErrorPrivate *dest)
{
    *dest = *src;
    dest->name = g_strdup (src->name);
}

static void
ioh_error_private_clear (IohErrorPrivate *priv)
{
    g_free (priv->name);
}

/* GLib's own cast; clang does not know that the allocation is aligned for it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-align"
G_DEFINE_EXTENDED_ERROR (IohError, ioh_error)
#pragma GCC diagnostic pop

gboolean
ioh_error_is_no_room (int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

static const char *
error_stage_phrase (IohStage stage)
{
    static const char *const phrases[] = {
        [IOH_STAGE_NONE] = N_ ("failed"),
        [IOH_STAGE_OPEN] = N_ ("open failed"),
        [IOH_STAGE_LABEL] = N_ ("labelling failed"),
        [IOH_STAGE_CHECK] = N_ ("check failed"),
        [IOH_STAGE_READ] = N_ ("read failed"),
        [IOH_STAGE_WRITE] = N_ ("write failed"),
        [IOH_STAGE_TRUNCATE] = N_ ("truncate failed"),
        [IOH_STAGE_FLUSH] = N_ ("flush failed"),
        [IOH_STAGE_CLOSE] = N_ ("close failed"),
        [IOH_STAGE_PUBLISH] = N_ ("publish failed"),
    };
    return _ (phrases[stage]);
}

static IohExit
error_exit_for (const IohPlace *place, int error_number)
{
    if (error_number == EMFILE || error_number == ENFILE || error_number == ENOMEM)
        return IOH_EXIT_INTERNAL;
    if (place->side == IOH_SIDE_STREAM)
        return IOH_EXIT_STREAM;
    if (ioh_error_is_no_room (error_number))
        return IOH_EXIT_NO_ROOM;
    if (place->stage >= IOH_STAGE_TRUNCATE)
        return IOH_EXIT_FLUSH;
    return IOH_EXIT_FILE;
}

static void
error_fill (GError **error, const IohPlace *place, int error_number)
{
    if (error == NULL)
        return;
    IohErrorPrivate *priv = ioh_error_get_private (*error);
    priv->side = place->side;
    priv->name = g_strdup (place->name);
    priv->stage = place->stage;
    priv->offset = place->offset;
    priv->error_number = error_number;
}

/* "file /srv/vm.img: write failed at byte 4096", without an end; one line, whatever is in the name,
 * since a manager may well write it to its log. */
static char *
error_describe (const IohPlace *place)
{
    const char *side = place->side == IOH_SIDE_STREAM ? _ ("stream") : _ ("file");
    const char *phrase = error_stage_phrase (place->stage);
    g_autofree char *name = ioh_printable (place->name);

    if (place->offset == IOH_NO_OFFSET)
        return g_strdup_printf ("%s %s: %s", side, name, phrase);
    return g_strdup_printf (_ ("%s %s: %s at byte %" PRIu64), side, name, phrase, place->offset);
}

gboolean
ioh_error_errno (GError **error, const IohPlace *place, int error_number)
{
    g_autofree char *what = error_describe (place);

    g_set_error (error, IOH_ERROR, (int) error_exit_for (place, error_number), "%s: %s", what,
                 g_strerror (error_number));
    error_fill (error, place, error_number);
    return FALSE;
}

gboolean
ioh_error_set (GError **error, IohExit status, const IohPlace *place, const char *format, ...)
{
    g_autofree char *what = error_describe (place);
    va_list args;

    va_start (args, format);
    g_autofree char *why = g_strdup_vprintf (format, args);
    va_end (args);
    g_set_error (error, IOH_ERROR, (int) status, "%s: %s", what, why);
    error_fill (error, place, 0);
    return FALSE;
}

gboolean
ioh_error_usage (GError **error, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_autofree char *text = g_strdup_vprintf (format, args);
    va_end (args);
    g_set_error_literal (error, IOH_ERROR, IOH_EXIT_USAGE, text);
    return FALSE;
}

gboolean
ioh_error_internal (GError **error, const char *doing, int error_number)
{
    if (error_number == 0)
        g_set_error_literal (error, IOH_ERROR, IOH_EXIT_INTERNAL, doing);
    else
        g_set_error (error, IOH_ERROR, IOH_EXIT_INTERNAL, "%s: %s", doing,
                     g_strerror (error_number));
    return FALSE;
}

const IohErrorPrivate *
ioh_error_details (const GError *error)
{
    return error != NULL && error->domain == IOH_ERROR ? ioh_error_get_private ((GError *) error)
                                                       : NULL;
}

IohExit
ioh_error_exit (const GError *error)
{
    return error->domain == IOH_ERROR ? (IohExit) error->code : IOH_EXIT_INTERNAL;
}
