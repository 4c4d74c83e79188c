/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cursor - reads headers that are scattered over a large file.
 *
 * Owns one window of bounded size. Reads that follow each other ask for more and more, as kernels
 * do that read ahead; a read after a jump asks for little again, so that the contents between two
 * headers are passed over and not copied. No length that comes from the file is ever allocated.
 */
#include "cursor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

#define CURSOR_WINDOW ((size_t) 64 * 1024)
#define CURSOR_UNIT ((size_t) 512)

/* What every O_DIRECT is content with. */
#define CURSOR_DIRECT_UNIT ((size_t) 4096)

IohCursor *
ioh_cursor_new (int fd, uint64_t position, uint64_t end)
{
    IohCursor *cursor = g_new0 (IohCursor, 1);
    int flags = ioh_sys_get_flags (fd);

    cursor->fd = fd;
    cursor->position = MIN (position, end);
    cursor->end = end;
    cursor->unit = flags >= 0 && (flags & O_DIRECT) != 0 ? CURSOR_DIRECT_UNIT : CURSOR_UNIT;
    cursor->step = cursor->unit;
    cursor->window = aligned_alloc (CURSOR_DIRECT_UNIT, CURSOR_WINDOW);
    if (cursor->window == NULL)
        g_error ("no memory for %zu bytes", CURSOR_WINDOW);
    return cursor;
}

void
ioh_cursor_free (IohCursor *cursor)
{
    if (cursor == NULL)
        return;
    free (cursor->window);
    g_free (cursor);
}

uint64_t
ioh_cursor_left (const IohCursor *cursor)
{
    return cursor->end - cursor->position;
}

void
ioh_cursor_seek (IohCursor *cursor, uint64_t position)
{
    cursor->position = MIN (position, cursor->end);
    if (cursor->state == IOH_CURSOR_SHORT)
        cursor->state = IOH_CURSOR_GOOD;
}

static gboolean
cursor_is_short (IohCursor *cursor)
{
    cursor->state = IOH_CURSOR_SHORT;
    cursor->position = cursor->end;
    return FALSE;
}

/* How many bytes from the position on the window holds. */
static size_t
cursor_held (const IohCursor *cursor)
{
    uint64_t window_end = MIN (cursor->window_start + cursor->window_bytes, cursor->end);

    if (cursor->position < cursor->window_start || cursor->position >= window_end)
        return 0;
    return (size_t) (window_end - cursor->position);
}

/* Moves the window over the position, with STEP bytes in it or what there is of them. */
static gboolean
cursor_load (IohCursor *cursor, size_t step)
{
    cursor->window_start = cursor->position - cursor->position % cursor->unit;
    cursor->window_bytes = 0;
    while (cursor->window_bytes < step) {
        ssize_t got = ioh_sys_pread (cursor->fd, cursor->window + cursor->window_bytes,
                                     step - cursor->window_bytes,
                                     cursor->window_start + cursor->window_bytes);
        if (got < 0) {
            cursor->state = IOH_CURSOR_FAILED;
            cursor->error_number = (int) -got;
            return FALSE;
        }
        cursor->window_bytes += (size_t) got;
        /* the file ends here; at an odd place O_DIRECT takes no further read */
        if (got == 0 || cursor->window_bytes % cursor->unit != 0)
            break;
    }
    return cursor_held (cursor) > 0 || cursor_is_short (cursor);
}

/* Sees to it that the window holds the position. */
static gboolean
cursor_fill (IohCursor *cursor)
{
    if (cursor->state != IOH_CURSOR_GOOD)
        return FALSE;
    if (cursor_held (cursor) > 0)
        return TRUE;
    if (cursor->position >= cursor->end)
        return cursor_is_short (cursor);
    gboolean follows = cursor->position == cursor->window_start + cursor->window_bytes;
    cursor->step = follows ? MIN (2 * cursor->step, CURSOR_WINDOW) : cursor->unit;
    return cursor_load (cursor, cursor->step);
}

gboolean
ioh_cursor_take (IohCursor *cursor, void *out_bytes, size_t length)
{
    uint8_t *out = out_bytes;

    memset (out, 0, length);
    while (length > 0) {
        if (!cursor_fill (cursor))
            return FALSE;
        size_t part = MIN (length, cursor_held (cursor));
        memcpy (out, cursor->window + (cursor->position - cursor->window_start), part);
        cursor->position += part;
        out += part;
        length -= part;
    }
    return cursor->state == IOH_CURSOR_GOOD;
}

uint8_t
ioh_cursor_byte (IohCursor *cursor)
{
    uint8_t value = 0;

    return ioh_cursor_take (cursor, &value, sizeof value) ? value : 0;
}

uint16_t
ioh_cursor_be16 (IohCursor *cursor)
{
    uint16_t value = 0;

    return ioh_cursor_take (cursor, &value, sizeof value) ? GUINT16_FROM_BE (value) : 0;
}

uint32_t
ioh_cursor_be32 (IohCursor *cursor)
{
    uint32_t value = 0;

    return ioh_cursor_take (cursor, &value, sizeof value) ? GUINT32_FROM_BE (value) : 0;
}

uint64_t
ioh_cursor_be64 (IohCursor *cursor)
{
    uint64_t value = 0;

    return ioh_cursor_take (cursor, &value, sizeof value) ? GUINT64_FROM_BE (value) : 0;
}

char *
ioh_cursor_text (IohCursor *cursor, uint8_t length)
{
    char text[UINT8_MAX] = "";

    ioh_cursor_take (cursor, text, length);
    return g_utf8_make_valid (text, (gssize) strnlen (text, length));
}

gboolean
ioh_cursor_skip (IohCursor *cursor, uint64_t length)
{
    if (cursor->state != IOH_CURSOR_GOOD)
        return FALSE;
    if (length > ioh_cursor_left (cursor))
        return cursor_is_short (cursor);
    cursor->position += length;
    return TRUE;
}

gboolean
ioh_cursor_find (IohCursor *cursor, const uint8_t *needle, size_t length)
{
    if (cursor->state != IOH_CURSOR_GOOD)
        return FALSE;
    while (ioh_cursor_left (cursor) >= length) {
        if (cursor_held (cursor) < length && !cursor_load (cursor, CURSOR_WINDOW))
            return FALSE;
        size_t held = cursor_held (cursor);
        const uint8_t *from = cursor->window + (cursor->position - cursor->window_start);
        const uint8_t *found = held >= length ? memmem (from, held, needle, length) : NULL;
        if (found != NULL) {
            cursor->position += (uint64_t) (found - from);
            return TRUE;
        }
        if (held < length)
            break;
        cursor->position += held - (length - 1);
    }
    return cursor_is_short (cursor);
}
