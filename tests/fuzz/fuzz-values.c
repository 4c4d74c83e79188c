/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz-values - what is read as a size and as an address.
 */
#include <string.h>
#include <sys/un.h>

#include "address.h"
#include "error.h"
#include "fuzz.h"
#include "size.h"

static void
fuzz_size (const char *text)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GError) again = NULL;
    uint64_t bytes = 42;
    uint64_t same = 0;

    if (!ioh_size_parse (IOH_OPTION_OFFSET, text, &bytes, &error)) {
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        g_assert_cmpuint (bytes, ==, 42);
        return;
    }
    /* as plain bytes it is the same size */
    g_autofree char *plain = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) bytes);
    g_assert_cmpuint (bytes, <=, INT64_MAX);
    g_assert_true (ioh_size_parse (IOH_OPTION_OFFSET, plain, &same, &again));
    g_assert_cmpuint (same, ==, bytes);
}

static void
fuzz_address (const char *text)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (IohAddress) address = ioh_address_parse (IOH_OPTION_LISTEN, text, &error);

    if (address == NULL) {
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        return;
    }
    g_assert_cmpstr (address->text, ==, text);
    if (address->kind == IOH_ADDRESS_UNIX) {
        g_assert_cmpuint (strlen (address->name), >, 0);
        g_assert_cmpuint (strlen (address->name), <, sizeof ((struct sockaddr_un *) 0)->sun_path);
    } else if (address->kind == IOH_ADDRESS_TCP) {
        g_assert_nonnull (address->name);
        g_assert_cmpuint (strlen (address->port), >, 0);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t length)
{
    g_autofree char *text = g_strndup ((const char *) data, length);

    fuzz_size (text);
    fuzz_address (text);
    return 0;
}
