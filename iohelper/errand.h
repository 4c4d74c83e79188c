/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ERRAND_H
#define IOH_ERRAND_H

#include <glib.h>

#include "cancel.h"

/* Runs RUN (DATA) in a thread called NAME and waits for it as long as PATIENCE has. DATA is a
 * g_atomic_rc_box that CLEAR empties; the caller keeps its reference. 0 when RUN has returned: what
 * it has left in DATA can be read. Else -ECANCELED or -ETIME, as ioh_cancel_wait has them, or
 * -errno when there is no thread to be had: DATA belongs to a thread that may still run, and is
 * only to be released. */
int ioh_errand (const char *name, void (*run) (gpointer data), gpointer data, GDestroyNotify clear,
                const IohPatience *patience);

#endif
