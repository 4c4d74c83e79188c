/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_DROPIN_H
#define IOH_DROPIN_H

#include <glib.h>

#include "options.h"

/* The drop-in for libvirt: `libvirt_iohelper PATH FD`. PATH is a label for messages and never
 * opened; the access mode of FD tells the direction, the stream is standard input or output. */

/* TRUE when ARGV asks for the drop-in: by the program's name, or as `iohelper PATH FD`. */
gboolean ioh_dropin_wanted (int argc, char **argv);

/* Reads the two arguments. NULL with an error; --help prints and exits 0. */
IohOptions *ioh_dropin_parse (int argc, char **argv, GError **error);

/* The line libvirt shows its user instead of QEMU's error; the caller frees it. Without a newline,
 * which would end up in that message. PATH is NULL when there was none. */
char *ioh_dropin_message (const char *program, const char *path, const GError *error);

/* TRUE when ERROR is none for libvirt: the hypervisor stopped reading, as it may when padding
 * follows the stream. */
gboolean ioh_dropin_forgives (const IohOptions *options, const GError *error);

#endif
