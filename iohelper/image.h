/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_H
#define IOH_IMAGE_H

#include <glib.h>
#include <stdint.h>

#include "image-libvirt.h"
#include "image-qemu.h"
#include "image-verdict.h"

typedef enum {
    IOH_IMAGE_IS_DATA, /* nothing that is known here */
    IOH_IMAGE_IS_EMPTY,
    IOH_IMAGE_IS_QEMU,
    IOH_IMAGE_IS_COMPRESSED,
    IOH_IMAGE_IS_OTHER, /* known, but no stream */
} IohImageKind;

/* What a stream, or a whole file, begins as. */
typedef struct {
    IohImageKind kind;
    const char *name;    /* a word; of a compressed stream, its program */
    const char *summary; /* marked for translation */
} IohImageFormat;

/* What an image is. */
typedef struct {
    uint64_t bytes;               /* from where it begins to the end of the file */
    IohLibvirtHeader *libvirt;    /* NULL when there is none */
    uint64_t stream_offset;       /* in the file; the end of it when there is no stream */
    const IohImageFormat *format; /* of the stream */
    IohQemuStream *qemu;          /* NULL when it is none */
    IohImageVerdict verdict;
} IohImage;

/* Looks at the file or block device FD, which messages call NAME, from START to END. Nothing is
 * changed, not even the position. NULL with the error set when it cannot be read; whatever it
 * contains is no error. */
IohImage *ioh_image_look (int fd, const char *name, uint64_t start, uint64_t end, GError **error);

/* The offset of the stream in a libvirt save image that can be restored from there. FALSE with an
 * error of status image for everything else, and for streams that are compressed. */
gboolean ioh_image_find_stream (int fd, const char *name, uint64_t start, uint64_t end,
                                uint64_t *out_offset, GError **error);

/* A word for STATE: "complete", "truncated" ... */
const char *ioh_image_state_name (IohImageState state);

/* TRUE when the image must not be trusted: status image is the answer. */
gboolean ioh_image_is_bad (const IohImage *image);

void ioh_image_free (IohImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohImage, ioh_image_free)

#endif
