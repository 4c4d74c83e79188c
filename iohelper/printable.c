/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * printable - texts that may hold anything, for a terminal.
 *
 * Owns nothing. Bytes that are no UTF-8 stay as they are: file names need not be.
 */
#include "printable.h"

/* The control characters beyond ASCII are these two bytes in UTF-8. */
static gboolean
printable_is_c1 (const char *text)
{
    return (guint8) text[0] == 0xc2 && (guint8) text[1] >= 0x80 && (guint8) text[1] < 0xa0;
}

char *
ioh_printable (const char *text)
{
    GString *line = g_string_new (NULL);

    for (; *text != '\0'; text++) {
        gboolean c1 = printable_is_c1 (text);
        if (!c1 && !g_ascii_iscntrl (*text))
            g_string_append_c (line, *text);
        else
            g_string_append_printf (line, "\\%03o", (guint8) *text);
        if (c1)
            g_string_append_printf (line, "\\%03o", (guint8) * (++text));
    }
    return g_string_free (line, FALSE);
}

const char *
ioh_printable_next (const char *text, gunichar *out_letter)
{
    *out_letter = g_utf8_get_char_validated (text, -1);
    if (*out_letter != (gunichar) -1 && *out_letter != (gunichar) -2)
        return g_utf8_next_char (text);
    *out_letter = '?';
    return text + 1;
}

static int
printable_columns (gunichar letter)
{
    return g_unichar_iszerowidth (letter) ? 0 : g_unichar_iswide (letter) ? 2 : 1;
}

int
ioh_printable_width (const char *text)
{
    gunichar letter;
    int width = 0;

    while (*text != '\0') {
        text = ioh_printable_next (text, &letter);
        width += printable_columns (letter);
    }
    return width;
}

void
ioh_printable_cut (char *text, int columns)
{
    gunichar letter;
    int width = 0;

    for (const char *at = text, *next; *at != '\0'; at = next) {
        next = ioh_printable_next (at, &letter);
        width += printable_columns (letter);
        if (width > columns) {
            text[at - text] = '\0';
            return;
        }
    }
}
