/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * error - the error domain of the library.
 *
 * Owns what an error knows besides its message: side, stage, offset and errno, as the helper
 * reported them. Nothing here decides what failed; verdict does.
 */
#include "error-private.h"
#include "wire.h"

G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_INTERNAL == (int) IOH_EXIT_INTERNAL);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_USAGE == (int) IOH_EXIT_USAGE);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_STREAM == (int) IOH_EXIT_STREAM);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_FILE == (int) IOH_EXIT_FILE);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_NO_ROOM == (int) IOH_EXIT_NO_ROOM);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_FLUSH == (int) IOH_EXIT_FLUSH);
G_STATIC_ASSERT ((int) IOH_TRANSFER_ERROR_IMAGE == (int) IOH_EXIT_IMAGE);

static void
ioh_transfer_error_private_init (IohTransferErrorPrivate *priv)
{
    priv->offset = -1;
}

static void
ioh_transfer_error_private_copy (const IohTransferErrorPrivate *src, IohTransferErrorPrivate *dest)
{
    *dest = *src;
}

static void
ioh_transfer_error_private_clear (IohTransferErrorPrivate *priv)
{
}

/* GLib's own cast; clang does not know that the allocation is aligned for it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-align"
G_DEFINE_EXTENDED_ERROR (IohTransferError, ioh_transfer_error)
#pragma GCC diagnostic pop

gboolean
ioh_transfer_error_set (GError **error, IohTransferError code,
                        const IohTransferErrorPrivate *details, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    g_autofree char *message = g_strdup_vprintf (format, args);
    va_end (args);
    g_set_error_literal (error, IOH_TRANSFER_ERROR, (int) code, message);
    if (error != NULL && details != NULL)
        *ioh_transfer_error_get_private (*error) = *details;
    return FALSE;
}

gboolean
ioh_transfer_error_errno (GError **error, IohTransferError code, int error_number, const char *what)
{
    const IohTransferErrorPrivate details = {.offset = -1, .error_number = error_number};

    return ioh_transfer_error_set (error, code, &details, "%s: %s", what,
                                   g_strerror (error_number));
}

static const IohTransferErrorPrivate *
error_details (const GError *error)
{
    static const IohTransferErrorPrivate none = {.offset = -1};

    return error->domain == IOH_TRANSFER_ERROR ? ioh_transfer_error_get_private (error) : &none;
}

IohSide
ioh_transfer_error_get_side (const GError *error)
{
    g_return_val_if_fail (error != NULL, IOH_SIDE_NONE);
    return error_details (error)->side;
}

IohStage
ioh_transfer_error_get_stage (const GError *error)
{
    g_return_val_if_fail (error != NULL, IOH_STAGE_NONE);
    return error_details (error)->stage;
}

gint64
ioh_transfer_error_get_offset (const GError *error)
{
    g_return_val_if_fail (error != NULL, -1);
    return error_details (error)->offset;
}

int
ioh_transfer_error_get_errno (const GError *error)
{
    g_return_val_if_fail (error != NULL, 0);
    return error_details (error)->error_number;
}
