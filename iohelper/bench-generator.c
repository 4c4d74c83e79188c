/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bench-generator - a stand-in for QEMU at the stream's end.
 *
 * Owns the shape of the stream: what is written at once, and how it is read. Runs in a process of
 * its own, as a hypervisor does, and not through sys: it is no part of any transfer.
 */
#include "bench-generator.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define GENERATOR_PIECES_MOST 1024
#define GENERATOR_READ_BYTES (32u * 1024)

/* A xorshift generator: incompressible, and fast enough not to be waited for. */
void
ioh_bench_generator_fill (uint8_t *memory, size_t bytes)
{
    uint64_t x = UINT64_C (0x9e3779b97f4a7c15);

    for (size_t at = 0; at + sizeof x <= bytes; at += sizeof x) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy (memory + at, &x, sizeof x);
    }
}

/* The pieces that LENGTH bytes of the stream from POSITION on are made of. HEADERS holds those of
 * the headers. Returns how many there are. */
static unsigned
generator_gather (const IohBenchGenerator *generator, uint64_t position, size_t length,
                  uint64_t *headers, struct iovec *pieces)
{
    uint64_t page = position / IOH_BENCH_RECORD_BYTES;
    size_t at = position % IOH_BENCH_RECORD_BYTES;
    size_t pages = generator->memory_bytes / IOH_BENCH_PAGE_BYTES;
    unsigned count = 0;

    for (; length > 0; page++, headers++, at = 0) {
        uint64_t offset = page % pages * IOH_BENCH_PAGE_BYTES;
        *headers = GUINT64_TO_BE (offset);
        if (at < IOH_BENCH_HEADER_BYTES) {
            size_t take = MIN (length, IOH_BENCH_HEADER_BYTES - at);
            pieces[count++] = (struct iovec){(uint8_t *) headers + at, take};
            length -= take;
            at = IOH_BENCH_HEADER_BYTES;
        }
        size_t take = MIN (length, IOH_BENCH_RECORD_BYTES - at);
        if (take == 0)
            break;
        pieces[count++] =
            (struct iovec){generator->memory + offset + at - IOH_BENCH_HEADER_BYTES, take};
        length -= take;
    }
    return count;
}

int
ioh_bench_generator_send (const IohBenchGenerator *generator, int fd, uint64_t bytes,
                          uint64_t *out_bytes)
{
    uint64_t headers[GENERATOR_PIECES_MOST / 2 + 1];
    struct iovec pieces[GENERATOR_PIECES_MOST];
    uint64_t sent = 0;

    *out_bytes = 0;
    while (sent < bytes) {
        size_t burst = generator->burst_bytes - (size_t) (sent % generator->burst_bytes);
        burst = (size_t) MIN (burst, bytes - sent);
        unsigned count = generator_gather (generator, sent, burst, headers, pieces);
        ssize_t written = writev (fd, pieces, (int) count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        sent += (uint64_t) written;
        *out_bytes = sent;
    }
    return 0;
}

/* Where a reader is: AT counts bytes within the current record. */
typedef struct {
    uint8_t header[IOH_BENCH_HEADER_BYTES];
    size_t at;
} GeneratorRecord;

static int
generator_store (const IohBenchGenerator *generator, GeneratorRecord *record, const uint8_t *data,
                 size_t bytes)
{
    while (bytes > 0) {
        gboolean in_header = record->at < IOH_BENCH_HEADER_BYTES;
        size_t end = in_header ? IOH_BENCH_HEADER_BYTES : IOH_BENCH_RECORD_BYTES;
        size_t take = MIN (bytes, end - record->at);
        uint64_t offset;

        if (in_header) {
            memcpy (record->header + record->at, data, take);
        } else {
            memcpy (&offset, record->header, sizeof offset);
            offset = GUINT64_FROM_BE (offset);
            if (offset > generator->memory_bytes - IOH_BENCH_PAGE_BYTES ||
                offset % IOH_BENCH_PAGE_BYTES != 0)
                return -EBADMSG;
            memcpy (generator->memory + offset + record->at - IOH_BENCH_HEADER_BYTES, data, take);
        }
        record->at = (record->at + take) % IOH_BENCH_RECORD_BYTES;
        data += take;
        bytes -= take;
    }
    return 0;
}

int
ioh_bench_generator_receive (const IohBenchGenerator *generator, int fd, uint64_t *out_bytes,
                             gint64 *out_first_us)
{
    uint8_t buffer[GENERATOR_READ_BYTES];
    GeneratorRecord record = {0};
    ssize_t taken;

    *out_bytes = 0;
    *out_first_us = 0;
    while ((taken = read (fd, buffer, sizeof buffer)) != 0) {
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken < 0)
            return -errno;
        if (*out_bytes == 0)
            *out_first_us = g_get_monotonic_time ();
        int result = generator_store (generator, &record, buffer, (size_t) taken);
        if (result < 0)
            return result;
        *out_bytes += (uint64_t) taken;
    }
    return record.at == 0 ? 0 : -EPIPE;
}
