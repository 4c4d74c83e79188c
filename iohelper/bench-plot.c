/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-plot - a benchmark as a picture, drawn by gnuplot.
 *
 * Owns the picture's file and the script. gnuplot gets descriptors: no name is ever part of a
 * script, and no shell is between.
 */
#include "bench-plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench-child.h"
#include "error.h"
#include "i18n.h"
#include "sys.h"
#include "text.h"

#define PLOT_WIDTH 960
#define PLOT_HEIGHT 420

gboolean
ioh_bench_plot_open (IohBenchPlot *plot, const char *path, GError **error)
{
    plot->gnuplot = g_find_program_in_path ("gnuplot");
    if (plot->gnuplot == NULL)
        return ioh_error_usage (error, _ ("--%s: gnuplot is not installed"), IOH_OPTION_PLOT);
    plot->fd = ioh_sys_open (AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY, 0666);
    plot->created = plot->fd >= 0;
    if (plot->fd == -EEXIST)
        plot->fd = ioh_sys_open (AT_FDCWD, path, O_WRONLY | O_NOCTTY, 0);
    if (plot->fd < 0)
        return ioh_error_usage (error, _ ("--%s: cannot write to %s: %s"), IOH_OPTION_PLOT, path,
                                g_strerror (-plot->fd));
    plot->path = g_strdup (path);
    return TRUE;
}

/* TEXT as a string of a script and of its data. */
static void
plot_quote (GString *script, const char *text)
{
    g_string_append_c (script, '"');
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || g_ascii_iscntrl (*text))
            g_string_append_c (script, '.');
        else
            g_string_append_c (script, *text);
    g_string_append_c (script, '"');
}

/* The labels of CELL on the axes from FIRST on, before END. */
static char *
plot_label (const IohBenchCell *cell, unsigned first, unsigned end)
{
    g_autoptr (GString) label = g_string_new (NULL);

    for (unsigned i = first; i < end; i++)
        g_string_append_printf (label, "%s%s", i > first ? " " : "", _ (cell->labels[i]));
    return g_string_free (g_steal_pointer (&label), FALSE);
}

/* What the measured cells of TABLE are called from FIRST to END, each name once. */
static GPtrArray *
plot_labels (const IohBenchTable *table, unsigned first, unsigned end)
{
    GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);

    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        if (cell->runs->len == 0)
            continue;
        char *label = plot_label (cell, first, end);
        if (g_ptr_array_find_with_equal_func (labels, label, g_str_equal, NULL))
            g_free (label);
        else
            g_ptr_array_add (labels, label);
    }
    return labels;
}

/* The measured cell that is called so, or NULL. */
static const IohBenchCell *
plot_find (const IohBenchTable *table, const char *series, const char *place)
{
    for (unsigned i = 0; i < table->cells->len; i++) {
        const IohBenchCell *cell = g_ptr_array_index (table->cells, i);
        g_autofree char *own_series = plot_label (cell, 0, table->series);
        g_autofree char *own_place = plot_label (cell, table->series, ioh_bench_table_axes (table));
        if (cell->runs->len > 0 && g_str_equal (series, own_series) &&
            g_str_equal (place, own_place))
            return cell;
    }
    return NULL;
}

/* Requests of different sizes are no bars of one picture. */
static IohBenchUnit
plot_unit (const IohBenchTable *table)
{
    return table->unit == IOH_BENCH_IOPS ? IOH_BENCH_MBIT : table->unit;
}

static void
plot_add_value (GString *script, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append_printf (script, " %s", g_ascii_formatd (text, sizeof text, "%.6g", value));
}

/* A line for each place: its name, then median, lowest and highest of each series. */
static void
plot_add_data (GString *script, const IohBenchTable *table, unsigned number,
               const GPtrArray *series, const GPtrArray *places)
{
    g_string_append_printf (script, "$table%u << END_OF_TABLE\n", number);
    for (unsigned p = 0; p < places->len; p++) {
        plot_quote (script, g_ptr_array_index (places, p));
        for (unsigned s = 0; s < series->len; s++) {
            const IohBenchCell *cell =
                plot_find (table, g_ptr_array_index (series, s), g_ptr_array_index (places, p));
            if (cell == NULL) {
                g_string_append (script, " ? ? ?");
                continue;
            }
            IohBenchFigure figure = ioh_bench_cell_figure (cell, plot_unit (table));
            plot_add_value (script, figure.median);
            plot_add_value (script, figure.low);
            plot_add_value (script, figure.high);
        }
        g_string_append_c (script, '\n');
    }
    g_string_append (script, "END_OF_TABLE\n");
}

static void
plot_add_table (GString *script, const IohBenchTable *table, unsigned number)
{
    g_autoptr (GPtrArray) series = plot_labels (table, 0, table->series);
    g_autoptr (GPtrArray) places = plot_labels (table, table->series, ioh_bench_table_axes (table));

    plot_add_data (script, table, number, series, places);
    g_string_append (script, "set title ");
    plot_quote (script, _ (table->title));
    g_string_append (script, " noenhanced\nset ylabel ");
    plot_quote (script, _ (ioh_bench_unit_name (plot_unit (table))));
    g_string_append (script, "\nplot ");
    for (unsigned s = 0; s < series->len; s++) {
        unsigned column = 3 * s + 2;
        g_string_append_printf (script, "%s$table%u using %u:%u:%u:xticlabels(1) linetype %u ",
                                s > 0 ? ", " : "", number, column, column + 1, column + 2, s + 1);
        if (table->series > 0) {
            g_string_append (script, "title ");
            plot_quote (script, g_ptr_array_index (series, s));
        } else {
            g_string_append (script, "notitle");
        }
    }
    g_string_append_c (script, '\n');
}

