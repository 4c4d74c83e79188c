/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BUFFERS_H
#define IOH_BUFFERS_H

#include <glib.h>

/* Memory for data: page aligned or better (ALIGN, a power of two), zeroed. NULL with an error when
 * there is none; data never aborts the process. */
void *ioh_buffer_new (size_t bytes, size_t align, GError **error);
void ioh_buffer_free (void *buffer, size_t bytes);

#endif
