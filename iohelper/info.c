/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * info - the command that looks at an image.
 *
 * Owns the opening of the image; nothing of it is changed, and nothing is waited for. Before it is
 * looked at, the process gives up what looking does not need.
 */
#include "info.h"

#include <fcntl.h>
#include <unistd.h>

#include "confine.h"
#include "error.h"
#include "i18n.h"
#include "probe.h"
#include "standard.h"
#include "sys.h"

/* The descriptor, or -1 with the error set. */
static int
info_open (const IohOptions *options, const IohPlace *place, GError **error)
{
    if (!ioh_standard_check (options->file_fd, place, error))
        return -1;
    if (options->file_fd == STDOUT_FILENO) {
        ioh_error_usage (error, _ ("%s is for what info prints"), options->file_name);
        return -1;
    }
    int fd = options->file_fd >= 0
                 ? ioh_sys_dup (options->file_fd)
                 : ioh_sys_open (AT_FDCWD, options->file_path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0)
        ioh_error_errno (error, place, -fd);
    return fd;
}

IohImage *
ioh_info_look (const IohOptions *options, GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, options->file_name, IOH_STAGE_OPEN, IOH_NO_OFFSET};
    ioh_autofd fd = info_open (options, &place, error);

    if (fd < 0)
        return NULL;
    g_autoptr (IohFacts) facts = ioh_probe_image (fd, &place, error);
    if (facts == NULL)
        return NULL;
    if (!facts->file.seekable) {
        ioh_error_set (error, IOH_EXIT_FILE, &place, "%s",
                       _ ("only files and block devices can be looked at"));
        return NULL;
    }
    ioh_confine_reader (options);
    /* from the position of an inherited descriptor, as a restore does */
    return ioh_image_look (fd, options->file_name, facts->file.position, facts->file.size, error);
}

gboolean
ioh_info_check (const IohImage *image, const char *name, GError **error)
{
    const IohImageVerdict *verdict = &image->verdict;
    const IohPlace place = {IOH_SIDE_FILE, name, IOH_STAGE_CHECK, verdict->offset};

    return !ioh_image_is_bad (image) ||
           ioh_error_set (error, IOH_EXIT_IMAGE, &place, "%s", _ (verdict->reason));
}
