/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One QEMU process. It inherits a socket for QMP, a socket for what the firmware prints and the
 * file of its RAM, so nothing has a path that could clash or be left behind, and QEMU's end is seen
 * at once. The guest is paused until it is resumed: its RAM holds what the test wrote, and no guest
 * software is needed. Failures carry what QEMU printed.
 */
#include "vm.h"

#include "autofd.h"
#include "child.h"
#include "qmp.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>

#define VM_PROGRAM "qemu-system-x86_64"
#define VM_MIGRATION_SECONDS 300
#define VM_FIRMWARE_SECONDS 60
#define VM_QUIT_SECONDS 60

/* The descriptors of the child; 0 to 2 are the usual ones. */
enum { VM_QMP_FD = 3, VM_FIRMWARE_FD, VM_RAM_FD, VM_N_FDS };

struct _IohVm {
    IohChild *child;
    IohQmp *qmp;
    int firmware_fd;
};

const char *
ioh_vm_missing (void)
{
    g_autofree char *path = g_find_program_in_path (VM_PROGRAM);

    return path != NULL ? NULL : VM_PROGRAM " is not installed";
}

const char *
ioh_vm_accelerator (void)
{
    const char *wanted = g_getenv ("IOH_TEST_ACCEL");
    IOH_AUTOFD kvm_fd = -1;

    if (wanted != NULL && *wanted != '\0')
        return wanted;
    kvm_fd = open ("/dev/kvm", O_RDWR | O_CLOEXEC);
    return kvm_fd >= 0 ? "kvm" : "tcg";
}

static IohChild *
vm_spawn (const IohRam *ram, IohVmRole role, int qmp_fd, int firmware_fd, GError **error)
{
    g_autofree char *size = g_strdup_printf ("%" PRIu64 "M", ram->bytes >> 20);
    g_autofree char *memory = g_strdup_printf (
        "memory-backend-file,id=ram,size=%s,share=on,mem-path=/proc/self/fd/%d", size, VM_RAM_FD);
    g_autofree char *machine =
        g_strdup_printf ("pc,memory-backend=ram,accel=%s", ioh_vm_accelerator ());
    g_autofree char *monitor = g_strdup_printf ("socket,id=qmp,fd=%d", VM_QMP_FD);
    g_autofree char *firmware = g_strdup_printf ("socket,id=firmware,fd=%d", VM_FIRMWARE_FD);
    const char *const argv[] = {VM_PROGRAM,
                                "-nodefaults",
                                "-no-user-config",
                                "-display",
                                "none",
                                "-S",
                                "-m",
                                size,
                                "-object",
                                memory,
                                "-machine",
                                machine,
                                "-chardev",
                                monitor,
                                "-mon",
                                "chardev=qmp,mode=control",
                                "-chardev",
                                firmware,
                                "-device",
                                "isa-debugcon,iobase=0x402,chardev=firmware",
                                role == IOH_VM_INCOMING ? "-incoming" : NULL,
                                "defer",
                                NULL};
    const int fds[VM_N_FDS] = {[0] = -1,
                               [1] = -1,
                               [VM_QMP_FD] = qmp_fd,
                               [VM_FIRMWARE_FD] = firmware_fd,
                               [VM_RAM_FD] = ram->fd};

    return ioh_child_spawn (argv, fds, VM_N_FDS, error);
}

static gboolean
vm_socketpair (int *out_ours_fd, int *out_theirs_fd, GError **error)
{
    int pair_fds[2];

    if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair_fds) < 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "socketpair: %s",
                     g_strerror (errno));
        return FALSE;
    }
    *out_ours_fd = pair_fds[0];
    *out_theirs_fd = pair_fds[1];
    return TRUE;
}

gboolean
ioh_vm_explain (IohVm *self, GError **error)
{
    g_autofree char *said = NULL;

    if (error == NULL || *error == NULL)
        return FALSE;
    /* A QEMU that has closed its monitor is about to end, and ends printing. */
    if (g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CLOSED))
        ioh_child_wait (self->child, VM_QUIT_SECONDS, NULL);
    said = ioh_child_stderr (self->child);
    if (*said != '\0')
        g_prefix_error (error, "QEMU printed \"%s\"; ", said);
    return FALSE;
}

static gboolean
vm_command (IohVm *self, const char *command, JsonObject *arguments, int passed_fd, GError **error)
{
    return ioh_qmp_execute (self->qmp, command, arguments, passed_fd, NULL, error) ||
           ioh_vm_explain (self, error);
}

static gboolean
vm_set_capability (IohVm *self, const char *name, GError **error)
{
    JsonObject *arguments = json_object_new (), *capability = json_object_new ();
    JsonArray *list = json_array_new ();

    json_object_set_string_member (capability, "capability", name);
    json_object_set_boolean_member (capability, "state", TRUE);
    json_array_add_object_element (list, capability);
    json_object_set_array_member (arguments, "capabilities", list);
    return vm_command (self, "migrate-set-capabilities", arguments, -1, error);
}

static gboolean
vm_lift_bandwidth (IohVm *self, GError **error)
{
    JsonObject *arguments = json_object_new ();

    json_object_set_int_member (arguments, "max-bandwidth", INT64_C (1) << 50);
    return vm_command (self, "migrate-set-parameters", arguments, -1, error);
}

