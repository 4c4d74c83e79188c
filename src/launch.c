/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * launch - puts a helper together: its stream, the lines to it, its command line.
 *
 * Owns the meaning of the helper's descriptors. Every end is close-on-exec from birth, so that
 * children that other threads start at the same time get none; of the helper's ends no copy stays
 * here, so that their ends are noticed.
 */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "descriptor.h"
#include "error-private.h"
#include "message.h"
#include "stream.h"
#include "wire.h"

/* The helper's descriptors; the first two are /dev/null. */
enum {
    LAUNCH_WORDS_FD = 2,
    LAUNCH_STREAM_FD,
    LAUNCH_REPORT_FD,
    LAUNCH_CONTROL_FD,
    LAUNCH_FILE_FD,
    LAUNCH_FDS,
};

/* Both ends of everything: [0] is ours, [1] the helper's. */
typedef struct {
    IohStream stream;
    int control[2];
    int report[2];
    int words[2];
} Launch;

static void
launch_clear (Launch *launch)
{
    ioh_stream_clear (&launch->stream);
    for (int i = 0; i < 2; i++) {
        ioh_descriptor_clear (&launch->control[i]);
        ioh_descriptor_clear (&launch->report[i]);
        ioh_descriptor_clear (&launch->words[i]);
    }
}

/* A pipe that is read here without waiting. */
static gboolean
launch_make_pipe (int fds[2])
{
    return pipe2 (fds, O_CLOEXEC) == 0 && fcntl (fds[0], F_SETFL, O_NONBLOCK) == 0;
}

static gboolean
launch_open (Launch *launch, const IohSettings *settings, GError **error)
{
    const IohStreamWish wish = {
        .kind = settings->transport,
        .cache = settings->cache,
        .pipe_bytes = settings->pipe_size,
        .socket_bytes = settings->socket_buffer,
        .label = settings->stream_label,
    };

    if (!ioh_stream_open (&launch->stream, settings->direction, &wish, error))
        return FALSE;
    if (launch_make_pipe (launch->report) && launch_make_pipe (launch->words) &&
        socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, launch->control) == 0)
        return TRUE;
    return ioh_transfer_error_errno (error, IOH_TRANSFER_ERROR_INTERNAL, errno,
                                     _ ("cannot make the lines to the helper"));
}

/* A relative path is spelled so that it can be neither an option nor a descriptor. */
static char *
launch_operand (const IohSettings *settings)
{
    const char *path = settings->path;

    if (path == NULL)
        return g_strdup_printf ("fd:%d", LAUNCH_FILE_FD);
    return g_path_is_absolute (path) ? g_strdup (path) : g_strconcat ("./", path, NULL);
}

/* The command line; ended by NULL. */
static GPtrArray *
launch_arguments (const IohSettings *settings)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);

    g_ptr_array_add (argv, ioh_settings_helper (settings));
    g_ptr_array_add (argv, g_strdup (ioh_wire_direction_name (settings->direction)));
    g_ptr_array_add (argv, g_strdup_printf ("--%s=%d", IOH_OPTION_FD, LAUNCH_STREAM_FD));
    g_ptr_array_add (argv, g_strdup_printf ("--%s=fd:%d", IOH_OPTION_REPORT, LAUNCH_REPORT_FD));
    g_ptr_array_add (argv, g_strdup_printf ("--%s=%d", IOH_OPTION_PROGRESS_FD, LAUNCH_CONTROL_FD));
    g_ptr_array_add (argv, g_strdup_printf ("--%s=%d", IOH_OPTION_CONTROL_FD, LAUNCH_CONTROL_FD));
    g_ptr_array_add (argv, g_strdup ("--" IOH_OPTION_QUIET));
    ioh_settings_add_options (settings, argv);
    g_ptr_array_add (argv, launch_operand (settings));
    g_ptr_array_add (argv, NULL);
    return argv;
}

static gboolean
launch_spawn (const Launch *launch, const IohSettings *settings, IohProcess *out_process,
              GError **error)
{
    g_autoptr (GPtrArray) argv = launch_arguments (settings);
    g_auto (GStrv) environment = ioh_settings_environment (settings);
    const int fds[LAUNCH_FDS] = {
        -1,
        -1,
        [LAUNCH_WORDS_FD] = launch->words[1],
        [LAUNCH_STREAM_FD] = launch->stream.helper_fd,
        [LAUNCH_REPORT_FD] = launch->report[1],
        [LAUNCH_CONTROL_FD] = launch->control[1],
        [LAUNCH_FILE_FD] = settings->file_fd,
    };
    unsigned count = settings->file_fd >= 0 ? LAUNCH_FDS : LAUNCH_FILE_FD;

    return ioh_process_start ((const char *const *) argv->pdata, (const char *const *) environment,
                              fds, count, out_process, error);
}

gboolean
ioh_launch (const IohSettings *settings, IohWatchLines *out_lines, IohLaunched *out_launched,
            int *out_stream_fd, GError **error)
{
    Launch launch = {
        .stream = {.hypervisor_fd = -1, .helper_fd = -1},
        .control = {-1, -1},
        .report = {-1, -1},
        .words = {-1, -1},
    };
    IohProcess process = {.pid_fd = -1};
    gboolean started = ioh_settings_check (settings, error) &&
                       launch_open (&launch, settings, error) &&
                       launch_spawn (&launch, settings, &process, error);

    if (started) {
        *out_lines = (IohWatchLines){
            .process = process,
            .control_fd = ioh_descriptor_steal (&launch.control[0]),
            .report_fd = ioh_descriptor_steal (&launch.report[0]),
            .words_fd = ioh_descriptor_steal (&launch.words[0]),
        };
        *out_launched = (IohLaunched){
            .pid = process.pid,
            .stream_bytes = launch.stream.bytes,
            .notes = g_steal_pointer (&launch.stream.notes),
        };
        *out_stream_fd = ioh_descriptor_steal (&launch.stream.hypervisor_fd);
    }
    launch_clear (&launch);
    return started;
}