static char *
plot_script (const IohBenchResult *result)
{
    g_autoptr (GString) script = g_string_new (NULL);
    unsigned tables = result->tables->len;

    g_string_append_printf (script,
                            "set terminal svg size %d,%u font 'sans-serif,13' background "
                            "'#ffffff'\n",
                            PLOT_WIDTH, PLOT_HEIGHT * tables);
    g_string_append_printf (script, "set multiplot layout %u,1\n", tables);
    g_string_append (script, "set datafile missing '?'\n"
                             "set style data histogram\n"
                             "set style histogram errorbars gap 1.5 linewidth 1\n"
                             "set style fill solid 0.85 noborder\n"
                             "set boxwidth 0.9 relative\n"
                             "set errorbars 0.5 linecolor '#333333'\n"
                             "set border 3 linecolor '#555555'\n"
                             "set xtics nomirror scale 0 rotate by -35 noenhanced\n"
                             "set ytics nomirror\n"
                             "set grid ytics linecolor '#dddddd'\n"
                             "set yrange [0:*]\n"
                             "set key outside right top Left reverse noenhanced\n"
                             "set linetype 1 linecolor '#1a7f5a'\n"
                             "set linetype 2 linecolor '#d98324'\n"
                             "set linetype 3 linecolor '#4a6fa5'\n"
                             "set linetype 4 linecolor '#b8b8b8'\n");
    for (unsigned i = 0; i < tables; i++)
        plot_add_table (script, g_ptr_array_index (result->tables, i), i);
    g_string_append (script, "unset multiplot\n");
    return g_string_free (g_steal_pointer (&script), FALSE);
}

/* A descriptor that TEXT is read from, or -errno. */
static int
plot_open_memory (const char *text)
{
    int fd = memfd_create ("iohelper-bench-plot", MFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    int result = ioh_text_write (fd, text);
    if (result < 0) {
        ioh_sys_close (fd);
        return result;
    }
    ioh_sys_seek (fd, 0, SEEK_SET);
    return fd;
}

/* gnuplot does not say when what it draws cannot be written, so it draws into memory. */
static gboolean
plot_store (IohBenchPlot *plot, int picture_fd, GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, plot->path, IOH_STAGE_WRITE, IOH_NO_OFFSET};
    g_autofree char *picture = ioh_bench_rig_text (picture_fd);

    /* whatever cannot be cut, a pipe or a device, has nothing old to be rid of */
    ioh_sys_truncate (plot->fd, 0);
    int result = ioh_text_write (plot->fd, picture);
    if (result >= 0) {
        result = ioh_sys_close (plot->fd);
        plot->fd = -1;
    }
    return result >= 0 || ioh_error_errno (error, &place, -result);
}

static gboolean
plot_failed (const IohBenchRig *rig, GError **error)
{
    g_autofree char *said = ioh_bench_rig_text (rig->messages_fd);
    g_autofree char *message = g_strdup_printf (_ ("gnuplot has failed: %s"), g_strstrip (said));

    return ioh_error_internal (error, message, 0);
}

gboolean
ioh_bench_plot_draw (IohBenchPlot *plot, const IohBenchResult *result, IohBenchRig *rig,
                     GError **error)
{
    g_autofree char *script = plot_script (result);
    char *const argv[] = {plot->gnuplot, NULL};
    IohBenchChild child = IOH_BENCH_CHILD_NONE;
    IohBenchChild *const children[] = {&child};
    ioh_autofd script_fd = plot_open_memory (script);
    ioh_autofd picture_fd = plot_open_memory ("");

    if (script_fd < 0 || picture_fd < 0)
        return ioh_error_internal (error, _ ("cannot get memory"), -MIN (script_fd, picture_fd));
    const int fds[IOH_BENCH_CHILD_FDS] = {script_fd, picture_fd, rig->messages_fd, -1, -1};
    ioh_bench_rig_clear (rig);
    if (!ioh_bench_child_execute (&child, plot->gnuplot, argv, fds, error))
        return FALSE;
    gboolean ended = ioh_bench_child_wait (children, 1, -1, rig->cancel);
    ioh_bench_child_end (&child, SIGKILL);
    if (!ended)
        return FALSE;
    if (child.status != 0)
        return plot_failed (rig, error);
    return plot_store (plot, picture_fd, error);
}

void
ioh_bench_plot_close (IohBenchPlot *plot, gboolean drawn)
{
    if (plot->path != NULL && plot->created && !drawn)
        unlink (plot->path);
    ioh_sys_clear_fd (&plot->fd);
    g_clear_pointer (&plot->path, g_free);
    g_clear_pointer (&plot->gnuplot, g_free);
}
