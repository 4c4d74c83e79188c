/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pattern - makes and checks the data of the tests.
 *
 * Owns its one rule and nothing else.
 */
#include "pattern.h"

#include <string.h>

#define PATTERN_MARK ((uint64_t) 0x5a << 56)

static uint8_t
pattern_byte (uint64_t offset)
{
    uint64_t word = GUINT64_TO_LE (PATTERN_MARK | (offset & ~(uint64_t) 7));

    return ((const uint8_t *) &word)[offset & 7];
}

void
pattern_fill (void *buffer, size_t length, uint64_t offset)
{
    uint8_t *bytes = buffer;
    size_t i = 0;

    for (; i < length && (offset + i) % 8 != 0; i++)
        bytes[i] = pattern_byte (offset + i);
    for (; length - i >= 8; i += 8) {
        uint64_t word = GUINT64_TO_LE (PATTERN_MARK | (offset + i));
        memcpy (bytes + i, &word, sizeof word);
    }
    for (; i < length; i++)
        bytes[i] = pattern_byte (offset + i);
}

size_t
pattern_mismatch (const void *buffer, size_t length, uint64_t offset)
{
    const uint8_t *bytes = buffer;
    size_t i = 0;

    while (i < length && bytes[i] == pattern_byte (offset + i))
        i++;
    return i;
}
