/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What iohelper is for, shown in a few lines: a real virtual machine is saved through it into a
 * file and resumed from it. Says only what it has seen: the sizes of the file and of the report
 * agree, the RAM has been compared, the guest runs.
 */
#include "helper.h"
#include "scratch.h"
#include "wire.h"

#include <errno.h>
#include <gio/gio.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>

#define MIB (UINT64_C (1) << 20)

typedef struct {
    int memory_mib;
    char *dir;
    char *program;
} Options;

static void
options_clear (Options *options)
{
    g_free (options->dir);
    g_free (options->program);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
demo_parse (int argc, char **argv, Options *out_options, GError **error)
{
    const GOptionEntry entries[] = {
        {"memory", 0, 0, G_OPTION_ARG_INT, &out_options->memory_mib,
         "RAM of the guest in MiB (default 512)", "MIB"},
        {"dir", 0, 0, G_OPTION_ARG_FILENAME, &out_options->dir,
         "Where the image is, while the demo runs (default $TMPDIR or /var/tmp)", "DIR"},
        {"helper", 0, 0, G_OPTION_ARG_FILENAME, &out_options->program, "The iohelper program",
         "PATH"},
        {NULL}};
    g_autoptr (GOptionContext) context =
        g_option_context_new ("- save and resume a virtual machine through iohelper");

    g_option_context_add_main_entries (context, entries, NULL);
    if (!g_option_context_parse (context, &argc, &argv, error))
        return FALSE;
    if (argc > 1) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "what is \"%s\" for?",
                     argv[1]);
        return FALSE;
    }
    if (out_options->memory_mib < 16 || out_options->memory_mib > 1024 * 1024) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "--memory is from 16 to 1048576 MiB, not %d", out_options->memory_mib);
        return FALSE;
    }
    return TRUE;
}

G_GNUC_PRINTF (2, 3)
static void
demo_say (const char *topic, const char *format, ...)
{
    va_list args;

    printf ("  %-9s", topic);
    va_start (args, format);
    vprintf (format, args);
    va_end (args);
    printf ("\n");
    fflush (stdout);
}

static void
demo_say_moved (const char *topic, const IohHelperResult *result, const char *until)
{
    uint64_t bytes = ioh_helper_result_bytes (result);

    demo_say (topic, "%" PRIu64 " bytes in %.2f s, %.0f MB/s, %s", bytes, result->seconds,
              (double) bytes / result->seconds / 1e6, until);
    demo_say ("", "engine %s, cache %s", ioh_helper_result_used (result, IOH_REPORT_ENGINE),
              ioh_helper_result_used (result, IOH_REPORT_CACHE));
}

/* The file has to hold what the report counted. */
static gboolean
demo_check_file (const char *file, uint64_t reported_bytes, GError **error)
{
    struct stat status;

    if (stat (file, &status) < 0) {
        g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", file,
                     g_strerror (errno));
        return FALSE;
    }
    if ((uint64_t) status.st_size != reported_bytes) {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                     "%" PRIu64 " bytes were reported saved, but the file has %" PRIu64,
                     reported_bytes, (uint64_t) status.st_size);
        return FALSE;
    }
    demo_say ("file", "%" PRIu64 " bytes in %s", reported_bytes, file);
    return TRUE;
}

static gboolean
demo_save (const IohHelperJob *job, const IohRam *ram, GError **error)
{
    g_auto (IohHelperResult) result = {0};

    if (!ioh_helper_save (job, ram, &result, error))
        return FALSE;
    demo_say_moved ("save", &result, "until all of it is durable");
    return demo_check_file (job->file, ioh_helper_result_bytes (&result), error);
}

static gboolean
demo_restore (const IohHelperJob *job, const IohRam *ram, GError **error)
{
    g_auto (IohHelperResult) result = {0};

    if (!ioh_helper_restore (job, ram, &result, error))
        return FALSE;
    demo_say_moved ("restore", &result, "until QEMU has all of it");
    demo_say ("memory", "RAM identical: all %" PRIu64 " bytes compared", ram->bytes);
    demo_say ("guest", "running: its firmware has begun to print");
    return TRUE;
}

static gboolean
demo_check_room (const Options *options, const IohScratch *scratch, GError **error)
{
    uint64_t room = ioh_scratch_room (ioh_scratch_path (scratch));
    uint64_t need = ((uint64_t) options->memory_mib + 64) * MIB;

    if (room >= need)
        return TRUE;
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                 "%s has room for %" PRIu64 " MiB, the image needs about %" PRIu64
                 "; see --dir and --memory",
                 ioh_scratch_path (scratch), room / MIB, need / MIB);
    return FALSE;
}

static gboolean
demo_run (const Options *options, GError **error)
{
    g_autoptr (IohScratch) scratch = NULL;
    g_autoptr (IohRam) ram = NULL;
    g_autofree char *file = NULL;
    const char *const no_options[] = {NULL};
    IohHelperJob job;

    if (ioh_vm_missing () != NULL) {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, ioh_vm_missing ());
        return FALSE;
    }
    scratch = ioh_scratch_new (options->dir, error);
    if (scratch == NULL || !demo_check_room (options, scratch, error))
        return FALSE;
    ram = ioh_ram_new ((uint64_t) options->memory_mib * MIB, error);
    if (ram == NULL)
        return FALSE;
    ioh_ram_fill (ram);
    printf ("A virtual machine saved through iohelper, and resumed from the file\n");
    demo_say ("machine", "QEMU with %s, %d MiB of RAM, every 8 bytes of it different",
              g_str_equal (ioh_vm_accelerator (), "kvm") ? "KVM" : "TCG", options->memory_mib);
    file = g_build_filename (ioh_scratch_path (scratch), "vm.img", NULL);
    job = (IohHelperJob){options->program, no_options, file, 0};
    return demo_save (&job, ram, error) && demo_restore (&job, ram, error);
}

int
main (int argc, char **argv)
{
    g_auto (Options) options = {.memory_mib = 512};
    g_autoptr (GError) error = NULL;

    setlocale (LC_ALL, "");
    if (!demo_parse (argc, argv, &options, &error)) {
        g_printerr ("demo: %s\n", error->message);
        return 2;
    }
    if (options.program == NULL)
        options.program = g_strdup (IOH_HELPER_DEFAULT);
    if (!demo_run (&options, &error)) {
        g_printerr ("demo: FAILED: %s\n", error->message);
        return 1;
    }
    return 0;
}
