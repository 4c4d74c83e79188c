/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * save-output IMAGE COMMAND [ARGUMENT...]: saves what a command prints, and shows progress. When
 * the command fails, or is ended by Ctrl-C, the save is cancelled.
 *
 * cc save-output.c $(pkg-config --cflags --libs libiohelper) -o save-output
 */
#include <glib-unix.h>
#include <libiohelper.h>

static void
on_progress (IohTransfer *save, IohPhase phase, guint64 bytes, gint64 expected, double seconds)
{
    g_printerr ("\r%" G_GUINT64_FORMAT " bytes in %.1f s", bytes, seconds);
}

static gboolean
on_interrupt (gpointer command)
{
    g_subprocess_send_signal (command, SIGTERM);
    return G_SOURCE_CONTINUE;
}

static void
on_finished (GObject *save, GAsyncResult *async_result, gpointer loop)
{
    g_autoptr (GError) error = NULL;
    gboolean done = ioh_transfer_finish_finish (IOH_TRANSFER (save), async_result, &error);

    g_printerr ("\n%s\n", done ? "saved" : error->message);
    g_main_loop_quit (loop);
}

/* Only now is it known whether the stream was complete. */
static void
on_command_ended (GObject *command, GAsyncResult *async_result, gpointer save)
{
    if (!g_subprocess_wait_check_finish (G_SUBPROCESS (command), async_result, NULL))
        ioh_transfer_cancel (save);
    ioh_transfer_finish_async (save, NULL, on_finished, g_object_get_data (save, "loop"));
}

int
main (int argc, char **argv)
{
    g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
    g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
    g_autoptr (GError) error = NULL;

    if (argc < 3) {
        g_printerr ("usage: save-output IMAGE COMMAND [ARGUMENT...]\n");
        return 2;
    }
    g_autoptr (IohTransfer) save = ioh_transfer_new_save (argv[1]);
    int fd = ioh_transfer_start (save, &error);
    g_subprocess_launcher_take_stdout_fd (launcher, fd);
    g_autoptr (GSubprocess) command = NULL;
    if (fd >= 0)
        command = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv + 2, &error);
    if (command == NULL) {
        g_printerr ("%s\n", error->message);
        return 1;
    }
    g_clear_object (&launcher); /* and with it our copy of the stream's end */
    g_object_set_data (G_OBJECT (save), "loop", loop);
    g_signal_connect (save, "progress", G_CALLBACK (on_progress), NULL);
    g_unix_signal_add (SIGINT, on_interrupt, command);
    g_subprocess_wait_check_async (command, NULL, on_command_ended, save);
    g_main_loop_run (loop);
    return ioh_transfer_get_state (save) == IOH_TRANSFER_STATE_DONE ? 0 : 1;
}
