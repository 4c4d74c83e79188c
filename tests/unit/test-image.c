/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-image - what an image is taken for, and the header that libvirt puts in front.
 */
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "image-bytes.h"

static const char xml[] = "<?xml version='1.0'?>\n<!-- <name>no</name> -->\n<domain type='kvm'>"
                          "<metadata><name>wrong</name></metadata>"
                          "<name>A &amp; B</name><name>late</name></domain>";

static void
test_libvirt (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GByteArray) stream = bytes_new_stream (TRUE);
    g_autoptr (GError) error = NULL;
    uint64_t offset = 0;

    bytes_put_libvirt (bytes, "LibvirtQemudSave", xml, 0, 5000);
    bytes_put (bytes, stream->data, stream->len);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_cmpstr (image->libvirt->domain, ==, "A & B");
    g_assert_true (image->libvirt->complete);
    g_assert_true (image->libvirt->was_running);
    g_assert_false (image->libvirt->swapped);
    g_assert_cmpstr (ioh_libvirt_header_format (image->libvirt), ==, "raw");
    g_assert_cmpuint (image->stream_offset, ==, 5092);
    g_assert_cmpuint (image->qemu->end, ==, bytes->len);
    int fd = bytes_fd (bytes, UINT64_MAX);
    g_assert_true (ioh_image_find_stream (fd, "x", 0, bytes->len, &offset, &error));
    g_assert_cmpuint (offset, ==, 5092);
    close (fd);
}

static void
test_libvirt_swapped (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autoptr (GByteArray) stream = bytes_new_stream (TRUE);

    bytes_put_libvirt (bytes, "LibvirtQemudSave", xml, 0, 500);
    for (unsigned i = 16; i < 92; i += 4) {
        uint32_t word = 0;
        memcpy (&word, bytes->data + i, sizeof word);
        word = GUINT32_SWAP_LE_BE (word);
        memcpy (bytes->data + i, &word, sizeof word);
    }
    bytes_put (bytes, stream->data, stream->len);
    g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
    g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_COMPLETE);
    g_assert_true (image->libvirt->swapped);
    g_assert_cmpuint (image->libvirt->version, ==, 2);
    g_assert_cmpuint (image->stream_offset, ==, 592);
}

static void
test_libvirt_cut_anywhere (void)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    bytes_put_libvirt (bytes, "LibvirtQemudSave", xml, 0, 400);
    bytes_put (bytes, "QEVM", 4);
    for (guint length = 16; length <= bytes->len; length++) {
        g_autoptr (IohImage) image = bytes_look (bytes, length);
        g_test_message ("%u", length);
        if (length < 493 || length == bytes->len)
            g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_TRUNCATED);
        else
            g_assert_true (ioh_image_is_bad (image));
        if (length >= 92 && length < 493)
            g_assert_cmpuint (image->verdict.missing, ==, 493 - length);
    }
}

/* One word of the header changed: which one, to what, and what that is. */
static void
test_libvirt_nonsense (void)
{
    static const struct {
        unsigned word;
        uint32_t value;
        IohImageState state;
    } table[] = {
        {0, 0, IOH_IMAGE_DAMAGED},
        {0, 3, IOH_IMAGE_DAMAGED},
        {0, UINT32_MAX, IOH_IMAGE_DAMAGED},
        {1, 0, IOH_IMAGE_DAMAGED},
        {1, UINT32_MAX, IOH_IMAGE_TRUNCATED},
        {1, 399, IOH_IMAGE_DAMAGED},
        {3, 3, IOH_IMAGE_DAMAGED},
        {3, 6, IOH_IMAGE_COMPLETE},
        {3, 7, IOH_IMAGE_COMPLETE},
        {3, UINT32_MAX, IOH_IMAGE_COMPLETE},
        {4, 400, IOH_IMAGE_DAMAGED},
        {4, UINT32_MAX, IOH_IMAGE_DAMAGED},
        {4, 399, IOH_IMAGE_COMPLETE},
    };
    g_autoptr (GByteArray) stream = bytes_new_stream (TRUE);

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_test_message ("word %u is %u", table[i].word, table[i].value);
        bytes_put_libvirt (bytes, "LibvirtQemudSave", xml, 0, 400);
        memcpy (bytes->data + 16 + 4 * table[i].word, &table[i].value, 4);
        bytes_put (bytes, stream->data, stream->len);
        bytes_check_state (bytes, table[i].state);
    }
}

static void
test_libvirt_names (void)
{
    static const struct {
        const char *xml;
        const char *name;
    } table[] = {
        {"<domain><name>x</name>", "x"},
        {"<domain><name/>", ""},
        {"<domain><name>x", NULL},
        {"<domain><uuid>x</uuid></domain>", NULL},
        {"<domain><name>\xff</name></domain>", NULL},
        {"not at all", NULL},
        {"", NULL},
        {"<domain><os><name>x</name></os></domain>", NULL},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        bytes_put_libvirt (bytes, "LibvirtQemudSave", table[i].xml, 0, 400);
        g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
        g_assert_cmpstr (image->libvirt->domain, ==, table[i].name);
    }
}

