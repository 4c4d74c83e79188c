/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEXT_H
#define IOH_TEXT_H

/* Writes all of TEXT to FD. 0, or -errno. */
int ioh_text_write (int fd, const char *text);

#endif
