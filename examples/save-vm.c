/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * save-vm IMAGE: a small manager. It starts a virtual machine, saves it to IMAGE, ends it, starts
 * another one and resumes it from IMAGE.
 *
 * cc save-vm.c $(pkg-config --cflags --libs libiohelper gio-unix-2.0 json-glib-1.0) -o save-vm
 */
#include <errno.h>
#include <gio/gunixfdmessage.h>
#include <json-glib/json-glib.h>
#include <libiohelper.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A QEMU process and its monitor. */
typedef struct {
    GSubprocess *process;
    GSocket *monitor;
    GDataInputStream *answers;
    char *migration; /* the last status that it told of */
} Vm;

static void
vm_free (Vm *vm)
{
    if (vm->process != NULL)
        g_subprocess_force_exit (vm->process);
    g_clear_object (&vm->process);
    g_clear_object (&vm->monitor);
    g_clear_object (&vm->answers);
    g_free (vm->migration);
    g_free (vm);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Vm, vm_free)

/* The next thing that QEMU says. Events come at any time, also before an answer. */
static JsonNode *
vm_listen (Vm *vm, GError **error)
{
    g_autofree char *line = g_data_input_stream_read_line (vm->answers, NULL, NULL, error);
    JsonNode *node = line != NULL ? json_from_string (line, error) : NULL;

    if (line == NULL && *error == NULL)
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "QEMU has gone");
    if (node == NULL)
        return NULL;
    JsonObject *said = json_node_get_object (node);
    if (g_str_equal (json_object_get_string_member_with_default (said, "event", ""), "MIGRATION")) {
        JsonObject *data = json_object_get_object_member (said, "data");
        g_free (vm->migration);
        vm->migration = g_strdup (json_object_get_string_member (data, "status"));
    }
    return node;
}

/* Sends a command, and FD with it unless that is -1, and waits until QEMU has done it. */
static gboolean
vm_execute (Vm *vm, const char *command, const char *arguments, int fd, GError **error)
{
    g_autofree char *text =
        g_strdup_printf ("{\"execute\":\"%s\",\"arguments\":%s}\n", command, arguments);
    g_autoptr (GSocketControlMessage) message = g_unix_fd_message_new ();
    GOutputVector vector = {text, strlen (text)};

    if (fd >= 0 && !g_unix_fd_message_append_fd (G_UNIX_FD_MESSAGE (message), fd, error))
        return FALSE;
    if (g_socket_send_message (vm->monitor, NULL, &vector, 1, &message, fd >= 0 ? 1 : 0, 0, NULL,
                               error) < 0)
        return FALSE;
    for (;;) {
        g_autoptr (JsonNode) node = vm_listen (vm, error);
        if (node == NULL)
            return FALSE;
        JsonObject *answer = json_node_get_object (node);
        if (json_object_has_member (answer, "return"))
            return TRUE;
        if (json_object_has_member (answer, "error")) {
            JsonObject *why = json_object_get_object_member (answer, "error");
            g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: %s", command,
                         json_object_get_string_member (why, "desc"));
            return FALSE;
        }
    }
}

static gboolean
vm_await_migration (Vm *vm, GError **error)
{
    while (g_strcmp0 (vm->migration, "completed") != 0) {
        g_autoptr (JsonNode) node = vm_listen (vm, error);
        if (node == NULL)
            return FALSE;
        if (g_strcmp0 (vm->migration, "failed") == 0) {
            g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the migration has failed");
            return FALSE;
        }
    }
    return TRUE;
}

