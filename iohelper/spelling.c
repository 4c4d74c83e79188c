/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spelling - what somebody meant who wrote something else.
 *
 * Owns nothing. Pure: compares words and knows none of them.
 */
#include "spelling.h"

#include <string.h>

/* Nothing we know is nearly as long; a longer word is near to none of them. */
#define SPELLING_MOST 48

/* Every third letter may be wrong, and one at least. */
static unsigned
spelling_limit (size_t length)
{
    return (unsigned) (length + 2) / 3;
}

/* The fewest letters to add, drop, change, or swap with their neighbours to make B of A (the
 * optimal string alignment). Both are at most SPELLING_MOST long. */
static unsigned
spelling_distance (const char *a, const char *b)
{
    size_t a_length = strlen (a);
    size_t b_length = strlen (b);
    unsigned rows[SPELLING_MOST + 1][SPELLING_MOST + 1];

    for (size_t i = 0; i <= a_length; i++)
        rows[i][0] = (unsigned) i;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (unsigned) j;
    for (size_t i = 1; i <= a_length; i++)
        for (size_t j = 1; j <= b_length; j++) {
            unsigned change = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            unsigned best = MIN (change, MIN (rows[i - 1][j], rows[i][j - 1]) + 1);
            gboolean swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            rows[i][j] = swapped ? MIN (best, rows[i - 2][j - 2] + 1) : best;
        }
    return rows[a_length][b_length];
}

/* The only one of WORDS that begins with WORD, or NULL. */
static const char *
spelling_begun (const char *word, const char *const *words)
{
    const char *found = NULL;

    for (unsigned i = 0; words[i] != NULL; i++)
        if (g_str_has_prefix (words[i], word)) {
            if (found != NULL)
                return NULL;
            found = words[i];
        }
    return found;
}

const char *
ioh_spelling_nearest (const char *word, const char *const *words)
{
    size_t length = strlen (word);
    g_autofree char *small = g_ascii_strdown (word, -1);
    unsigned best = spelling_limit (length) + 1;

    if (length == 0 || length > SPELLING_MOST)
        return NULL;
    const char *nearest = spelling_begun (small, words);
    if (nearest != NULL)
        return nearest;
    for (unsigned i = 0; words[i] != NULL; i++) {
        g_assert (strlen (words[i]) <= SPELLING_MOST);
        unsigned distance = spelling_distance (small, words[i]);
        if (distance < best && distance < strlen (words[i])) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
