/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_SIZE_H
#define IOH_SIZE_H

#include <glib.h>
#include <stdint.h>

#define IOH_KIB ((uint64_t) 1024)
#define IOH_MIB (1024 * IOH_KIB)

/* BYTES for people, in the units and with the point of their language: "1.5 GiB". The caller frees
 * it. */
char *ioh_size_format (uint64_t bytes);

/* The same, and the exact number where that tells more: "1.5 GiB (1610612737 bytes)". The caller
 * frees it. */
char *ioh_size_format_exact (uint64_t bytes);

/* Reads a size such as "65536", "64K", "64KiB" or "1T": powers of 1024, no fraction, no sign.
 * OPTION names the option for the message. FALSE with a usage error, *OUT_BYTES untouched. */
gboolean ioh_size_parse (const char *option, const char *text, uint64_t *out_bytes, GError **error);

#endif
