/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * open-on-fd: open a file with flags a shell has no words for, put it on a descriptor of a given
 * number, and become another program that inherits it.
 *
 * It adds nothing else to that program: no other descriptor, no environment, no child.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void __attribute__ ((noreturn)) die (const char *what)
{
    fprintf (stderr, "open-on-fd: %s: %s\n", what, strerror (errno));
    exit (125);
}

static int
flag_of (char letter)
{
    switch (letter) {
    case 'r':
        return O_RDONLY;
    case 'w':
        return O_WRONLY;
    case 'u':
        return O_RDWR;
    case 'c':
        return O_CREAT;
    case 't':
        return O_TRUNC;
    case 'a':
        return O_APPEND;
    case 'd':
        return O_DIRECT;
    case 'n':
        return O_NONBLOCK;
    default:
        errno = EINVAL;
        die ("flags");
    }
}

int
main (int argc, char **argv)
{
    int flags = 0, wanted_fd, opened_fd;

    if (argc < 5) {
        fputs ("usage: open-on-fd FD FLAGS FILE COMMAND...   FLAGS: [rwu][ctadn]...\n", stderr);
        return 125;
    }
    wanted_fd = atoi (argv[1]);
    for (const char *letter = argv[2]; *letter != '\0'; letter++)
        flags |= flag_of (*letter);
    opened_fd = open (argv[3], flags, 0600);
    if (opened_fd < 0)
        die (argv[3]);
    if (opened_fd != wanted_fd) {
        if (dup2 (opened_fd, wanted_fd) < 0)
            die (argv[1]);
        close (opened_fd);
    }
    execvp (argv[4], argv + 4);
    die (argv[4]);
}
