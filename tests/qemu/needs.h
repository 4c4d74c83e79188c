/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TESTS_NEEDS_H
#define IOH_TESTS_NEEDS_H

#include "scratch.h"

G_BEGIN_DECLS

/*
 * What a test needs of the machine it runs on. What is missing is a reason to skip the test, or to
 * fail it when IOH_MUST_WORK=1.
 */
void ioh_needs_skip (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Ends the test for that error: skipped for want of room, failed for anything else. */
void ioh_needs_blame (const GError *error);

/* False, and the test skipped, when a stream with that much RAM in it does not fit. */
gboolean ioh_needs_room (const IohScratch *scratch, uint64_t ram_bytes);

/* False, and the test skipped, when files cannot be written with O_DIRECT there. */
gboolean ioh_needs_direct (const IohScratch *scratch);

G_END_DECLS

#endif
