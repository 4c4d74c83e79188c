/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_LISTING_H
#define IOH_LISTING_H

#include <glib.h>

#include "probe.h"

/* What `iohelper engines` prints: every engine, whether it works on this host, and why. As a JSON
 * array, or as a table for people that has room in COLUMNS (0: of whole lines). The caller frees
 * it.
 */
char *ioh_listing_new (const IohFacts *facts, gboolean json, int columns);

#endif
