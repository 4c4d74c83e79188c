/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-image-qemu - QEMU streams: whole, cut at every byte, and saying what no QEMU says.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "fault.h"
#include "image-bytes.h"

static const char *
section_name (const IohImage *image, guint i)
{
    g_assert_cmpuint (i, <, image->qemu->sections->len);
    return g_array_index (image->qemu->sections, IohQemuSection, i).name;
}

static void
test_stream_described (void)
{
    g_autoptr (GByteArray) bytes = bytes_new_stream (TRUE);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);

    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_cmpstr (image->qemu->machine, ==, "pc-7.2");
    g_assert_cmpuint (image->qemu->version, ==, 3);
    g_assert_cmpuint (image->qemu->page_bytes, ==, BYTES_PAGE);
    g_assert_cmpuint (image->qemu->ram_bytes, ==, 4 * BYTES_PAGE);
    g_assert_cmpuint (image->qemu->blocks->len, ==, 2);
    g_assert_cmpuint (image->qemu->sections->len, ==, 3);
    g_assert_cmpstr (section_name (image, 0), ==, "ram");
    g_assert_cmpstr (section_name (image, 1), ==, "timer");
    g_assert_cmpuint (image->qemu->end, ==, bytes->len);
    g_assert_cmpuint (image->qemu->description_bytes, ==, strlen (bytes_description));
}

/* Without a description the walk through the memory finds the devices and the end. */
static void
test_stream_walked (void)
{
    g_autoptr (GByteArray) bytes = bytes_new_stream (FALSE);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);

    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_cmpuint (image->qemu->page_bytes, ==, 0);
    g_assert_cmpuint (image->qemu->sections->len, ==, 5);
    g_assert_cmpstr (section_name (image, 2), ==, "0000:00:02.0/vga");
    g_assert_cmpstr (section_name (image, 4), ==, "cpu");
    g_assert_cmpuint (image->qemu->end, ==, bytes->len);
    g_assert_cmpuint (image->qemu->description_bytes, ==, 0);
}

/* A block device holds what was there before. */
static void
test_stream_then_old_data (void)
{
    for (int described = 0; described < 2; described++) {
        g_autoptr (GByteArray) bytes = bytes_new_stream (described);
        guint end = bytes->len;
        bytes_put (bytes, "old data {}", 11);
        g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
        g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
        g_assert_cmpuint (image->qemu->end, ==, end);
        g_assert_cmpuint (image->qemu->page_bytes, ==, described ? BYTES_PAGE : 0);
    }
}

/* Wherever it is cut, it is never taken for complete, but where QEMU itself would be content. */
static void
test_stream_cut_anywhere (void)
{
    g_autoptr (GByteArray) bytes = bytes_new_stream (TRUE);
    g_autoptr (GByteArray) undescribed = bytes_new_stream (FALSE);

    for (guint length = 4; length < bytes->len; length++) {
        g_autoptr (IohImage) image = bytes_look (bytes, length);
        g_test_message ("%u", length);
        g_assert_cmpint (image->verdict.state, ==,
                         length == undescribed->len ? IOH_IMAGE_COMPLETE : IOH_IMAGE_TRUNCATED);
        g_assert_true (ioh_image_is_bad (image) == (length != undescribed->len));
    }
}

/* The end mark of a stream is looked for where the stream is, not where an older one was. */
static void
test_stream_cut_then_filled (void)
{
    g_autoptr (GByteArray) bytes = bytes_new_stream (TRUE);
    guint length = bytes->len;

    g_byte_array_set_size (bytes, length - 1);
    bytes_put (bytes, "\0\0\0\0", 4);
    bytes_check_state (bytes, IOH_IMAGE_DAMAGED);
}

typedef void (*Spoil) (GByteArray *image);

static void
spoil_version (GByteArray *image)
{
    bytes_put (image, "QEVM\0\0\0\4", 8);
}

static void
spoil_machine_length (GByteArray *image)
{
    bytes_put_begin (image, NULL);
    bytes_put_number (image, 0x07, 1);
    bytes_put_number (image, UINT32_MAX, 4);
}

static void
spoil_page_bits (GByteArray *image)
{
    bytes_put_begin (image, "virt");
    bytes_put_number (image, 0x05, 1);
    bytes_put_name (image, "configuration/target-page-bits");
    bytes_put_number (image, 1, 4);
    bytes_put_number (image, 64, 4);
}

static void
spoil_capabilities (GByteArray *image)
{
    bytes_put_begin (image, "virt");
    bytes_put_number (image, 0x05, 1);
    bytes_put_name (image, "configuration/capabilities");
    bytes_put_number (image, 1, 4);
    bytes_put_number (image, UINT32_MAX, 4);
}

static void
spoil_kind (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_number (image, 0x55, 1);
}

static void
spoil_unknown_id (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_ram_start (image);
    bytes_put_section (image, 0x02, 99, NULL);
}

static void
spoil_footer (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_ram_start (image);
    image->data[image->len - 1]++;
    bytes_put (image, "more", 4);
}

