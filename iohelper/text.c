/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * text - a whole text to a descriptor: the report, a picture and its script.
 *
 * Owns the going on after short writes. Not for streams: it waits for whoever reads.
 */
#include "text.h"

#include <errno.h>
#include <string.h>

#include "sys.h"

int
ioh_text_write (int fd, const char *text)
{
    size_t length = strlen (text);

    for (ssize_t written; length > 0; text += written, length -= (size_t) written) {
        written = ioh_sys_write (fd, text, length);
        if (written <= 0)
            return written < 0 ? (int) written : -EIO;
    }
    return 0;
}
