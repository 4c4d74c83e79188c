/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_FUZZ_H
#define IOH_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* What each fuzz-*.c is: DATA is anything, and may not make it crash, hang, leak, or break what the
 * code under test promises. Called by libFuzzer, or by replay.c with what is in the corpus. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t length);

#endif