static void
spoil_block_size (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_section (image, 0x01, 2, "ram");
    bytes_put_number (image, 4 * BYTES_PAGE | 0x04, 8);
    bytes_put_name (image, "pc.ram");
    bytes_put_number (image, UINT64_MAX, 8);
}

static void
spoil_block_count (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_section (image, 0x01, 2, "ram");
    bytes_put_number (image, 4 * BYTES_PAGE | 0x04, 8);
    for (unsigned i = 0; i < 10000; i++) {
        bytes_put_name (image, "");
        bytes_put_number (image, 0, 8);
    }
}

static void
spoil_page_kind (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_ram_start (image);
    bytes_put_section (image, 0x02, 2, NULL);
    bytes_put_page (image, 0 | 0x88, "pc.ram", BYTES_PAGE);
}

static void
spoil_page_block (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_ram_start (image);
    bytes_put_section (image, 0x02, 2, NULL);
    bytes_put_page (image, 0 | 0x08, "other", BYTES_PAGE);
}

static void
spoil_name (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    bytes_put_section (image, 0x01, 2, "\x1b[2J");
}

static void
spoil_started (GByteArray *image)
{
    bytes_put_begin (image, "pc");
    for (unsigned id = 1; id < 1000; id++) {
        bytes_put_section (image, 0x01, id, "dirty-bitmap");
        bytes_put_footer (image, id);
    }
}

static void
test_stream_nonsense (void)
{
    static const Spoil spoils[] = {
        spoil_version,   spoil_machine_length, spoil_page_bits, spoil_capabilities,
        spoil_kind,      spoil_unknown_id,     spoil_footer,    spoil_block_size,
        spoil_page_kind, spoil_page_block,     spoil_name,      spoil_block_count,
        spoil_started,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (spoils); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_test_message ("%u", i);
        spoils[i](bytes);
        bytes_check_state (bytes, IOH_IMAGE_DAMAGED);
    }
}

/* A length that is told decides how much is passed over, and nothing else. */
static void
test_stream_long_lengths (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    bytes_put_begin (bytes, "pc");
    bytes_put_ram_start (bytes);
    bytes_put_section (bytes, 0x02, 2, NULL);
    bytes_put_page (bytes, 0 | 0x100, "vga", 0);
    bytes_put_number (bytes, UINT32_MAX, 4);
    bytes_check_state (bytes, IOH_IMAGE_TRUNCATED);

    g_byte_array_set_size (bytes, 0);
    bytes_put_begin (bytes, "pc");
    bytes_put_number (bytes, 0, 1);
    bytes_put_number (bytes, 0x06, 1);
    bytes_put_number (bytes, UINT32_MAX, 4);
    bytes_put (bytes, "{", 1);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_TRUNCATED);
    g_assert_cmpuint (image->verdict.missing, ==, UINT32_MAX - 1);
}

/* A description that nests deep, by itself and behind what hides it, is not parsed. */
static void
test_stream_deep_description (void)
{
    static const char *const begins[] = {"{\"devices\":", "{/*\"*/\"devices\":", "{'\"':"};

    for (unsigned i = 0; i < G_N_ELEMENTS (begins); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autoptr (GString) text = g_string_new (begins[i]);
        for (unsigned n = 0; n < 1000000; n++)
            g_string_append_c (text, '[');
        g_string_append_c (text, '}');
        bytes_put_begin (bytes, "pc");
        bytes_put_number (bytes, 0, 1);
        bytes_put_number (bytes, 0x06, 1);
        bytes_put_number (bytes, text->len, 4);
        bytes_put (bytes, text->str, text->len);
        bytes_check_state (bytes, IOH_IMAGE_DAMAGED);
    }
}

/* Another page size, a machine without one of the pages it tells about, capabilities. */
static void
test_stream_configuration (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    bytes_put_begin (bytes, "virt-7.2");
    bytes_put_number (bytes, 0x05, 1);
    bytes_put_name (bytes, "configuration/target-page-bits");
    bytes_put_number (bytes, 1, 4);
    bytes_put_number (bytes, 16, 4);
    bytes_put_number (bytes, 0x05, 1);
    bytes_put_name (bytes, "configuration/capabilities");
    bytes_put_number (bytes, 1, 4);
    bytes_put_number (bytes, 1, 4);
    bytes_put_name (bytes, "x-ignore-shared");
    bytes_put_number (bytes, 0x05, 1);
    bytes_put_name (bytes, "configuration/uuid");
    bytes_put_number (bytes, 1, 4);
    bytes_put (bytes, "0123456789abcdef", 16);
    bytes_put_section (bytes, 0x01, 2, "ram");
    bytes_put_number (bytes, 65536 | 0x04, 8);
    bytes_put_name (bytes, "mach-virt.ram");
    bytes_put_number (bytes, 65536, 8);
    bytes_put_number (bytes, 0x40000000, 8);
    bytes_put_number (bytes, 0x10, 8);
    bytes_put_footer (bytes, 2);
    bytes_put_section (bytes, 0x03, 2, NULL);
    bytes_put_page (bytes, 0x08, "mach-virt.ram", 65536);
    bytes_put_number (bytes, 0x10, 8);
    bytes_put_footer (bytes, 2);
    bytes_put_number (bytes, 0, 1);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_cmpuint (image->qemu->page_bytes, ==, 65536);
    g_assert_cmpuint (image->qemu->end, ==, bytes->len);
}

