/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hand-over between QEMU and the iohelper program, done as a virtualization manager does it: a
 * pipe, one end to the helper, the other to QEMU by getfd, no copy kept, so that each side sees the
 * other end; or an address where both meet by themselves. The report comes back through a memfd.
 * Failures carry what the helper and QEMU printed.
 */
#include "helper.h"

#include "autofd.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HELPER_SECONDS 300
/* For a helper that has already lost its stream. */
#define HELPER_GRACE_SECONDS 30

/* The descriptor of the report in the helper, and as text for its option. */
#define HELPER_REPORT_FD 3

static gboolean
helper_fail (const char *what, GError **error)
{
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", what,
                 g_strerror (errno));
    return FALSE;
}

static gboolean
helper_pipe (unsigned pipe_bytes, int *out_read_fd, int *out_write_fd, GError **error)
{
    int pipe_fds[2];

    if (pipe2 (pipe_fds, O_CLOEXEC) < 0)
        return helper_fail ("pipe2", error);
    *out_read_fd = pipe_fds[0];
    *out_write_fd = pipe_fds[1];
    if (pipe_bytes > 0 && fcntl (pipe_fds[1], F_SETPIPE_SZ, (int) pipe_bytes) < 0)
        return helper_fail ("F_SETPIPE_SZ", error);
    return TRUE;
}

/* report_fd may be -1: no report. */
static IohChild *
helper_spawn (const IohHelperJob *job, const char *verb, int stdin_fd, int stdout_fd, int report_fd,
              GError **error)
{
    g_autoptr (GPtrArray) argv = g_ptr_array_new ();
    const char *meets = g_str_equal (verb, "save") ? "--listen" : "--connect";
    const int fds[] = {stdin_fd, stdout_fd, -1, [HELPER_REPORT_FD] = report_fd};

    g_ptr_array_add (argv, (gpointer) job->program);
    g_ptr_array_add (argv, (gpointer) verb);
    for (size_t i = 0; job->options[i] != NULL; i++)
        g_ptr_array_add (argv, (gpointer) job->options[i]);
    if (job->address != NULL) {
        g_ptr_array_add (argv, (gpointer) meets);
        g_ptr_array_add (argv, (gpointer) job->address);
    }
    if (report_fd >= 0)
        g_ptr_array_add (argv, (gpointer) "--report=fd:" G_STRINGIFY (HELPER_REPORT_FD));
    g_ptr_array_add (argv, (gpointer) job->file);
    g_ptr_array_add (argv, NULL);
    return ioh_child_spawn ((const char *const *) argv->pdata, fds, G_N_ELEMENTS (fds), error);
}

/* Adds what the helper printed when the other side was the first to complain. */
static gboolean
helper_explain (IohChild *helper, GError **error)
{
    g_autofree char *said = NULL;

    if (ioh_child_wait (helper, HELPER_GRACE_SECONDS, NULL) < 0)
        g_prefix_error (error, "iohelper does not end; ");
    said = ioh_child_stderr (helper);
    if (*said != '\0')
        g_prefix_error (error, "iohelper printed \"%s\"; ", said);
    return FALSE;
}

/* Waits for the helper, which must have done its work. */
static gboolean
helper_finish (IohChild *helper, GError **error)
{
    int status = ioh_child_wait (helper, HELPER_SECONDS, error);
    g_autofree char *said = ioh_child_stderr (helper);

    if (status == 0)
        return TRUE;
    if (status < 0)
        g_prefix_error (error, "iohelper printed \"%s\"; ", said);
    else
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "iohelper ended with status %d: %s",
                     status, said);
    return FALSE;
}

static gboolean
helper_read_report (int report_fd, JsonObject **out_report, GError **error)
{
    g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", report_fd);
    g_autoptr (JsonParser) parser = json_parser_new ();
    JsonNode *root;

    if (!json_parser_load_from_file (parser, path, error)) {
        g_prefix_error (error, "report: ");
        return FALSE;
    }
    root = json_parser_get_root (parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)) {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the report is no object");
        return FALSE;
    }
    *out_report = json_node_dup_object (root);
    return TRUE;
}

