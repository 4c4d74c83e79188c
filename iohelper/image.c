/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image - recognises what a file is: a save image, a stream, or something else.
 *
 * Owns the table of magic numbers and the verdict on the whole. A file may be anything; that it
 * cannot be read is the only error.
 */
#include "image.h"

#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "i18n.h"

/* The longest magic number of the table. */
#define IMAGE_MAGIC_MOST 9

static const struct {
    IohImageFormat format;
    const char *magic;
    size_t length;
} image_formats[] = {
    {{IOH_IMAGE_IS_QEMU, "qemu", N_ ("QEMU migration stream")}, "QEVM", 4},
    {{IOH_IMAGE_IS_COMPRESSED, "gzip", N_ ("data compressed by gzip")}, "\x1f\x8b", 2},
    {{IOH_IMAGE_IS_COMPRESSED, "bzip2", N_ ("data compressed by bzip2")}, "BZh", 3},
    {{IOH_IMAGE_IS_COMPRESSED, "xz", N_ ("data compressed by xz")},
     "\xfd"
     "7zXZ\0",
     6},
    {{IOH_IMAGE_IS_COMPRESSED, "lzop", N_ ("data compressed by lzop")}, "\x89LZO\0\r\n\x1a\n", 9},
    {{IOH_IMAGE_IS_COMPRESSED, "zstd", N_ ("data compressed by zstd")}, "\x28\xb5\x2f\xfd", 4},
    {{IOH_IMAGE_IS_COMPRESSED, "lz4", N_ ("data compressed by lz4")}, "\x04\x22\x4d\x18", 4},
    {{IOH_IMAGE_IS_COMPRESSED, "lzip", N_ ("data compressed by lzip")}, "LZIP", 4},
    {{IOH_IMAGE_IS_OTHER, "elf", N_ ("ELF file, perhaps a dump of the memory")},
     "\x7f"
     "ELF",
     4},
    {{IOH_IMAGE_IS_OTHER, "kdump", N_ ("dump of the memory for crash(8)")}, "KDUMP   ", 8},
    {{IOH_IMAGE_IS_OTHER, "qcow2", N_ ("disk image in QEMU's own format")}, "QFI\xfb", 4},
};

static const IohImageFormat image_data = {IOH_IMAGE_IS_DATA, "data",
                                          N_ ("data of an unknown kind")};
static const IohImageFormat image_empty = {IOH_IMAGE_IS_EMPTY, "empty", N_ ("nothing")};

const char *
ioh_image_state_name (IohImageState state)
{
    static const char *const names[] = {
        [IOH_IMAGE_UNKNOWN] = "unknown", [IOH_IMAGE_COMPLETE] = "complete",
        [IOH_IMAGE_PARTIAL] = "partial", [IOH_IMAGE_TRUNCATED] = "truncated",
        [IOH_IMAGE_DAMAGED] = "damaged",
    };
    return names[state];
}

gboolean
ioh_image_is_bad (const IohImage *image)
{
    return image->verdict.state > IOH_IMAGE_COMPLETE;
}

/* What the bytes at the position, which stays, begin as. */
static const IohImageFormat *
image_recognise (IohCursor *cursor)
{
    uint64_t start = cursor->position;
    size_t length = (size_t) MIN (ioh_cursor_left (cursor), IMAGE_MAGIC_MOST);
    uint8_t bytes[IMAGE_MAGIC_MOST];

    if (length == 0 || !ioh_cursor_take (cursor, bytes, length))
        return &image_empty;
    ioh_cursor_seek (cursor, start);
    for (unsigned i = 0; i < G_N_ELEMENTS (image_formats); i++)
        if (length >= image_formats[i].length &&
            memcmp (bytes, image_formats[i].magic, image_formats[i].length) == 0)
            return &image_formats[i].format;
    return &image_data;
}

/* What the stream says of itself, at whose beginning the cursor is. */
static IohImageVerdict
image_judge_stream (IohImage *image, IohCursor *cursor)
{
    IohImageVerdict verdict = {.offset = image->stream_offset};

    if (image->format->kind == IOH_IMAGE_IS_QEMU) {
        image->qemu = ioh_qemu_stream_read (cursor, &verdict);
    } else if (image->format->kind == IOH_IMAGE_IS_EMPTY) {
        verdict.state = IOH_IMAGE_TRUNCATED;
        verdict.reason = N_ ("it is empty");
    } else if (image->format->kind == IOH_IMAGE_IS_COMPRESSED) {
        verdict.reason = N_ ("only decompressing it would tell");
    } else {
        verdict.reason = N_ ("nothing in it tells");
    }
    return verdict;
}

