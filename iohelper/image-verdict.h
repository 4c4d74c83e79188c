/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_IMAGE_VERDICT_H
#define IOH_IMAGE_VERDICT_H

#include <stdint.h>

/* Whether an image is all there. Its names are an interface, see image.c. */
typedef enum {
    IOH_IMAGE_UNKNOWN, /* its kind does not say */
    IOH_IMAGE_COMPLETE,
    IOH_IMAGE_PARTIAL,   /* who wrote it has not marked it complete */
    IOH_IMAGE_TRUNCATED, /* it ends too early */
    IOH_IMAGE_DAMAGED,   /* it says what makes no sense */
} IohImageState;

typedef struct {
    IohImageState state;
    const char *reason; /* marked for translation */
    uint64_t missing;   /* how many bytes at least, 0 when unknown */
    uint64_t offset;    /* where that was seen, in the file */
} IohImageVerdict;

#endif
