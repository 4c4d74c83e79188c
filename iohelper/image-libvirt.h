/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_LIBVIRT_H
#define IOH_IMAGE_LIBVIRT_H

#include <glib.h>
#include <stdint.h>

#include "cursor.h"
#include "image-verdict.h"

/* What libvirt puts in front of the stream of a save image: this header, then the XML of the domain
 * and room for it to grow, then the stream. */
typedef struct {
    gboolean complete; /* by its magic */
    gboolean swapped;  /* written by a machine of the other byte order */
    uint32_t version;
    uint32_t data_bytes; /* from the end of the header to the stream */
    gboolean was_running;
    uint32_t format;
    uint32_t cookie_offset; /* from the end of the header; 0: there is none */
    char *domain;           /* its name, NULL when the XML does not say */
} IohLibvirtHeader;

/* Its length in the file. */
#define IOH_LIBVIRT_HEADER_BYTES 92

/* Reads the header at the position. NULL when there is none; otherwise *OUT_VERDICT is what it says
 * of itself, and UNKNOWN when there should be a stream behind it. */
IohLibvirtHeader *ioh_libvirt_header_read (IohCursor *cursor, IohImageVerdict *out_verdict);

/* The name of its format, as libvirt's configuration has it; NULL when it is not known. */
const char *ioh_libvirt_header_format (const IohLibvirtHeader *header);

/* TRUE when the stream is as the hypervisor gave it, or when the program of the format's name has
 * compressed it. */
gboolean ioh_libvirt_header_is_raw (const IohLibvirtHeader *header);
gboolean ioh_libvirt_header_is_compressed (const IohLibvirtHeader *header);

void ioh_libvirt_header_free (IohLibvirtHeader *header);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohLibvirtHeader, ioh_libvirt_header_free)

#endif
