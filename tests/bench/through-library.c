/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * through-library VERB FILE REPORT [PROPERTY=WORD...]
 *
 * One transfer through libiohelper, for the comparison: the stream that the library makes goes to
 * whoever holds the other end of standard input, a unix socket, and the report to REPORT.
 */
#include <gio/gunixfdmessage.h>
#include <libiohelper.h>
#include <unistd.h>

/* TEXT is a property that is an enumeration or a size, and its value. */
static gboolean
set_word (IohTransfer *transfer, const char *text)
{
    g_auto (GStrv) pair = g_strsplit (text, "=", 2);

    if (g_strv_length (pair) != 2)
        return FALSE;
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (transfer), pair[0]);
    if (spec != NULL && G_IS_PARAM_SPEC_UINT64 (spec)) {
        g_object_set (transfer, pair[0], g_ascii_strtoull (pair[1], NULL, 10), NULL);
        return TRUE;
    }
    if (spec == NULL || !G_IS_PARAM_SPEC_ENUM (spec))
        return FALSE;
    const GEnumValue *value =
        g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, pair[1]);
    if (value == NULL)
        return FALSE;
    g_object_set (transfer, pair[0], value->value, NULL);
    return TRUE;
}

/* Hands FD over; our copy is closed. */
static gboolean
give_away (int fd, GError **error)
{
    g_autoptr (GSocket) socket = g_socket_new_from_fd (dup (STDIN_FILENO), error);
    g_autoptr (GSocketControlMessage) message = g_unix_fd_message_new ();
    GOutputVector vector = {"s", 1};
    gboolean given =
        socket != NULL && g_unix_fd_message_append_fd (G_UNIX_FD_MESSAGE (message), fd, error) &&
        g_socket_send_message (socket, NULL, &vector, 1, &message, 1, 0, NULL, error) == 1;

    close (fd);
    return given;
}

static gboolean
run (IohTransfer *transfer, const char *report, GError **error)
{
    int fd = ioh_transfer_start (transfer, error);

    if (fd < 0 || !give_away (fd, error))
        return FALSE;
    /* the comparison itself sees whether the hypervisor has succeeded */
    if (!ioh_transfer_finish (transfer, NULL, error))
        return FALSE;
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    return g_file_set_contents (report, ioh_transfer_result_get_report (result), -1, error);
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;

    if (argc < 4) {
        g_printerr ("usage: through-library VERB FILE REPORT [PROPERTY=WORD...]\n");
        return 2;
    }
    g_autoptr (IohTransfer) transfer = g_str_equal (argv[1], "save")
                                           ? ioh_transfer_new_save (argv[2])
                                           : ioh_transfer_new_restore (argv[2]);
    for (int i = 4; i < argc; i++) {
        if (!set_word (transfer, argv[i])) {
            g_printerr ("through-library: %s: no such property or word\n", argv[i]);
            return 2;
        }
    }
    if (run (transfer, argv[3], &error))
        return 0;
    g_printerr ("through-library: %s\n", error->message);
    return 1;
}
