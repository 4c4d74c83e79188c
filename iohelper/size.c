/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * size - reads and writes amounts of bytes as people do.
 *
 * Owns the one spelling of sizes. May assume nothing of its input, which comes from outside.
 */
#include "size.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "i18n.h"

/* The shift a suffix stands for, or -1: "K" or "KiB", the first letter in either case. */
static int
size_suffix_shift (const char *suffix)
{
    static const char letters[] = "KMGTPE";

    if (suffix[0] == '\0')
        return 0;
    const char *letter = strchr (letters, g_ascii_toupper (suffix[0]));
    if (letter == NULL || (suffix[1] != '\0' && strcmp (suffix + 1, "iB") != 0))
        return -1;
    return 10 * (int) (letter - letters + 1);
}

gboolean
ioh_size_parse (const char *option, const char *text, uint64_t *out_bytes, GError **error)
{
    char *suffix = NULL;

    if (text[0] == '-')
        return ioh_error_usage (error, _ ("--%s: '%s' is negative"), option, text);
    if (!g_ascii_isdigit (text[0]))
        return ioh_error_usage (error, _ ("--%s: '%s' is not a size"), option, text);
    errno = 0;
    uint64_t number = g_ascii_strtoull (text, &suffix, 10);
    int conversion = errno;
    if (suffix[0] == '.' || suffix[0] == ',')
        return ioh_error_usage (error, _ ("--%s: '%s' has a fraction; give whole bytes, K, M ..."),
                                option, text);
    int shift = size_suffix_shift (suffix);
    if (shift < 0)
        return ioh_error_usage (error, _ ("--%s: '%s' has the unknown suffix '%s'"), option, text,
                                suffix);
    /* offsets of files are signed */
    if (conversion == ERANGE || number > (uint64_t) INT64_MAX >> shift)
        return ioh_error_usage (error, _ ("--%s: '%s' is too large"), option, text);
    *out_bytes = number << shift;
    return TRUE;
}

char *
ioh_size_format (uint64_t bytes)
{
    g_autofree char *text = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
    g_auto (GStrv) parts = g_strsplit (text, "\u00a0", -1);

    /* GLib's space is one that not every character set has */
    return g_strjoinv (" ", parts);
}

char *
ioh_size_format_exact (uint64_t bytes)
{
    g_autofree char *size = ioh_size_format (bytes);

    if (bytes >= IOH_KIB)
        return g_strdup_printf (_ ("%s (%" PRIu64 " bytes)"), size, bytes);
    return g_strdup_printf (ngettext ("%" PRIu64 " byte", "%" PRIu64 " bytes", bytes), bytes);
}
