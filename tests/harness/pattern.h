/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_PATTERN_H
#define IOH_TEST_PATTERN_H

#include <glib.h>
#include <stdint.h>

/* The data of the tests: every 8 aligned bytes of the stream hold their own offset, marked so that
 * no word is zero. Lost, repeated and exchanged bytes all show, as do holes. */

void pattern_fill (void *buffer, size_t length, uint64_t offset);

/* Where BUFFER, which should be the pattern from OFFSET on, is not: the offset in the buffer, or
 * LENGTH when all is well. */
size_t pattern_mismatch (const void *buffer, size_t length, uint64_t offset);

#endif