static double
helper_seconds_since (gint64 start_us)
{
    return (double) (g_get_monotonic_time () - start_us) / G_USEC_PER_SEC;
}

/* Whether TABLE, one of /proc/net, has a socket that listens and whose line matches PATTERN. */
static gboolean
helper_is_listed (const char *table, const char *pattern)
{
    g_autofree char *text = NULL;

    return g_file_get_contents (table, &text, NULL, NULL) &&
           g_regex_match_simple (pattern, text, G_REGEX_MULTILINE, 0);
}

/* To look by connecting would be to be the one peer that is let in. */
static gboolean
helper_listens (const char *address)
{
    if (g_str_has_prefix (address, "unix:")) {
        g_autofree char *path = g_regex_escape_string (address + strlen ("unix:"), -1);
        g_autofree char *pattern = g_strdup_printf (" 00010000 0001 01 +\\d+ %s$", path);
        return helper_is_listed ("/proc/net/unix", pattern);
    }
    unsigned port = (unsigned) atoi (strrchr (address, ':') + 1);
    g_autofree char *pattern = g_strdup_printf ("^ *\\d+: [0-9A-F]+:%04X [0-9A-F:]+ 0A ", port);
    return helper_is_listed ("/proc/net/tcp", pattern) ||
           helper_is_listed ("/proc/net/tcp6", pattern);
}

static gboolean
helper_await_listening (IohChild *helper, const char *address, GError **error)
{
    for (unsigned i = 0; i < HELPER_GRACE_SECONDS * 100; i++) {
        if (helper_listens (address))
            return TRUE;
        g_usleep (10000);
    }
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "nobody listens at %s", address);
    return helper_explain (helper, error);
}

static IohChild *
helper_begin_save_at (const IohHelperJob *job, IohVm *vm, int report_fd, GError **error)
{
    g_autoptr (IohChild) helper = helper_spawn (job, "save", -1, -1, report_fd, error);

    if (helper == NULL || !helper_await_listening (helper, job->address, error))
        return NULL;
    if (!ioh_vm_migrate_to (vm, job->address, error)) {
        helper_explain (helper, error);
        return NULL;
    }
    return g_steal_pointer (&helper);
}

static IohChild *
helper_begin_save (const IohHelperJob *job, IohVm *vm, int report_fd, GError **error)
{
    g_autoptr (IohChild) helper = NULL;
    IOH_AUTOFD read_fd = -1;
    IOH_AUTOFD write_fd = -1;
    gboolean migrating;

    if (job->address != NULL)
        return helper_begin_save_at (job, vm, report_fd, error);
    if (!helper_pipe (job->pipe_bytes, &read_fd, &write_fd, error))
        return NULL;
    helper = helper_spawn (job, "save", read_fd, -1, report_fd, error);
    if (helper == NULL)
        return NULL;
    ioh_autofd_clear (&read_fd);
    migrating = ioh_vm_migrate_to_fd (vm, write_fd, error);
    ioh_autofd_clear (&write_fd);
    if (!migrating) {
        helper_explain (helper, error);
        return NULL;
    }
    return g_steal_pointer (&helper);
}

IohChild *
ioh_helper_begin_save (const IohHelperJob *job, IohVm *vm, GError **error)
{
    return helper_begin_save (job, vm, -1, error);
}

gboolean
ioh_helper_save (const IohHelperJob *job, const IohRam *ram, IohHelperResult *out_result,
                 GError **error)
{
    g_autoptr (IohVm) vm = ioh_vm_start (ram, IOH_VM_FRESH, error);
    g_autoptr (IohChild) helper = NULL;
    gint64 start_us = g_get_monotonic_time ();
    IOH_AUTOFD report_fd = -1;

    if (vm == NULL)
        return FALSE;
    report_fd = memfd_create ("report", MFD_CLOEXEC);
    if (report_fd < 0)
        return helper_fail ("memfd_create", error);
    helper = helper_begin_save (job, vm, report_fd, error);
    if (helper == NULL)
        return FALSE;
    if (!ioh_vm_wait_migration (vm, "completed", error))
        return helper_explain (helper, error);
    if (!helper_finish (helper, error))
        return FALSE;
    out_result->seconds = helper_seconds_since (start_us);
    return helper_read_report (report_fd, &out_result->report, error) && ioh_vm_quit (vm, error);
}

