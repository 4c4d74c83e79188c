/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_BENCH_GENERATOR_H
#define IOH_BENCH_GENERATOR_H

#include <glib.h>
#include <stdint.h>

#define IOH_BENCH_PAGE_BYTES 4096u
#define IOH_BENCH_HEADER_BYTES 8u
#define IOH_BENCH_RECORD_BYTES (IOH_BENCH_HEADER_BYTES + IOH_BENCH_PAGE_BYTES)

/* What QEMU writes at once: 32 pages, each behind its header. */
#define IOH_BENCH_BURST_BYTES (32u * IOH_BENCH_RECORD_BYTES)

/* Beyond that the pieces of a burst would be more than one writev takes. */
#define IOH_BENCH_BURST_MOST (2u << 20)

/* The memory of a guest that is not there, sent round and round as records: a header, which is the
 * page's offset, and the page. It is a stream in QEMU's shape and no migration stream. */
typedef struct {
    uint8_t *memory;     /* borrowed */
    size_t memory_bytes; /* whole pages, at least one */
    size_t burst_bytes;  /* 1 to IOH_BENCH_BURST_MOST: of one write */
} IohBenchGenerator;

/* Fills MEMORY with bytes that neither repeat nor compress. */
void ioh_bench_generator_fill (uint8_t *memory, size_t bytes);

/* Writes the first BYTES of the stream to FD, which may block, a burst at a time. *OUT_BYTES is how
 * many were written, also on failure. 0 or -errno. */
int ioh_bench_generator_send (const IohBenchGenerator *generator, int fd, uint64_t bytes,
                              uint64_t *out_bytes);

/* Reads a stream from FD to its end as QEMU does, 32 KiB at a time, and copies its pages to where
 * they came from. *OUT_FIRST_US is when its first bytes were there. 0 or -errno; -EBADMSG for a
 * header that makes no sense, -EPIPE for a stream that ends within a record. */
int ioh_bench_generator_receive (const IohBenchGenerator *generator, int fd, uint64_t *out_bytes,
                                 gint64 *out_first_us);

#endif
