/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_CURSOR_H
#define IOH_CURSOR_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    IOH_CURSOR_GOOD,
    IOH_CURSOR_SHORT,  /* more was wanted than there is */
    IOH_CURSOR_FAILED, /* a read failed, see error_number */
} IohCursorState;

/* A place in a file or block device, from where headers are read that nobody vouches for. What
 * cannot be read reads as zero and changes the state, which stays: it is enough to look at it after
 * a few reads. Few bytes more than those asked for are read from the file. */
typedef struct {
    int fd; /* borrowed */
    uint64_t position;
    uint64_t end; /* there is nothing at or behind it */
    IohCursorState state;
    int error_number; /* errno value */

    size_t unit; /* reads begin and end at multiples of it; what O_DIRECT needs */
    size_t step; /* how much the next read asks for */
    uint8_t *window;
    uint64_t window_start;
    size_t window_bytes;
} IohCursor;

/* FD has positions and may be open with O_DIRECT. */
IohCursor *ioh_cursor_new (int fd, uint64_t position, uint64_t end);
void ioh_cursor_free (IohCursor *cursor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IohCursor, ioh_cursor_free)

/* Each moves on behind what it has read. */
gboolean ioh_cursor_take (IohCursor *cursor, void *out_bytes, size_t length);
uint8_t ioh_cursor_byte (IohCursor *cursor);
uint16_t ioh_cursor_be16 (IohCursor *cursor);
uint32_t ioh_cursor_be32 (IohCursor *cursor);
uint64_t ioh_cursor_be64 (IohCursor *cursor);

/* LENGTH bytes as a string, which the caller frees: valid UTF-8 whatever they are. */
char *ioh_cursor_text (IohCursor *cursor, uint8_t length);

gboolean ioh_cursor_skip (IohCursor *cursor, uint64_t length);

/* Moves to the next place where NEEDLE is, of 1 to 16 bytes. */
gboolean ioh_cursor_find (IohCursor *cursor, const uint8_t *needle, size_t length);

/* Goes to POSITION; the state is good again unless a read has failed. */
void ioh_cursor_seek (IohCursor *cursor, uint64_t position);

/* How much lies between the position and the end. */
uint64_t ioh_cursor_left (const IohCursor *cursor);

#endif
