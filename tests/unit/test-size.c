/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-size - amounts of bytes as people write them, and as they should not.
 */
#include "error.h"
#include "size.h"

static void
test_accepted (void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } table[] = {
        {"0", 0},
        {"1", 1},
        {"007", 7},
        {"65536", 65536},
        {"1K", 1024},
        {"1k", 1024},
        {"64K", 65536},
        {"64KiB", 65536},
        {"64kiB", 65536},
        {"1M", 1048576},
        {"1MiB", 1048576},
        {"3G", UINT64_C (3) << 30},
        {"1T", UINT64_C (1) << 40},
        {"1P", UINT64_C (1) << 50},
        {"7E", UINT64_C (7) << 60},
        {"9223372036854775807", INT64_MAX},
        {"9007199254740991K", INT64_MAX - 1023},
        {"0E", 0},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GError) error = NULL;
        uint64_t bytes = 42;
        g_test_message ("%s", table[i].text);
        g_assert_true (ioh_size_parse ("offset", table[i].text, &bytes, &error));
        g_assert_no_error (error);
        g_assert_cmpuint (bytes, ==, table[i].bytes);
    }
}

static void
test_refused (void)
{
    static const struct {
        const char *text;
        const char *message;
    } table[] = {
        {"", "--offset: '' is not a size"},
        {" 1", "--offset: ' 1' is not a size"},
        {"+1", "--offset: '+1' is not a size"},
        {"K", "--offset: 'K' is not a size"},
        {"abc", "--offset: 'abc' is not a size"},
        {"-1", "--offset: '-1' is negative"},
        {"-0", "--offset: '-0' is negative"},
        {"-1K", "--offset: '-1K' is negative"},
        {"1.5M", "--offset: '1.5M' has a fraction; give whole bytes, K, M ..."},
        {"1,5M", "--offset: '1,5M' has a fraction; give whole bytes, K, M ..."},
        {"1.", "--offset: '1.' has a fraction; give whole bytes, K, M ..."},
        {"1X", "--offset: '1X' has the unknown suffix 'X'"},
        {"1 K", "--offset: '1 K' has the unknown suffix ' K'"},
        {"1KB", "--offset: '1KB' has the unknown suffix 'KB'"},
        {"1Kib", "--offset: '1Kib' has the unknown suffix 'Kib'"},
        {"1KiBs", "--offset: '1KiBs' has the unknown suffix 'KiBs'"},
        {"0x10", "--offset: '0x10' has the unknown suffix 'x10'"},
        {"1e3", "--offset: '1e3' has the unknown suffix 'e3'"},
        {"9223372036854775808", "--offset: '9223372036854775808' is too large"},
        {"9007199254740992K", "--offset: '9007199254740992K' is too large"},
        {"8E", "--offset: '8E' is too large"},
        {"18446744073709551616", "--offset: '18446744073709551616' is too large"},
        {"99999999999999999999999M", "--offset: '99999999999999999999999M' is too large"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autoptr (GError) error = NULL;
        uint64_t bytes = 42;
        g_assert_false (ioh_size_parse ("offset", table[i].text, &bytes, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        g_assert_cmpstr (error->message, ==, table[i].message);
        g_assert_cmpuint (bytes, ==, 42);
    }
}

/* The exact number only where it tells more. */
static void
test_exact (void)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } table[] = {
        {0, "0 bytes"},
        {1, "1 byte"},
        {1023, "1023 bytes"},
        {1024, "1.0 KiB (1024 bytes)"},
        {(uint64_t) 5 << 30, "5.0 GiB (5368709120 bytes)"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
        g_autofree char *text = ioh_size_format_exact (table[i].bytes);
        g_assert_cmpstr (text, ==, table[i].text);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/size/accepted", test_accepted);
    g_test_add_func ("/size/refused", test_refused);
    g_test_add_func ("/size/exact", test_exact);
    return g_test_run ();
}
