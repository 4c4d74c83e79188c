/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pattern: the data of the shell tests, and the small things a shell cannot do to a descriptor.
 *
 * Every 8 aligned bytes of a stream hold their own offset (little endian), so that lost, repeated,
 * moved and swapped bytes all show. Words that are zero are holes to "scan" only.
 * It depends on nothing but libc and must never be lenient: any difference is exit status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 262144u

static uint64_t words[BLOCK / 8 + 1];

static void __attribute__ ((noreturn)) die (const char *what)
{
    fprintf (stderr, "pattern: %s: %s\n", what, strerror (errno));
    exit (1);
}

static uint64_t
size_of (const char *text)
{
    char *end;
    uint64_t value = strtoull (text, &end, 10);

    switch (*end) {
    case 'G':
        return value << 30;
    case 'M':
        return value << 20;
    case 'K':
        return value << 10;
    default:
        return value;
    }
}

/* The pattern's bytes [at, at + n), n at most BLOCK. */
static const char *
bytes_at (uint64_t at, size_t n)
{
    uint64_t first = at & ~UINT64_C (7);

    for (size_t i = 0; i * 8 < n + (at - first); i++)
        words[i] = first + i * 8;
    return (const char *) words + (at - first);
}

static void
put (int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t done = write (fd, data, n);

        if (done < 0)
            die ("write");
        data += done;
        n -= (size_t) done;
    }
}

static size_t
get (int fd, void *data, size_t n)
{
    ssize_t done;

    do
        done = read (fd, data, n);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        die ("read");
    return (size_t) done;
}

/* gen SIZE [FROM]: the pattern, as fast as it goes. */
static int
run_gen (uint64_t size, uint64_t from)
{
    for (uint64_t at = 0; at < size;) {
        size_t n = size - at < BLOCK ? (size_t) (size - at) : BLOCK;

        put (STDOUT_FILENO, bytes_at (from + at, n), n);
        at += n;
    }
    return 0;
}

/* trickle SIZE SEED MAX PAUSE: pieces of 1 to MAX bytes, up to PAUSE microseconds between them. */
static int
run_trickle (uint64_t size, unsigned int seed, uint64_t max, uint64_t pause_us)
{
    for (uint64_t at = 0; at < size;) {
        size_t n = 1 + (size_t) ((uint64_t) rand_r (&seed) % (max < BLOCK ? max : BLOCK));

        if (n > size - at)
            n = (size_t) (size - at);
        put (STDOUT_FILENO, bytes_at (at, n), n);
        at += n;
        if (pause_us > 0)
            usleep ((useconds_t) ((uint64_t) rand_r (&seed) % pause_us));
    }
    return 0;
}

static int
differs (uint64_t at, const char *seen, const char *wanted, size_t n)
{
    size_t i = 0;

    while (i < n && seen[i] == wanted[i])
        i++;
    printf ("# byte %" PRIu64 " is the first that differs\n", at + i);
    return 1;
}

/* check SIZE [FROM]: standard input is exactly that. */
static int
run_check (uint64_t size, uint64_t from)
{
    static char seen[BLOCK];
    uint64_t at = 0;
    size_t n;

    while ((n = get (STDIN_FILENO, seen, BLOCK)) > 0) {
        const char *wanted = bytes_at (from + at, n);

        if (memcmp (seen, wanted, n) != 0)
            return differs (at, seen, wanted, n);
        at += n;
    }
    if (at != size)
        printf ("# %" PRIu64 " bytes instead of %" PRIu64 "\n", at, size);
    return at != size;
}

/* Fills the block as far as the input goes, so that words stay aligned. */
static size_t
get_block (char *data)
{
    size_t have = 0, n;

    while (have < BLOCK && (n = get (STDIN_FILENO, data + have, BLOCK - have)) > 0)
        have += n;
    return have;
}

/* scan SIZE: as check, but whole blocks may be zero; prints how many were not. */
static int
run_scan (uint64_t size)
{
    static char seen[BLOCK];
    static const char zeros[BLOCK];
    uint64_t at = 0, filled = 0;
    size_t n;

    while ((n = get_block (seen)) > 0) {
        if (memcmp (seen, zeros, n) != 0) {
            if (memcmp (seen, bytes_at (at, n), n) != 0)
                return differs (at, seen, bytes_at (at, n), n);
            filled++;
        }
        at += n;
    }
    printf ("%" PRIu64 "\n", filled);
    return at != size;
}

/* sip PIECE PAUSE: a reader that takes PIECE bytes at a time with a pause after each. */
static int
run_sip (uint64_t piece, uint64_t pause_us)
{
    static char seen[BLOCK];
    size_t n;

    while ((n = get (STDIN_FILENO, seen, piece < BLOCK ? (size_t) piece : BLOCK)) > 0) {
        put (STDOUT_FILENO, seen, n);
        usleep ((useconds_t) pause_us);
    }
    return 0;
}

/* Sets or clears a flag of the open file description, so everybody who shares it sees it. */
static int
set_flag (int fd, int flag, bool wanted)
{
    int flags = fcntl (fd, F_GETFL);

    if (flags < 0 || fcntl (fd, F_SETFL, wanted ? flags | flag : flags & ~flag) < 0)
        die ("fcntl");
    return 0;
}

/* nonblock FD / block FD */
static int
run_nonblock (int fd, bool wanted)
{
    return set_flag (fd, O_NONBLOCK, wanted);
}

/* append FD / overwrite FD */
static int
run_append (int fd, bool wanted)
{
    return set_flag (fd, O_APPEND, wanted);
}

/* pipe-size FD [SIZE] */
static int
run_pipe_size (int fd, uint64_t size)
{
    if (size > 0 && fcntl (fd, F_SETPIPE_SZ, (int) size) < 0)
        die ("F_SETPIPE_SZ");
    printf ("%d\n", fcntl (fd, F_GETPIPE_SZ));
    return 0;
}

int
main (int argc, char **argv)
{
    const char *verb = argc > 2 ? argv[1] : "";
    uint64_t n[4] = {0};

    for (int i = 2; i < argc && i < 6; i++)
        n[i - 2] = size_of (argv[i]);
    if (strcmp (verb, "gen") == 0)
        return run_gen (n[0], n[1]);
    if (strcmp (verb, "trickle") == 0 && argc == 6)
        return run_trickle (n[0], (unsigned int) n[1], n[2], n[3]);
    if (strcmp (verb, "check") == 0)
        return run_check (n[0], n[1]);
    if (strcmp (verb, "scan") == 0)
        return run_scan (n[0]);
    if (strcmp (verb, "sip") == 0 && argc == 4)
        return run_sip (n[0], n[1]);
    if (strcmp (verb, "nonblock") == 0 || strcmp (verb, "block") == 0)
        return run_nonblock ((int) n[0], verb[0] == 'n');
    if (strcmp (verb, "append") == 0 || strcmp (verb, "overwrite") == 0)
        return run_append ((int) n[0], verb[0] == 'a');
    if (strcmp (verb, "pipe-size") == 0)
        return run_pipe_size ((int) n[0], n[1]);
    fputs ("usage: pattern gen|trickle|check|scan|sip|nonblock|block|append|overwrite|pipe-size "
           "N...\n",
           stderr);
    return 2;
}
