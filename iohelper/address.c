/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * address - reads where a stream is met.
 *
 * Owns the spelling of addresses. Looks nothing up: whether a host exists is found out when it is
 * wanted.
 */
#include "address.h"

#include <string.h>
#include <sys/un.h>

#include "error.h"
#include "i18n.h"

gboolean
ioh_address_has_path (const IohAddress *address)
{
    return address != NULL && address->kind == IOH_ADDRESS_UNIX && !address->hidden;
}

void
ioh_address_free (IohAddress *address)
{
    if (address == NULL)
        return;
    g_free (address->text);
    g_free (address->name);
    g_free (address->port);
    g_free (address);
}

static gboolean
address_take_unix (IohAddress *address, const char *option, const char *rest, GError **error)
{
    address->kind = IOH_ADDRESS_UNIX;
    address->hidden = rest[0] == '@';
    address->name = g_strdup (address->hidden ? rest + 1 : rest);
    if (address->name[0] == '\0')
        return ioh_error_usage (error, _ ("--%s: '%s' names no path"), option, address->text);
    if (strlen (rest) >= sizeof ((struct sockaddr_un *) 0)->sun_path)
        return ioh_error_usage (error,
                                _ ("--%s: the path of '%s' is longer than a socket may have"),
                                option, address->text);
    return TRUE;
}

static gboolean
address_take_tcp (IohAddress *address, const char *option, const char *rest, GError **error)
{
    const char *colon = strrchr (rest, ':');
    const char *end = colon;

    address->kind = IOH_ADDRESS_TCP;
    if (colon == NULL || colon[1] == '\0')
        return ioh_error_usage (error, _ ("--%s: '%s' has no port"), option, address->text);
    if (rest[0] == '[') {
        if (colon == rest || colon[-1] != ']')
            return ioh_error_usage (error, _ ("--%s: the bracket of '%s' is not closed"), option,
                                    address->text);
        rest++;
        end--;
    }
    address->name = g_strndup (rest, (gsize) (end - rest));
    address->port = g_strdup (colon + 1);
    guint64 number = 0;
    if (g_ascii_isdigit (address->port[0]) &&
        !g_ascii_string_to_unsigned (address->port, 10, 1, G_MAXUINT16, &number, NULL))
        return ioh_error_usage (error, _ ("--%s: the port of '%s' is not between 1 and %d"), option,
                                address->text, G_MAXUINT16);
    if (end == colon && strchr (address->name, ':') != NULL)
        return ioh_error_usage (error, _ ("--%s: write the IPv6 host of '%s' in brackets"), option,
                                address->text);
    return TRUE;
}

static gboolean
address_take_vsock (IohAddress *address, const char *option, const char *rest, GError **error)
{
    g_auto (GStrv) parts = g_strsplit (rest, ":", -1);
    guint64 cid = 0;
    guint64 port = 0;

    address->kind = IOH_ADDRESS_VSOCK;
    if (g_strv_length (parts) != 2 ||
        !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT32, &cid, NULL) ||
        !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXUINT32, &port, NULL))
        return ioh_error_usage (error, _ ("--%s: '%s' is not vsock:CID:PORT, both numbers"), option,
                                address->text);
    address->cid = (uint32_t) cid;
    address->number = (uint32_t) port;
    return TRUE;
}

IohAddress *
ioh_address_parse (const char *option, const char *text, GError **error)
{
    g_autoptr (IohAddress) address = g_new0 (IohAddress, 1);
    gboolean taken;

    address->text = g_strdup (text);
    if (g_str_has_prefix (text, "unix:"))
        taken = address_take_unix (address, option, text + strlen ("unix:"), error);
    else if (g_str_has_prefix (text, "tcp:"))
        taken = address_take_tcp (address, option, text + strlen ("tcp:"), error);
    else if (g_str_has_prefix (text, "vsock:"))
        taken = address_take_vsock (address, option, text + strlen ("vsock:"), error);
    else
        taken = ioh_error_usage (
            error, _ ("--%s: '%s' is none of unix:PATH, unix:@NAME, tcp:HOST:PORT, vsock:CID:PORT"),
            option, text);
    return taken ? g_steal_pointer (&address) : NULL;
}