/* Old machine types have neither configuration nor footers: the memory can be walked, no more. */
static void
test_stream_without_footers (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    bytes_put_begin (bytes, NULL);
    bytes_put_ram_start (bytes);
    g_byte_array_set_size (bytes, bytes->len - 5);
    bytes_put_section (bytes, 0x04, 3, "timer");
    bytes_put (bytes, "state", 6);
    bytes_check_state (bytes, IOH_IMAGE_UNKNOWN);
}

static void
test_stream_mapped_ram (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    bytes_put_begin (bytes, "pc");
    bytes_put_number (bytes, 0x05, 1);
    bytes_put_name (bytes, "configuration/capabilities");
    bytes_put_number (bytes, 1, 4);
    bytes_put_number (bytes, 1, 4);
    bytes_put_name (bytes, "mapped-ram");
    bytes_put_section (bytes, 0x01, 2, "ram");
    bytes_put (bytes, "anything", 8);
    bytes_check_state (bytes, IOH_IMAGE_UNKNOWN);
    bytes_put_number (bytes, 0, 1);
    bytes_put_description (bytes);
    bytes_check_state (bytes, IOH_IMAGE_COMPLETE);
}

/* However long the memory, with the end where it should be next to nothing is read. */
static void
test_stream_huge (void)
{
    const uint64_t end = UINT64_C (1) << 42;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GByteArray) tail = g_byte_array_new ();
    g_autoptr (GError) error = NULL;

    bytes_put_begin (bytes, "pc");
    bytes_put_ram_start (bytes);
    bytes_put_number (tail, 0, 1);
    bytes_put_description (tail);
    int fd = bytes_fd (bytes, UINT64_MAX);
    g_assert_cmpint (pwrite (fd, tail->data, tail->len, (off_t) (end - tail->len)), ==, tail->len);
    fault_count_anew ();
    g_autoptr (IohImage) image = ioh_image_look (fd, "x", 0, end, &error);
    g_assert_no_error (error);
    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_cmpuint (fault_calls (SYS_PREAD), <, 20);
    close (fd);
}

/* An image that cannot be read is not taken for one that has ended. */
static void
test_read_error (void)
{
    g_autoptr (GByteArray) bytes = bytes_new_stream (FALSE);
    int fd = bytes_fd (bytes, UINT64_MAX);

    for (unsigned nth = 1;; nth++) {
        const Fault fault = {SYS_PREAD, nth, nth, FAULT_INSTEAD, -EIO, 0};
        g_autoptr (GError) error = NULL;
        fault_arm (&fault);
        g_autoptr (IohImage) image = ioh_image_look (fd, "x", 0, bytes->len, &error);
        if (!fault_disarm ()) {
            g_assert_cmpuint (nth, >, 3);
            break;
        }
        g_assert_null (image);
        g_assert_error (error, IOH_ERROR, IOH_EXIT_FILE);
        g_assert_cmpint (ioh_error_details (error)->error_number, ==, EIO);
    }
    close (fd);
}

/* Reads may be as short as they like. */
static void
test_short_reads (void)
{
    const Fault fault = {SYS_PREAD, 1, FAULT_FOR_EVER, FAULT_SHORT, 0, 512};
    g_autoptr (GByteArray) bytes = bytes_new_stream (FALSE);

    fault_arm (&fault);
    bytes_check_state (bytes, IOH_IMAGE_COMPLETE);
    g_assert_true (fault_disarm ());
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/image-qemu/described", test_stream_described);
    g_test_add_func ("/image-qemu/walked", test_stream_walked);
    g_test_add_func ("/image-qemu/then-old-data", test_stream_then_old_data);
    g_test_add_func ("/image-qemu/cut-anywhere", test_stream_cut_anywhere);
    g_test_add_func ("/image-qemu/cut-then-filled", test_stream_cut_then_filled);
    g_test_add_func ("/image-qemu/nonsense", test_stream_nonsense);
    g_test_add_func ("/image-qemu/long-lengths", test_stream_long_lengths);
    g_test_add_func ("/image-qemu/deep-description", test_stream_deep_description);
    g_test_add_func ("/image-qemu/configuration", test_stream_configuration);
    g_test_add_func ("/image-qemu/without-footers", test_stream_without_footers);
    g_test_add_func ("/image-qemu/mapped-ram", test_stream_mapped_ram);
    g_test_add_func ("/image-qemu/huge", test_stream_huge);
    g_test_add_func ("/image-qemu/read-error", test_read_error);
    g_test_add_func ("/image-qemu/short-reads", test_short_reads);
    return g_test_run ();
}
