/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * image-bytes - images as nobody would save them, byte by byte.
 */
#include "image-bytes.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "info.h"

void
bytes_put (GByteArray *image, const void *bytes, size_t length)
{
    g_byte_array_append (image, bytes, (guint) length);
}

void
bytes_put_number (GByteArray *image, uint64_t number, unsigned length)
{
    uint64_t big = GUINT64_TO_BE (number);

    g_assert_cmpuint (length, <=, sizeof big);
    bytes_put (image, (const uint8_t *) &big + sizeof big - length, length);
}

void
bytes_put_name (GByteArray *image, const char *name)
{
    bytes_put_number (image, strlen (name), 1);
    bytes_put (image, name, strlen (name));
}

void
bytes_put_begin (GByteArray *image, const char *machine)
{
    bytes_put (image, "QEVM", 4);
    bytes_put_number (image, 3, 4);
    if (machine == NULL)
        return;
    bytes_put_number (image, 0x07, 1);
    bytes_put_number (image, strlen (machine), 4);
    bytes_put (image, machine, strlen (machine));
}

void
bytes_put_section (GByteArray *image, unsigned kind, unsigned id, const char *name)
{
    bytes_put_number (image, kind, 1);
    bytes_put_number (image, id, 4);
    if (name == NULL)
        return;
    bytes_put_name (image, name);
    bytes_put_number (image, 0, 4);
    bytes_put_number (image, 4, 4);
}

void
bytes_put_footer (GByteArray *image, unsigned id)
{
    bytes_put_number (image, 0x7e, 1);
    bytes_put_number (image, id, 4);
}

/* Two blocks of guest memory, of three pages and one. */
void
bytes_put_ram_start (GByteArray *image)
{
    bytes_put_section (image, 0x01, 2, "ram");
    bytes_put_number (image, 4 * BYTES_PAGE | 0x04, 8);
    bytes_put_name (image, "pc.ram");
    bytes_put_number (image, 3 * BYTES_PAGE, 8);
    bytes_put_name (image, "vga");
    bytes_put_number (image, BYTES_PAGE, 8);
    bytes_put_number (image, 0x10, 8);
    bytes_put_footer (image, 2);
}

void
bytes_put_page (GByteArray *image, uint64_t word, const char *block, unsigned length)
{
    g_autofree uint8_t *page = g_malloc0 (length);

    bytes_put_number (image, word, 8);
    if (block != NULL)
        bytes_put_name (image, block);
    bytes_put (image, page, length);
}

static void
bytes_put_ram (GByteArray *image)
{
    bytes_put_ram_start (image);
    bytes_put_section (image, 0x02, 2, NULL);
    bytes_put_page (image, 0 | 0x08, "pc.ram", BYTES_PAGE);
    bytes_put_page (image, BYTES_PAGE | 0x22, NULL, 1);
    bytes_put_number (image, 0x200, 8); /* channels in step */
    bytes_put_number (image, 0x10, 8);
    bytes_put_footer (image, 2);
    bytes_put_section (image, 0x03, 2, NULL);
    bytes_put_page (image, 2 * BYTES_PAGE | 0x60, NULL, 0); /* the difference to the page before */
    bytes_put_number (image, 1, 1);
    bytes_put_number (image, 5, 2);
    bytes_put (image, "abcde", 5);
    bytes_put_page (image, 0 | 0x100, "vga", 0); /* compressed */
    bytes_put_number (image, 3, 4);
    bytes_put (image, "xyz", 3);
    bytes_put_number (image, 0x10, 8);
    bytes_put_footer (image, 2);
}

/* State that has something like a footer in it. */
static void
bytes_put_devices (GByteArray *image)
{
    bytes_put_section (image, 0x04, 0x11, "timer");
    bytes_put_footer (image, 0x11);
    bytes_put (image, "\x77", 1);
    bytes_put_footer (image, 0x11);
    bytes_put_section (image, 0x04, 0x12, "0000:00:02.0/vga");
    bytes_put (image, "state", 5);
    bytes_put_footer (image, 0x12);
    bytes_put_section (image, 0x04, 0x13, "cpu");
    bytes_put_footer (image, 0x13);
    bytes_put_section (image, 0x04, 0x14, "cpu");
    bytes_put_footer (image, 0x14);
}

const char bytes_description[] = "{\"page_size\": 4096, \"devices\": [{\"name\": \"timer\", "
                                 "\"instance_id\": 7, \"version\": 2}, {\"name\": \"cpu\"}]}";

void
bytes_put_description (GByteArray *image)
{
    bytes_put_number (image, 0x06, 1);
    bytes_put_number (image, strlen (bytes_description), 4);
    bytes_put (image, bytes_description, strlen (bytes_description));
}

GByteArray *
bytes_new_stream (gboolean described)
{
    GByteArray *image = g_byte_array_new ();

    bytes_put_begin (image, "pc-7.2");
    bytes_put_ram (image);
    bytes_put_devices (image);
    bytes_put_number (image, 0, 1);
    if (described)
        bytes_put_description (image);
    return image;
}

/* What libvirt puts in front; ROOM for the XML and more. */
void
bytes_put_libvirt (GByteArray *image, const char *magic, const char *xml, unsigned format,
                   unsigned room)
{
    uint32_t words[19] = {2, room, 1, format, 0};
    g_autofree char *text = g_malloc0 (room);

    bytes_put (image, magic, 16);
    bytes_put (image, words, sizeof words);
    memcpy (text, xml, MIN (strlen (xml), room));
    bytes_put (image, text, room);
}

int
bytes_fd (const GByteArray *bytes, uint64_t length)
{
    int fd = memfd_create ("image", MFD_CLOEXEC);

    g_assert_cmpint (fd, >=, 0);
    g_assert_cmpint (write (fd, bytes->data, MIN (length, bytes->len)), ==,
                     MIN (length, bytes->len));
    return fd;
}

/* The first LENGTH bytes; whatever they are, what is known of them can be printed. */
IohImage *
bytes_look (const GByteArray *bytes, uint64_t length)
{
    g_autoptr (GError) error = NULL;
    int fd = bytes_fd (bytes, length);
    IohImage *image = ioh_image_look (fd, "x", 0, MIN (length, bytes->len), &error);

    g_assert_no_error (error);
    g_assert_nonnull (image->verdict.reason);
    g_autofree char *table = ioh_info_table (image, "x", 80);
    g_autofree char *json = ioh_info_json (image, "x");
    g_assert_cmpstr (table, !=, "");
    g_assert_cmpint (json[0], ==, '{');
    close (fd);
    return image;
}

void
bytes_check_state (const GByteArray *bytes, IohImageState state)
{
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);

    g_assert_cmpstr (ioh_image_state_name (image->verdict.state), ==, ioh_image_state_name (state));
}