IohVm *
ioh_vm_start (const IohRam *ram, IohVmRole role, GError **error)
{
    g_autoptr (IohVm) self = g_new0 (IohVm, 1);
    IOH_AUTOFD qmp_fd = -1;
    IOH_AUTOFD qemu_qmp_fd = -1;
    IOH_AUTOFD qemu_firmware_fd = -1;

    self->firmware_fd = -1;
    if (!vm_socketpair (&qmp_fd, &qemu_qmp_fd, error) ||
        !vm_socketpair (&self->firmware_fd, &qemu_firmware_fd, error))
        return NULL;
    self->child = vm_spawn (ram, role, qemu_qmp_fd, qemu_firmware_fd, error);
    if (self->child == NULL)
        return NULL;
    ioh_autofd_clear (&qemu_qmp_fd);
    self->qmp = ioh_qmp_new (ioh_autofd_steal (&qmp_fd), error);
    if (self->qmp == NULL) {
        ioh_vm_explain (self, error);
        return NULL;
    }
    if (!vm_set_capability (self, "events", error) || !vm_lift_bandwidth (self, error))
        return NULL;
    return g_steal_pointer (&self);
}

static gboolean
vm_migrate (IohVm *self, const char *command, const char *uri, GError **error)
{
    JsonObject *arguments = json_object_new ();

    json_object_set_string_member (arguments, "uri", uri);
    return vm_command (self, command, arguments, -1, error);
}

/* QEMU knows the descriptor by a name from then on. */
static gboolean
vm_pass_stream (IohVm *self, int stream_fd, GError **error)
{
    JsonObject *name = json_object_new ();

    json_object_set_string_member (name, "fdname", "stream");
    return vm_command (self, "getfd", name, stream_fd, error);
}

gboolean
ioh_vm_migrate_to_fd (IohVm *self, int stream_fd, GError **error)
{
    return vm_pass_stream (self, stream_fd, error) && ioh_vm_migrate_to (self, "fd:stream", error);
}

gboolean
ioh_vm_migrate_from_fd (IohVm *self, int stream_fd, GError **error)
{
    return vm_pass_stream (self, stream_fd, error) &&
           ioh_vm_migrate_from (self, "fd:stream", error);
}

gboolean
ioh_vm_migrate_to (IohVm *self, const char *uri, GError **error)
{
    return vm_migrate (self, "migrate", uri, error);
}

gboolean
ioh_vm_migrate_from (IohVm *self, const char *uri, GError **error)
{
    return vm_migrate (self, "migrate-incoming", uri, error);
}

gboolean
ioh_vm_pause_before_switchover (IohVm *self, GError **error)
{
    return vm_set_capability (self, "pause-before-switchover", error);
}

/* Why a migration failed, as far as QEMU tells. */
static void
vm_set_migration_error (IohVm *self, const char *wanted, const char *status, GError **error)
{
    g_autoptr (JsonNode) info = NULL;
    const char *reason = "no reason given";

    if (ioh_qmp_execute (self->qmp, "query-migrate", NULL, -1, &info, NULL))
        reason = json_object_get_string_member_with_default (json_node_get_object (info),
                                                             "error-desc", reason);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "migration %s instead of %s: %s", status,
                 wanted, reason);
    ioh_vm_explain (self, error);
}

gboolean
ioh_vm_wait_migration (IohVm *self, const char *wanted, GError **error)
{
    const char *const endings[] = {"completed", "failed", "cancelled", NULL};

    for (;;) {
        g_autoptr (JsonObject) data =
            ioh_qmp_wait_event (self->qmp, "MIGRATION", VM_MIGRATION_SECONDS, error);
        const char *status;

        if (data == NULL)
            return ioh_vm_explain (self, error);
        status = json_object_get_string_member (data, "status");
        if (g_str_equal (status, wanted))
            return TRUE;
        if (g_strv_contains (endings, status)) {
            vm_set_migration_error (self, wanted, status, error);
            return FALSE;
        }
    }
}

static gboolean
vm_check_running (IohVm *self, GError **error)
{
    g_autoptr (JsonNode) info = NULL;
    const char *status;

    if (!ioh_qmp_execute (self->qmp, "query-status", NULL, -1, &info, error))
        return ioh_vm_explain (self, error);
    status = json_object_get_string_member (json_node_get_object (info), "status");
    if (g_str_equal (status, "running"))
        return TRUE;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the resumed guest is %s, not running",
                 status);
    return ioh_vm_explain (self, error);
}

/* A status is QEMU's opinion; a byte out of the firmware is proof that the processor runs. */
static gboolean
vm_wait_firmware (IohVm *self, GError **error)
{
    struct pollfd pollfd = {.fd = self->firmware_fd, .events = POLLIN};
    char byte;
    int ready;

    do {
        ready = poll (&pollfd, 1, VM_FIRMWARE_SECONDS * 1000);
    } while (ready < 0 && errno == EINTR);
    if (ready > 0 && recv (self->firmware_fd, &byte, 1, MSG_DONTWAIT) == 1)
        return TRUE;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 "the resumed guest is said to run, but its firmware printed nothing in %u seconds",
                 VM_FIRMWARE_SECONDS);
    return ioh_vm_explain (self, error);
}

gboolean
ioh_vm_resume (IohVm *self, GError **error)
{
    return vm_command (self, "cont", NULL, -1, error) && vm_check_running (self, error) &&
           vm_wait_firmware (self, error);
}

gboolean
ioh_vm_quit (IohVm *self, GError **error)
{
    int status;

    if (!vm_command (self, "quit", NULL, -1, error))
        return FALSE;
    status = ioh_child_wait (self->child, VM_QUIT_SECONDS, error);
    if (status > 0)
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "QEMU ended with status %d", status);
    return status == 0 || ioh_vm_explain (self, error);
}

void
ioh_vm_kill (IohVm *self)
{
    ioh_child_kill (self->child);
}

void
ioh_vm_free (IohVm *self)
{
    g_clear_pointer (&self->qmp, ioh_qmp_free);
    g_clear_pointer (&self->child, ioh_child_free);
    ioh_autofd_clear (&self->firmware_fd);
    g_free (self);
}
