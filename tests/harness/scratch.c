/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scratch - directories, files and devices of a test.
 *
 * Owns that nothing is left behind: directories are removed by who made them, a device goes with
 * its last descriptor.
 */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct ScratchDevice {
    int fd; /* keeps it attached */
    char *path;
};

char *
scratch_new (void)
{
    g_autoptr (GError) error = NULL;
    char *directory = g_dir_make_tmp ("ioh-test-XXXXXX", &error);

    g_assert_no_error (error);
    return directory;
}

static GPtrArray *
scratch_list (const char *directory)
{
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        g_ptr_array_add (names, g_strdup (name));
    return names;
}

void
scratch_remove (char *directory)
{
    g_autoptr (GPtrArray) names = scratch_list (directory);

    for (unsigned i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename (directory, names->pdata[i], NULL);
        g_remove (path);
    }
    g_rmdir (directory);
    g_free (directory);
}

static int
scratch_compare (gconstpointer a, gconstpointer b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

char *
scratch_names (const char *directory)
{
    g_autoptr (GPtrArray) names = scratch_list (directory);

    g_ptr_array_sort (names, scratch_compare);
    g_ptr_array_add (names, NULL);
    return g_strjoinv (" ", (char **) names->pdata);
}

char *
scratch_file (const char *directory, const char *name, size_t length, int value)
{
    g_autofree char *content = g_malloc (length + 1);
    g_autoptr (GError) error = NULL;
    char *path = g_build_filename (directory, name, NULL);

    memset (content, value, length);
    g_file_set_contents_full (path, content, (gssize) length, G_FILE_SET_CONTENTS_NONE, 0600,
                              &error);
    g_assert_no_error (error);
    return path;
}

/* Devices do not tell their size in stat. */
uint8_t *
scratch_read (const char *path, size_t *out_length)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    size_t room = fd >= 0 ? (size_t) (lseek (fd, 0, SEEK_END) + 1) : 0; /* one to see it grow */
    uint8_t *content = room > 0 ? g_malloc (room) : NULL;
    ssize_t got = 1;

    *out_length = 0;
    while (*out_length < room && got > 0) {
        got = pread (fd, content + *out_length, room - *out_length, (off_t) *out_length);
        *out_length += (size_t) MAX (got, 0);
    }
    if (fd >= 0)
        close (fd);
    return content;
}

gboolean
scratch_is_filled (const uint8_t *bytes, size_t length, int value)
{
    return length == 0 || (bytes[0] == value && memcmp (bytes, bytes + 1, length - 1) == 0);
}

unsigned
scratch_count_fds (void)
{
    g_autoptr (GPtrArray) names = scratch_list ("/proc/self/fd");

    return names->len - 1; /* the one that lists */
}

void
scratch_lacks (const char *what)
{
    if (g_strcmp0 (g_getenv ("IOH_MUST_WORK"), "1") == 0)
        g_test_fail_printf ("needed: %s", what);
    else
        g_test_skip (what);
}

/* Attaches BACKING_FD to a free loop device. The device's descriptor or -1. */
static int
scratch_attach (int backing_fd, unsigned sector_bytes, char **out_path)
{
    struct loop_config config = {
        .fd = (uint32_t) backing_fd,
        .block_size = sector_bytes,
        .info.lo_flags = LO_FLAGS_AUTOCLEAR,
    };
    int control_fd = open ("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int fd = -1;

    /* somebody else may take the free one first */
    for (int i = 0; i < 16 && control_fd >= 0 && fd < 0; i++) {
        int number = ioctl (control_fd, LOOP_CTL_GET_FREE);
        g_autofree char *path = g_strdup_printf ("/dev/loop%d", number);
        fd = number < 0 ? -1 : open (path, O_RDWR | O_CLOEXEC);
        if (fd >= 0 && ioctl (fd, LOOP_CONFIGURE, &config) < 0) {
            close (fd);
            fd = -1;
        } else if (fd >= 0) {
            *out_path = g_steal_pointer (&path);
        }
    }
    if (control_fd >= 0)
        close (control_fd);
    return fd;
}

ScratchDevice *
scratch_device_new (uint64_t bytes, unsigned sector_bytes, const char **out_why)
{
    char *path = NULL;

    if (geteuid () != 0) {
        *out_why = "only root makes loop devices";
        return NULL;
    }
    int backing_fd = memfd_create ("ioh-test", MFD_CLOEXEC);
    int fd = -1;
    if (backing_fd >= 0 && ftruncate (backing_fd, (off_t) bytes) == 0)
        fd = scratch_attach (backing_fd, sector_bytes, &path);
    if (backing_fd >= 0)
        close (backing_fd);
    if (fd < 0) {
        *out_why = "there is no free loop device";
        return NULL;
    }
    ScratchDevice *device = g_new0 (ScratchDevice, 1);
    device->fd = fd;
    device->path = path;
    return device;
}

const char *
scratch_device_path (const ScratchDevice *device)
{
    return device->path;
}

void
scratch_device_free (ScratchDevice *device)
{
    if (device == NULL)
        return;
    close (device->fd);
    g_free (device->path);
    g_free (device);
}