/* Whether a stream of FORMAT may be behind HEADER. */
static gboolean
image_formats_agree (const IohLibvirtHeader *header, const IohImageFormat *format)
{
    if (ioh_libvirt_header_is_compressed (header))
        return g_str_equal (ioh_libvirt_header_format (header), format->name);
    return !ioh_libvirt_header_is_raw (header) || format->kind == IOH_IMAGE_IS_QEMU;
}

/* Looks at the header, and at where the stream begins. */
static void
image_look_at_header (IohImage *image, IohCursor *cursor)
{
    image->stream_offset = cursor->position;
    image->bytes = ioh_cursor_left (cursor);
    image->libvirt = ioh_libvirt_header_read (cursor, &image->verdict);
    if (image->libvirt != NULL)
        image->stream_offset += IOH_LIBVIRT_HEADER_BYTES + image->libvirt->data_bytes;
    ioh_cursor_seek (cursor, image->stream_offset);
    image->stream_offset = cursor->position;
    image->format = image_recognise (cursor);
    if (image->libvirt != NULL && image->verdict.state == IOH_IMAGE_UNKNOWN &&
        !image_formats_agree (image->libvirt, image->format)) {
        image->verdict.state = IOH_IMAGE_DAMAGED;
        image->verdict.reason = N_ ("the stream is not what its libvirt header says");
        image->verdict.offset = image->stream_offset;
    }
}

static gboolean
image_read_failed (const IohCursor *cursor, const char *name, GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, name, IOH_STAGE_READ, cursor->position};

    return cursor->state == IOH_CURSOR_FAILED &&
           !ioh_error_errno (error, &place, cursor->error_number);
}

IohImage *
ioh_image_look (int fd, const char *name, uint64_t start, uint64_t end, GError **error)
{
    g_autoptr (IohCursor) cursor = ioh_cursor_new (fd, start, end);
    g_autoptr (IohImage) image = g_new0 (IohImage, 1);

    image_look_at_header (image, cursor);
    IohImageVerdict verdict = image_judge_stream (image, cursor);
    if (image->verdict.state == IOH_IMAGE_UNKNOWN)
        image->verdict = verdict;
    if (image_read_failed (cursor, name, error))
        return NULL;
    return g_steal_pointer (&image);
}

/* Why the stream of IMAGE cannot be restored as it is, NULL when it can. The caller frees it. */
static char *
image_why_not (const IohImage *image)
{
    if (image->libvirt == NULL)
        return g_strdup (_ ("it is no libvirt save image"));
    if (image->verdict.state != IOH_IMAGE_UNKNOWN)
        return g_strdup (_ (image->verdict.reason));
    const char *format = ioh_libvirt_header_format (image->libvirt);
    if (ioh_libvirt_header_is_compressed (image->libvirt))
        return g_strdup_printf (_ ("its stream is compressed by %s and begins at byte %" PRIu64),
                                format, image->stream_offset);
    if (!ioh_libvirt_header_is_raw (image->libvirt))
        return g_strdup_printf (_ ("its format (%s) is not that of a stream"),
                                format != NULL ? format : _ ("unknown"));
    return NULL;
}

gboolean
ioh_image_find_stream (int fd, const char *name, uint64_t start, uint64_t end, uint64_t *out_offset,
                       GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, name, IOH_STAGE_CHECK, IOH_NO_OFFSET};
    g_autoptr (IohCursor) cursor = ioh_cursor_new (fd, start, end);
    g_autoptr (IohImage) image = g_new0 (IohImage, 1);

    image_look_at_header (image, cursor);
    if (image_read_failed (cursor, name, error))
        return FALSE;
    g_autofree char *why = image_why_not (image);
    if (why != NULL)
        return ioh_error_set (error, IOH_EXIT_IMAGE, &place, "%s", why);
    *out_offset = image->stream_offset;
    return TRUE;
}

void
ioh_image_free (IohImage *image)
{
    if (image == NULL)
        return;
    ioh_libvirt_header_free (image->libvirt);
    ioh_qemu_stream_free (image->qemu);
    g_free (image);
}
