/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-buffers - memory for data: aligned, zeroed, and told about when there is none.
 */
#include <stdint.h>

#include "buffers.h"
#include "error.h"

static void
test_aligned (void)
{
    for (size_t align = 512; align <= 2097152; align *= 2) {
        g_autoptr (GError) error = NULL;
        char *buffer = ioh_buffer_new (10000, align, &error);
        g_assert_no_error (error);
        g_assert_cmpuint ((uintptr_t) buffer % align, ==, 0);
        g_assert_cmpint (buffer[0], ==, 0);
        g_assert_cmpint (buffer[9999], ==, 0);
        buffer[0] = buffer[9999] = 1;
        ioh_buffer_free (buffer, 10000);
    }
}

static void
test_none (void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2, SIZE_MAX / 4};

    for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
        g_autoptr (GError) error = NULL;
        g_assert_null (ioh_buffer_new (sizes[i], 4096, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_INTERNAL);
    }
}

static void
test_free_nothing (void)
{
    ioh_buffer_free (NULL, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/buffers/aligned", test_aligned);
    g_test_add_func ("/buffers/none", test_none);
    g_test_add_func ("/buffers/free-nothing", test_free_nothing);
    return g_test_run ();
}