/* Begins to restore into the machine, which reads. */
static IohChild *
helper_begin_restore (const IohHelperJob *job, IohVm *vm, int report_fd, GError **error)
{
    g_autoptr (IohChild) helper = NULL;
    IOH_AUTOFD read_fd = -1;
    IOH_AUTOFD write_fd = -1;
    gboolean migrating;

    if (job->address != NULL)
        return ioh_vm_migrate_from (vm, job->address, error)
                   ? helper_spawn (job, "restore", -1, -1, report_fd, error)
                   : NULL;
    if (!helper_pipe (job->pipe_bytes, &read_fd, &write_fd, error))
        return NULL;
    helper = helper_spawn (job, "restore", -1, write_fd, report_fd, error);
    if (helper == NULL)
        return NULL;
    ioh_autofd_clear (&write_fd);
    migrating = ioh_vm_migrate_from_fd (vm, read_fd, error);
    ioh_autofd_clear (&read_fd);
    if (!migrating) {
        helper_explain (helper, error);
        return NULL;
    }
    return g_steal_pointer (&helper);
}

/*
 * Moves the stream into the machine. The helper is waited for first: a QEMU that meets the end of a
 * pipe before the first byte waits for ever (seen with 7.2), while one that fails ends, and the
 * helper with it.
 */
static gboolean
helper_feed (const IohHelperJob *job, IohVm *vm, int report_fd, GError **error)
{
    g_autoptr (IohChild) helper = helper_begin_restore (job, vm, report_fd, error);

    if (helper == NULL)
        return FALSE;
    if (!helper_finish (helper, error))
        return ioh_vm_explain (vm, error);
    return ioh_vm_wait_migration (vm, "completed", error);
}

gboolean
ioh_helper_restore (const IohHelperJob *job, const IohRam *saved, IohHelperResult *out_result,
                    GError **error)
{
    g_autoptr (IohRam) ram = ioh_ram_new (saved->bytes, error);
    g_autoptr (IohVm) vm = NULL;
    IOH_AUTOFD report_fd = -1;
    gint64 start_us;

    if (ram == NULL)
        return FALSE;
    vm = ioh_vm_start (ram, IOH_VM_INCOMING, error);
    if (vm == NULL)
        return FALSE;
    report_fd = memfd_create ("report", MFD_CLOEXEC);
    if (report_fd < 0)
        return helper_fail ("memfd_create", error);
    start_us = g_get_monotonic_time ();
    if (!helper_feed (job, vm, report_fd, error))
        return FALSE;
    out_result->seconds = helper_seconds_since (start_us);
    return helper_read_report (report_fd, &out_result->report, error) &&
           ioh_ram_compare (saved, ram, error) && ioh_vm_resume (vm, error) &&
           ioh_vm_quit (vm, error);
}

uint64_t
ioh_helper_result_bytes (const IohHelperResult *self)
{
    return (uint64_t) json_object_get_int_member_with_default (self->report, IOH_REPORT_BYTES, 0);
}

const char *
ioh_helper_result_used (const IohHelperResult *self, const char *what)
{
    JsonObject *choice = NULL;

    if (json_object_has_member (self->report, what))
        choice = json_object_get_object_member (self->report, what);
    return choice == NULL
               ? "unreported"
               : json_object_get_string_member_with_default (choice, "used", "unreported");
}

void
ioh_helper_result_clear (IohHelperResult *self)
{
    g_clear_pointer (&self->report, json_object_unref);
}
