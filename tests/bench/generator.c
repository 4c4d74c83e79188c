/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * generator write|read [OPTIONS]
 *
 * A stand-in for QEMU at the stream's end, for machines without it and for quick looks: the one
 * that "iohelper bench" measures with, as a program. What it writes and reads is in
 * bench-generator.h.
 *
 * Prints one line of JSON about itself to standard error: bytes and microseconds, from the first
 * byte until the stream is closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench-generator.h"

typedef struct {
    gboolean writes;
    gboolean zeros;
    gint64 memory_mib;
    char *memory_path;
    char *connect_path;
} Options;

typedef struct {
    IohBenchGenerator shape;
    int stream_fd;
    uint64_t moved_bytes;
} Generator;

static gboolean
generator_fail (GError **error, const char *what)
{
    int saved_errno = errno;

    g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (saved_errno), "%s: %s", what,
                 g_strerror (saved_errno));
    return FALSE;
}

static gboolean
generator_map (Generator *self, const Options *options, GError **error)
{
    const char *path = options->memory_path;
    struct stat st;
    int fd = -1;

    self->shape.burst_bytes = IOH_BENCH_BURST_BYTES;
    self->shape.memory_bytes = (size_t) options->memory_mib << 20;
    if (path) {
        fd = open (path, O_RDWR | O_CLOEXEC);
        if (fd < 0 || fstat (fd, &st) != 0)
            return generator_fail (error, path);
        self->shape.memory_bytes =
            (size_t) st.st_size / IOH_BENCH_PAGE_BYTES * IOH_BENCH_PAGE_BYTES;
    }
    self->shape.memory = mmap (NULL, self->shape.memory_bytes, PROT_READ | PROT_WRITE,
                               path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    if (fd >= 0)
        close (fd);
    return self->shape.memory != MAP_FAILED || generator_fail (error, path ? path : "guest memory");
}

static gboolean
generator_connect (Generator *self, const char *path, GError **error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (g_strlcpy (address.sun_path, path, sizeof address.sun_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return generator_fail (error, path);
    }
    self->stream_fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (self->stream_fd < 0 ||
        connect (self->stream_fd, (struct sockaddr *) &address, sizeof address) != 0)
        return generator_fail (error, path);
    return TRUE;
}

static gboolean
generator_move (Generator *self, gboolean writes, GError **error)
{
    uint64_t bytes = self->shape.memory_bytes / IOH_BENCH_PAGE_BYTES * IOH_BENCH_RECORD_BYTES;
    gint64 first_us;
    int result =
        writes ? ioh_bench_generator_send (&self->shape, self->stream_fd, bytes, &self->moved_bytes)
               : ioh_bench_generator_receive (&self->shape, self->stream_fd, &self->moved_bytes,
                                              &first_us);

    if (result == 0)
        return TRUE;
    errno = -result;
    return generator_fail (error, "stream");
}

static gboolean
generator_run (Generator *self, const Options *options, GError **error)
{
    gint64 start_us;

    self->stream_fd = options->writes ? STDOUT_FILENO : STDIN_FILENO;
    if (!generator_map (self, options, error) ||
        (options->connect_path && !generator_connect (self, options->connect_path, error)))
        return FALSE;
    if (options->writes && !options->memory_path && !options->zeros)
        ioh_bench_generator_fill (self->shape.memory, self->shape.memory_bytes);

    start_us = g_get_monotonic_time ();
    if (!generator_move (self, options->writes, error))
        return FALSE;
    if (close (self->stream_fd) != 0)
        return generator_fail (error, "closing the stream");
    fprintf (stderr, "{\"bytes\": %" G_GUINT64_FORMAT ", \"us\": %" G_GINT64_FORMAT "}\n",
             self->moved_bytes, g_get_monotonic_time () - start_us);
    return TRUE;
}

static gboolean
options_check (Options *options, const char *verb, GError **error)
{
    options->writes = g_strcmp0 (verb, "write") == 0;
    if (!options->writes && g_strcmp0 (verb, "read") != 0) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "say write or read");
        return FALSE;
    }
    if (options->memory_mib < 1 || options->memory_mib > 1 << 20) {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "--memory takes 1 to 1048576 MiB");
        return FALSE;
    }
    return TRUE;
}

int
main (int argc, char **argv)
{
    Options options = {.memory_mib = 256};
    const GOptionEntry entries[] = {
        {"memory", 'm', 0, G_OPTION_ARG_INT64, &options.memory_mib, "Size of the guest memory",
         "MIB"},
        {"memory-file", 'f', 0, G_OPTION_ARG_FILENAME, &options.memory_path,
         "Use FILE as the guest memory, as it is", "FILE"},
        {"zeros", 'z', 0, G_OPTION_ARG_NONE, &options.zeros,
         "Send pages of zeros instead of random ones", NULL},
        {"connect", 'c', 0, G_OPTION_ARG_FILENAME, &options.connect_path,
         "Use a unix socket instead of standard input or output", "PATH"},
        {NULL},
    };
    g_autoptr (GOptionContext) context = g_option_context_new ("write|read");
    g_autoptr (GError) error = NULL;
    Generator self = {.stream_fd = -1};
    int status = 0;

    g_option_context_add_main_entries (context, entries, NULL);
    if (!g_option_context_parse (context, &argc, &argv, &error) ||
        !options_check (&options, argc == 2 ? argv[1] : NULL, &error))
        status = 2;
    else if (!generator_run (&self, &options, &error))
        status = 1;
    if (error)
        fprintf (stderr, "generator: %s\n", error->message);
    g_free (options.memory_path);
    g_free (options.connect_path);
    return status;
}