/* Runs in the child: a machine nobody can reach any more must not stay behind. */
static void
vm_die_with_us (gpointer data)
{
    prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static Vm *
vm_start (gboolean incoming, GError **error)
{
    const char *const argv[] = {"qemu-system-x86_64",
                                "-nodefaults",
                                "-display",
                                "none",
                                "-machine",
                                "pc,accel=kvm:tcg",
                                "-m",
                                "256M",
                                "-chardev",
                                "socket,id=monitor,fd=3",
                                "-mon",
                                "chardev=monitor,mode=control",
                                incoming ? "-incoming" : NULL,
                                "defer",
                                NULL};
    g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (0);
    g_autoptr (Vm) vm = g_new0 (Vm, 1);
    int fds[2];

    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno), g_strerror (errno));
        return NULL;
    }
    g_subprocess_launcher_take_fd (launcher, fds[1], 3);
    g_subprocess_launcher_set_child_setup (launcher, vm_die_with_us, NULL, NULL);
    vm->monitor = g_socket_new_from_fd (fds[0], NULL);
    g_autoptr (GSocketConnection) connection =
        g_socket_connection_factory_create_connection (vm->monitor);
    vm->answers = g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
    g_object_set_data_full (G_OBJECT (vm->answers), "connection", g_object_ref (connection),
                            g_object_unref);
    vm->process = g_subprocess_launcher_spawnv (launcher, argv, error);
    g_clear_object (&launcher);
    if (vm->process == NULL || !vm_execute (vm, "qmp_capabilities", "{}", -1, error) ||
        !vm_execute (vm, "migrate-set-capabilities",
                     "{\"capabilities\":[{\"capability\":\"events\",\"state\":true}]}", -1, error))
        return NULL;
    return g_steal_pointer (&vm);
}

/* Lets QEMU have FD, the other end of a transfer, and closes it here. */
static gboolean
vm_connect (Vm *vm, int fd, const char *command, GError **error)
{
    gboolean given = vm_execute (vm, "getfd", "{\"fdname\":\"stream\"}", fd, error);
    close (fd); /* QEMU has its own now, and the stream ends when QEMU closes that */
    return given && vm_execute (vm, command, "{\"uri\":\"fd:stream\"}", -1, error);
}

static gboolean
save (const char *image, GError **error)
{
    g_autoptr (Vm) vm = vm_start (FALSE, error);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_save (image);
    g_autoptr (GError) migration = NULL;

    if (vm == NULL || !vm_execute (vm, "stop", "{}", -1, error))
        return FALSE;
    int fd = ioh_transfer_start (transfer, error);
    if (fd < 0)
        return FALSE;
    if (!vm_connect (vm, fd, "migrate", &migration) || !vm_await_migration (vm, &migration))
        ioh_transfer_cancel (transfer);
    gboolean done = ioh_transfer_finish (transfer, NULL, error);
    /* what the helper has to say explains more than what QEMU saw of it, unless it only obeyed */
    if (migration != NULL &&
        (done || g_error_matches (*error, IOH_TRANSFER_ERROR, IOH_TRANSFER_ERROR_CANCELLED))) {
        g_clear_error (error);
        g_propagate_error (error, g_steal_pointer (&migration));
        return FALSE;
    }
    if (!done)
        return FALSE;
    g_autoptr (IohTransferResult) result = ioh_transfer_get_result (transfer);
    g_print ("saved: %" G_GUINT64_FORMAT " bytes in %.2f s, engine %s\n",
             ioh_transfer_result_get_bytes (result), ioh_transfer_result_get_total_seconds (result),
             ioh_transfer_result_get_engine (result));
    return vm_execute (vm, "quit", "{}", -1, error);
}

static gboolean
resume (const char *image, GError **error)
{
    g_autoptr (Vm) vm = vm_start (TRUE, error);
    g_autoptr (IohTransfer) transfer = ioh_transfer_new_restore (image);

    int fd = vm != NULL ? ioh_transfer_start (transfer, error) : -1;
    if (fd < 0 || !vm_connect (vm, fd, "migrate-incoming", error) ||
        !ioh_transfer_finish (transfer, NULL, error) || !vm_await_migration (vm, error) ||
        !vm_execute (vm, "cont", "{}", -1, error))
        return FALSE;
    g_print ("resumed\n");
    return vm_execute (vm, "quit", "{}", -1, error);
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;

    if (argc != 2) {
        g_printerr ("usage: save-vm IMAGE\n");
        return 2;
    }
    if (save (argv[1], &error) && resume (argv[1], &error))
        return 0;
    g_printerr ("save-vm: %s\n", error->message);
    return 1;
}