/* The name may be as far into the XML as it likes, across the pieces it is read in. */
static void
test_libvirt_long_xml (void)
{
    for (unsigned before = 4080; before < 4100; before++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autofree char *comment = g_strnfill (before - 7, ' ');
        g_autofree char *text = g_strdup_printf ("<!--%s--><domain><name>far</name>", comment);
        bytes_put_libvirt (bytes, "LibvirtQemudSave", text, 0, 5000);
        g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
        g_assert_cmpstr (image->libvirt->domain, ==, "far");
    }
}

/* What a compressed stream begins with, by the number of its format. */
static const struct {
    const char *name;
    const char *magic;
    size_t length;
} compressed[] = {
    {"raw", NULL, 0},
    {"gzip", "\x1f\x8b\x08", 3},
    {"bzip2", "BZh91AY", 7},
    {"xz",
     "\xfd"
     "7zXZ\0\0\4",
     8},
    {"lzop", "\x89LZO\0\r\n\x1a\n\x10", 10},
    {"zstd", "\x28\xb5\x2f\xfd\x04", 5},
};

static void
test_libvirt_compressed (void)
{
    for (unsigned format = 1; format < G_N_ELEMENTS (compressed); format++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autoptr (GError) error = NULL;
        uint64_t offset = 0;
        bytes_put_libvirt (bytes, "LibvirtQemudSave", xml, format, 400);
        bytes_put (bytes, compressed[format].magic, compressed[format].length);
        g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
        g_assert_cmpint (image->verdict.state, ==, IOH_IMAGE_UNKNOWN);
        g_assert_cmpstr (image->format->name, ==, compressed[format].name);
        int fd = bytes_fd (bytes, UINT64_MAX);
        g_assert_false (ioh_image_find_stream (fd, "x", 0, bytes->len, &offset, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_IMAGE);
        g_assert_nonnull (strstr (error->message, compressed[format].name));
        close (fd);
        bytes->data[492] ^= 1; /* the first of the stream */
        bytes_check_state (bytes, IOH_IMAGE_DAMAGED);
    }
}

static void
test_other_kinds (void)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *kind;
        IohImageState state;
    } table[] = {
        {"", 0, "empty", IOH_IMAGE_TRUNCATED},
        {"Q", 1, "data", IOH_IMAGE_UNKNOWN},
        {"QEV", 3, "data", IOH_IMAGE_UNKNOWN},
        {"hello", 5, "data", IOH_IMAGE_UNKNOWN},
        {"\x7f"
         "ELF\2\1",
         6, "elf", IOH_IMAGE_UNKNOWN},
        {"KDUMP   ", 8, "kdump", IOH_IMAGE_UNKNOWN},
        {"LZIP\1", 5, "lzip", IOH_IMAGE_UNKNOWN},
        {"\x04\x22\x4d\x18", 4, "lz4", IOH_IMAGE_UNKNOWN},
        {"LibvirtQemudSav", 15, "data", IOH_IMAGE_UNKNOWN},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        bytes_put (bytes, table[i].bytes, table[i].length);
        g_autoptr (IohImage) image = bytes_look (bytes, UINT64_MAX);
        g_assert_cmpstr (image->format->name, ==, table[i].kind);
        g_assert_cmpint (image->verdict.state, ==, table[i].state);
    }
}

/* Why a restore cannot skip the header. */
static void
test_no_stream_found (void)
{
    static const struct {
        const char *magic;
        unsigned format;
        const char *stream;
        const char *message;
    } table[] = {
        {"LibvirtQemudPart", 0, "QEVM", "libvirt has not marked it complete"},
        {"LibvirtQemudSave", 0, "", "it ends before the stream begins"},
        {"LibvirtQemudSave", 0, "else", "the stream is not what its libvirt header says"},
        {"LibvirtQemudSave", 6, "QEVM", "its format (sparse) is not that of a stream"},
        {"LibvirtQemudSave", 9, "QEVM", "its format (unknown) is not that of a stream"},
        {"LibvirtSomething", 0, "QEVM", "it is no libvirt save image"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();
        g_autoptr (GError) error = NULL;
        uint64_t offset = 42;
        bytes_put_libvirt (bytes, table[i].magic, xml, table[i].format, 400);
        bytes_put (bytes, table[i].stream, strlen (table[i].stream));
        int fd = bytes_fd (bytes, UINT64_MAX);
        g_assert_false (ioh_image_find_stream (fd, "x", 0, bytes->len, &offset, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_IMAGE);
        g_assert_true (g_str_has_suffix (error->message, table[i].message));
        g_assert_cmpuint (offset, ==, 42);
        close (fd);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/image/libvirt/whole", test_libvirt);
    g_test_add_func ("/image/libvirt/swapped", test_libvirt_swapped);
    g_test_add_func ("/image/libvirt/cut-anywhere", test_libvirt_cut_anywhere);
    g_test_add_func ("/image/libvirt/nonsense", test_libvirt_nonsense);
    g_test_add_func ("/image/libvirt/names", test_libvirt_names);
    g_test_add_func ("/image/libvirt/long-xml", test_libvirt_long_xml);
    g_test_add_func ("/image/libvirt/compressed", test_libvirt_compressed);
    g_test_add_func ("/image/other-kinds", test_other_kinds);
    g_test_add_func ("/image/no-stream-found", test_no_stream_found);
    return g_test_run ();
}
