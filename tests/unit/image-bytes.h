/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_IMAGE_BYTES_H
#define IOH_TEST_IMAGE_BYTES_H

#include <glib.h>

#include "image.h"

#define BYTES_PAGE 4096

/* Adds to an image: bytes, a number of LENGTH bytes, a name with its length before it. */
void bytes_put (GByteArray *image, const void *bytes, size_t length);
void bytes_put_number (GByteArray *image, uint64_t number, unsigned length);
void bytes_put_name (GByteArray *image, const char *name);

/* The beginning of a stream; without a configuration when MACHINE is NULL. */
void bytes_put_begin (GByteArray *image, const char *machine);

/* What is in front of and behind the content of a section; the name only where it is told. */
void bytes_put_section (GByteArray *image, unsigned kind, unsigned id, const char *name);
void bytes_put_footer (GByteArray *image, unsigned id);

/* The section of id 2 that tells of two blocks of guest memory, of three pages and one. */
void bytes_put_ram_start (GByteArray *image);

/* A record of guest memory with LENGTH bytes behind it. */
void bytes_put_page (GByteArray *image, uint64_t word, const char *block, unsigned length);

/* What QEMU puts behind the end mark. */
extern const char bytes_description[];
void bytes_put_description (GByteArray *image);

/* A whole stream of machine pc-7.2. */
GByteArray *bytes_new_stream (gboolean described);

/* What libvirt puts in front; ROOM for the XML and more. */
void bytes_put_libvirt (GByteArray *image, const char *magic, const char *xml, unsigned format,
                        unsigned room);

/* A file of the first LENGTH bytes. */
int bytes_fd (const GByteArray *bytes, uint64_t length);

/* What the first LENGTH bytes are; whatever they are, what is known of them can be printed. */
IohImage *bytes_look (const GByteArray *bytes, uint64_t length);

/* That all of them are in STATE. */
void bytes_check_state (const GByteArray *bytes, IohImageState state);

#endif
