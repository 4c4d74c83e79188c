/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wrap - texts for people, broken into lines that have room in their terminal.
 *
 * Owns where a line may be broken: at a space; Chinese and Japanese have none and break between any
 * two of their letters, but not before what closes or goes on, nor behind what opens. Where there
 * is no terminal nothing is broken, so that whoever reads lines finds a whole one.
 */
#include "wrap.h"

#include <string.h>
#include <sys/ioctl.h>

#include "printable.h"

/* Where a terminal does not know its own width. */
#define WRAP_COLUMNS 80

/* With fewer columns than these, whatever is done looks bad. */
#define WRAP_BODY_LEAST 20

int
ioh_wrap_columns (int fd)
{
    struct winsize size;

    if (ioctl (fd, TIOCGWINSZ, &size) < 0)
        return 0;
    return size.ws_col > 0 ? size.ws_col : WRAP_COLUMNS;
}

static gboolean
wrap_is_ideographic (GUnicodeBreakType type)
{
    return type == G_UNICODE_BREAK_IDEOGRAPHIC || type == G_UNICODE_BREAK_NON_STARTER ||
           type == G_UNICODE_BREAK_CONDITIONAL_JAPANESE_STARTER;
}

/* Whether a line may end with BEFORE and the next begin with AFTER, none of which is a space. */
static gboolean
wrap_may_break (gunichar before, gunichar after)
{
    GUnicodeBreakType last = g_unichar_break_type (before);
    GUnicodeBreakType first = g_unichar_break_type (after);

    if (last == G_UNICODE_BREAK_CLOSE_PUNCTUATION && g_unichar_iswide (before))
        return first == G_UNICODE_BREAK_ALPHABETIC || first == G_UNICODE_BREAK_NUMERIC ||
               first == G_UNICODE_BREAK_IDEOGRAPHIC;
    if (first == G_UNICODE_BREAK_IDEOGRAPHIC)
        return last == G_UNICODE_BREAK_ALPHABETIC || last == G_UNICODE_BREAK_NUMERIC ||
               wrap_is_ideographic (last);
    return wrap_is_ideographic (last) &&
           (first == G_UNICODE_BREAK_ALPHABETIC || first == G_UNICODE_BREAK_NUMERIC);
}

/* The end of what begins at TEXT, no space, and must stay in one line. */
static const char *
wrap_piece_end (const char *text)
{
    gunichar before, after;

    text = ioh_printable_next (text, &before);
    while (*text != '\0' && *text != ' ') {
        const char *next = ioh_printable_next (text, &after);
        if (wrap_may_break (before, after))
            break;
        before = after;
        text = next;
    }
    return text;
}

static int
wrap_last_width (const GString *text)
{
    const char *end = strrchr (text->str, '\n');

    return ioh_printable_width (end != NULL ? end + 1 : text->str);
}

void
ioh_wrap_append (GString *text, int indent, const char *body, int columns)
{
    int limit = columns > 0 ? MAX (columns, indent + WRAP_BODY_LEAST) : G_MAXINT;
    int width = wrap_last_width (text);
    gboolean begun = FALSE;

    while (*body != '\0') {
        size_t blanks = strspn (body, " ");
        const char *word = body + blanks;
        const char *end = *word != '\0' ? wrap_piece_end (word) : word;
        g_autofree char *piece = g_strndup (body, (size_t) (end - body));
        int taken = ioh_printable_width (piece);
        if (begun && taken > limit - width) {
            g_string_append_printf (text, "\n%*s%s", indent, "", piece + blanks);
            width = indent + taken - (int) blanks;
        } else {
            g_string_append (text, piece);
            width += taken;
        }
        begun = TRUE;
        body = end;
    }
    g_string_append_c (text, '\n');
}

char *
ioh_wrap_join (const char *head, char *const *parts, int columns)
{
    GString *text = g_string_new (NULL);
    g_autofree char *line = g_strjoinv ("; ", (char **) parts);
    int indent = ioh_printable_width (head);

    if (columns == 0 || indent + ioh_printable_width (line) <= columns) {
        g_string_append_printf (text, "%s%s\n", head, line);
        return g_string_free (text, FALSE);
    }
    for (unsigned i = 0; parts[i] != NULL; i++) {
        g_string_append_printf (text, "%*s", indent, i == 0 ? head : "");
        ioh_wrap_append (text, indent, parts[i], columns);
    }
    return g_string_free (text, FALSE);
}
