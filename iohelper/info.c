/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * info - the command that looks at an image.
 *
 * Owns the opening of the image; nothing of it is changed, and nothing is waited for. Before it is
 * looked at, the process gives up what looking does not need.
 */
#include "info.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "confine.h"
#include "error.h"
#include "i18n.h"
#include "standard.h"
#include "sys.h"

/* Where the image begins and ends in FD. */
static gboolean
info_measure (const IohOptions *options, int fd, uint64_t *out_start, uint64_t *out_end,
              GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, options->file_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    struct stat st;
    int result = ioh_sys_fstat (fd, &st);
    gint64 position = 0;

    if (result >= 0 && S_ISDIR (st.st_mode))
        result = -EISDIR;
    if (result >= 0 && !S_ISREG (st.st_mode) && !S_ISBLK (st.st_mode))
        return ioh_error_set (error, IOH_EXIT_FILE, &place, "%s",
                              _ ("only files and block devices can be looked at"));
    if (result >= 0 && S_ISBLK (st.st_mode))
        result = ioh_sys_device_size (fd, out_end);
    else if (result >= 0)
        *out_end = (uint64_t) st.st_size;
    /* as a restore does, which begins at the position of an inherited descriptor */
    if (result >= 0 && options->file_fd >= 0)
        position = ioh_sys_seek (fd, 0, SEEK_CUR);
    if (result < 0 || position < 0)
        return ioh_error_errno (error, &place, result < 0 ? -result : (int) -position);
    *out_start = (uint64_t) position;
    return TRUE;
}

IohImage *
ioh_info_look (const IohOptions *options, GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, options->file_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    uint64_t start = 0;
    uint64_t end = 0;

    if (!ioh_standard_check (options->file_fd, &place, error))
        return NULL;
    if (options->file_fd == STDOUT_FILENO) {
        ioh_error_usage (error, _ ("%s is for what info prints"), options->file_name);
        return NULL;
    }
    ioh_autofd fd = options->file_fd >= 0 ? ioh_sys_dup (options->file_fd)
                                          : ioh_sys_open (AT_FDCWD, options->file_path,
                                                          O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);

    if (fd < 0) {
        ioh_error_errno (error, &place, -fd);
        return NULL;
    }
    if (!info_measure (options, fd, &start, &end, error))
        return NULL;
    ioh_confine_reader (options);
    return ioh_image_look (fd, options->file_name, start, end, error);
}

gboolean
ioh_info_check (const IohImage *image, const char *name, GError **error)
{
    const IohImageVerdict *verdict = &image->verdict;
    const IohPlace place = {IOH_SIDE_FILE, name, IOH_STAGE_CHECK, verdict->offset};

    return !ioh_image_is_bad (image) ||
           ioh_error_set (error, IOH_EXIT_IMAGE, &place, "%s", _ (verdict->reason));
}
