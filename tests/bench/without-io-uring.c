/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * without-io-uring COMMAND [ARGUMENT...]
 *
 * Runs a command on a host that refuses io_uring: a seccomp filter answers io_uring_setup with
 * EPERM, as containers and hardened hosts do. Every other call passes, at full speed, which a
 * tracer that injects the error could not offer.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number is the native one: a program of another ABI would get past, and none is measured. */
static struct sock_filter refuse_io_uring[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

int
main (int argc, char **argv)
{
    struct sock_fprog program = {
        .len = sizeof refuse_io_uring / sizeof refuse_io_uring[0],
        .filter = refuse_io_uring,
    };

    if (argc < 2) {
        fprintf (stderr, "usage: without-io-uring COMMAND [ARGUMENT...]\n");
        return 2;
    }
    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        fprintf (stderr, "without-io-uring: seccomp: %s\n", strerror (errno));
        return 1;
    }
    execvp (argv[1], argv + 1);
    fprintf (stderr, "without-io-uring: %s: %s\n", argv[1], strerror (errno));
    return 127;
}
