/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * generator write|read [OPTIONS]
 *
 * A stand-in for QEMU at the stream's end, for machines without it and for quick looks. It moves
 * bytes in the same shapes and nothing more: the writer flushes 32 pages, each behind an 8-byte
 * header, with one writev of 131,328 bytes; the reader takes 32 KiB at a time and copies the pages
 * out to guest memory. The stream is not a migration stream: a header is the page's offset.
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
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define HEADER_BYTES 8u
#define PAGES_PER_BURST 32u
#define READ_BYTES (32u * 1024)

typedef struct {
    gboolean writes;
    gboolean zeros;
    gint64 memory_mib;
    char *memory_path;
    char *connect_path;
} Options;

typedef struct {
    guint8 *memory;
    size_t memory_bytes;
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

/* A xorshift generator: incompressible, and fast enough not to be waited for. */
static void
generator_fill (guint8 *memory, size_t bytes)
{
    uint64_t *words = (uint64_t *) (void *) memory;
    uint64_t x = 0x9e3779b97f4a7c15u;

    for (size_t i = 0; i < bytes / sizeof *words; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        words[i] = x;
    }
}

static gboolean
generator_map (Generator *self, const Options *options, GError **error)
{
    const char *path = options->memory_path;
    struct stat st;
    int fd = -1;

    self->memory_bytes = (size_t) options->memory_mib << 20;
    if (path) {
        fd = open (path, O_RDWR | O_CLOEXEC);
        if (fd < 0 || fstat (fd, &st) != 0)
            return generator_fail (error, path);
        self->memory_bytes = (size_t) st.st_size / PAGE_BYTES * PAGE_BYTES;
    }
    self->memory = mmap (NULL, self->memory_bytes, PROT_READ | PROT_WRITE,
                         path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    if (fd >= 0)
        close (fd);
    return self->memory != MAP_FAILED || generator_fail (error, path ? path : "guest memory");
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
generator_write_all (Generator *self, struct iovec *iov, unsigned int count, GError **error)
{
    while (count > 0) {
        ssize_t n = writev (self->stream_fd, iov, (int) count);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return generator_fail (error, "stream");
        self->moved_bytes += (uint64_t) n;
        while (count > 0 && (size_t) n >= iov->iov_len) {
            n -= (ssize_t) iov->iov_len;
            iov++;
            count--;
        }
        if (count > 0) {
            iov->iov_base = (guint8 *) iov->iov_base + n;
            iov->iov_len -= (size_t) n;
        }
    }
    return TRUE;
}

static gboolean
generator_write (Generator *self, GError **error)
{
    uint64_t headers[PAGES_PER_BURST];
    struct iovec iov[2 * PAGES_PER_BURST];

    for (size_t offset = 0; offset < self->memory_bytes;) {
        unsigned int pages = 0;

        for (; pages < PAGES_PER_BURST && offset < self->memory_bytes; pages++) {
            headers[pages] = GUINT64_TO_BE (offset);
            iov[2 * pages] = (struct iovec){&headers[pages], HEADER_BYTES};
            iov[2 * pages + 1] = (struct iovec){self->memory + offset, PAGE_BYTES};
            offset += PAGE_BYTES;
        }
        if (!generator_write_all (self, iov, 2 * pages, error))
            return FALSE;
    }
    return TRUE;
}

/* Takes the records apart: @at counts bytes within the current one. */
static gboolean
generator_store (Generator *self, const guint8 *data, size_t bytes, guint8 *header, size_t *at,
                 GError **error)
{
    while (bytes > 0) {
        gboolean in_header = *at < HEADER_BYTES;
        size_t take = MIN (bytes, (in_header ? HEADER_BYTES : HEADER_BYTES + PAGE_BYTES) - *at);
        uint64_t offset;

        if (in_header) {
            memcpy (header + *at, data, take);
        } else {
            memcpy (&offset, header, sizeof offset);
            offset = GUINT64_FROM_BE (offset);
            if (offset > self->memory_bytes - PAGE_BYTES || offset % PAGE_BYTES != 0) {
                errno = EBADMSG;
                return generator_fail (error, "page header");
            }
            memcpy (self->memory + offset + *at - HEADER_BYTES, data, take);
        }
        *at = (*at + take) % (HEADER_BYTES + PAGE_BYTES);
        data += take;
        bytes -= take;
    }
    return TRUE;
}

static gboolean
generator_read (Generator *self, GError **error)
{
    guint8 buffer[READ_BYTES];
    guint8 header[HEADER_BYTES];
    size_t at = 0;
    ssize_t n;

    while ((n = read (self->stream_fd, buffer, sizeof buffer)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return generator_fail (error, "stream");
        if (!generator_store (self, buffer, (size_t) n, header, &at, error))
            return FALSE;
        self->moved_bytes += (uint64_t) n;
    }
    if (at == 0)
        return TRUE;
    errno = EPIPE;
    return generator_fail (error, "stream ends within a page");
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
        generator_fill (self->memory, self->memory_bytes);

    start_us = g_get_monotonic_time ();
    if (!(options->writes ? generator_write (self, error) : generator_read (self, error)))
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
