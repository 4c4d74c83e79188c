/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_H
#define IOH_BENCH_H

#include <glib.h>

#include "options.h"

/* Measures what OPTIONS ask for on this machine and prints it. *OUT_SIGNAL is the signal that ended
 * it, for the caller to die of, or 0. FALSE then, or with the error set; nothing is left behind. */
gboolean ioh_bench (const IohOptions *options, int *out_signal, GError **error);

#endif
