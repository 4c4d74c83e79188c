/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz-image - files that say they are images.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "error.h"
#include "fuzz.h"
#include "info.h"

static void
fuzz_check (const IohImage *image, uint64_t length)
{
    g_assert_nonnull (image->verdict.reason);
    g_assert_nonnull (image->format);
    g_assert_cmpuint (image->bytes, ==, length);
    g_assert_cmpuint (image->stream_offset, <=, length);
    g_assert_cmpuint (image->verdict.offset, <=, length);
    if (image->qemu != NULL && image->qemu->ended)
        g_assert_cmpuint (image->qemu->end, <=, length);
    if (image->verdict.state == IOH_IMAGE_COMPLETE)
        g_assert_true (image->qemu->ended);
    g_autofree char *table = ioh_info_table (image, "image", 80);
    g_autofree char *json = ioh_info_json (image, "image");
    g_assert_true (g_utf8_validate (table, -1, NULL));
    g_assert_true (g_utf8_validate (json, -1, NULL));
    /* nothing that a terminal would obey */
    for (const char *c = table; *c != '\0'; c++)
        g_assert_true (*c == '\n' || !g_ascii_iscntrl (*c));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t length)
{
    int fd = memfd_create ("image", MFD_CLOEXEC);
    g_autoptr (GError) error = NULL;
    g_autoptr (GError) refusal = NULL;
    uint64_t offset = 0;

    g_assert_cmpint (fd, >=, 0);
    g_assert_cmpint (write (fd, data, length), ==, length);
    g_autoptr (IohImage) image = ioh_image_look (fd, "image", 0, length, &error);
    g_assert_no_error (error);
    fuzz_check (image, length);
    if (ioh_image_find_stream (fd, "image", 0, length, &offset, &refusal))
        g_assert_cmpuint (offset, ==, image->stream_offset);
    else
        g_assert_error (refusal, IOH_ERROR, IOH_EXIT_IMAGE);
    close (fd);
    return 0;
}
