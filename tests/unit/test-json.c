/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-json - what is printed is what was given: whole numbers and strings as they are, fractions
 * as people write them.
 */
#include "json.h"

static void
check_number (double value, const char *wanted)
{
    g_autoptr (JsonBuilder) builder = json_builder_new ();

    json_builder_begin_array (builder);
    json_builder_add_double_value (builder, value);
    json_builder_end_array (builder);
    g_autofree char *text = ioh_json_print (builder);
    g_autofree char *expected = g_strdup_printf ("[\n  %s\n]\n", wanted);
    g_assert_cmpstr (text, ==, expected);
}

static void
test_fractions (void)
{
    check_number (0.056253, "0.056253");
    check_number (0.1, "0.1");
    check_number (1.0, "1.0");
    check_number (0.0, "0.0");
    check_number (100.25, "100.25");
    check_number (-1.5, "-1.5");
    check_number (0.0000004, "0.0");
    check_number (1234567.654321, "1234567.654321");
}

static void
test_untouched (void)
{
    static const char *const strings[] = {
        "",         "0.0562529999999", "\"0.0562529999999\"", "\\", "\\\"", "a\nb 1.00000001",
        "\xc3\xbc", "-1.23456789\\"};
    g_autoptr (JsonBuilder) builder = json_builder_new ();
    g_autoptr (JsonParser) parser = json_parser_new ();
    g_autoptr (GError) error = NULL;

    json_builder_begin_array (builder);
    for (unsigned i = 0; i < G_N_ELEMENTS (strings); i++)
        json_builder_add_string_value (builder, strings[i]);
    json_builder_add_int_value (builder, G_MAXINT64);
    json_builder_add_int_value (builder, G_MININT64);
    json_builder_add_boolean_value (builder, TRUE);
    json_builder_end_array (builder);
    g_autofree char *text = ioh_json_print (builder);
    json_parser_load_from_data (parser, text, -1, &error);
    g_assert_no_error (error);
    JsonArray *array = json_node_get_array (json_parser_get_root (parser));
    unsigned count = G_N_ELEMENTS (strings);
    for (unsigned i = 0; i < count; i++)
        g_assert_cmpstr (json_array_get_string_element (array, i), ==, strings[i]);
    g_assert_cmpint (json_array_get_int_element (array, count), ==, G_MAXINT64);
    g_assert_cmpint (json_array_get_int_element (array, count + 1), ==, G_MININT64);
    g_assert_true (json_array_get_boolean_element (array, count + 2));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/json/fractions", test_fractions);
    g_test_add_func ("/json/untouched", test_untouched);
    return g_test_run ();
}
