/* Walks the container in which nvcc embeds PTX and machine code, and unpacks its entries. */
#include "fatbin.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC   0x466243B1u
#define CONTAINER_MAGIC 0xBA55ED50u

enum {
    CONTAINER_HEADER = 16, /* the smallest headers that hold the fields read below */
    ENTRY_HEADER = 64,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_SPECIFIC = 0x100000 /* such as sm_90a: for this compute capability alone */
};

/* The code of kernels is never larger. A damaged size must not take all memory. */
static const uint64_t LARGEST = (uint64_t)1 << 30;

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *units; /* in version 2: containers, with NULL at the end */
};

static uint64_t field(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, (size_t)bytes); /* little-endian, like the machine; may be unaligned */
    return value;
}

size_t sim_fatbin_size(const void *container)
{
    const uint8_t *const data = container;
    if (!data || field(data, 4) != CONTAINER_MAGIC || field(data + 8, 8) > LARGEST)
        return 0;
    return field(data + 6, 2) + field(data + 8, 8);
}

const void *sim_fatbin_of_wrapper(const void *wrapper, size_t *size)
{
    struct wrapper head;
    memcpy(&head, wrapper, sizeof head);
    *size = head.magic == WRAPPER_MAGIC ? sim_fatbin_size(head.data) : 0;
    return *size ? head.data : NULL;
}

const void *const *sim_fatbin_units(const void *wrapper)
{
    struct wrapper head;
    memcpy(&head, wrapper, sizeof head);
    return head.magic == WRAPPER_MAGIC && head.version == 2 ? head.units : NULL;
}

bool sim_fatbin_open(struct sim_fatbin *fatbin, const void *data, size_t available, char *error,
                     size_t error_size)
{
    const uint8_t *bytes = data;
    if (available < CONTAINER_HEADER || field(bytes, 4) != CONTAINER_MAGIC) {
        snprintf(error, error_size, "not a CUDA fat binary");
        return false;
    }
    uint64_t header = field(bytes + 6, 2), size = field(bytes + 8, 8);
    if (header < CONTAINER_HEADER || header > available || size > available - header) {
        snprintf(error, error_size, "damaged CUDA fat binary: it says %llu bytes, there are %zu",
                 (unsigned long long)(header + size), available);
        return false;
    }
    *fatbin = (struct sim_fatbin){.next = bytes + header, .end = bytes + header + size};
    return true;
}

bool sim_fatbin_next(struct sim_fatbin *fatbin, struct sim_fatbin_entry *entry, char *error,
                     size_t error_size)
{
    const uint8_t *at = fatbin->next;
    size_t left = (size_t)(fatbin->end - at);
    if (error_size > 0)
        error[0] = '\0';
    if (left == 0)
        return false;
    uint64_t header = left < ENTRY_HEADER ? 0 : field(at + 4, 4);
    uint64_t padded = header ? field(at + 8, 8) : 0;
    uint64_t packed = header ? field(at + 16, 4) : 0;
    if (header < ENTRY_HEADER || header > left || padded > left - header || packed > padded) {
        snprintf(error, error_size, "damaged CUDA fat binary: an entry reaches past its end");
        fatbin->next = fatbin->end;
        return false;
    }
    uint64_t flags = field(at + 40, 8), unpacked = field(at + 56, 8);
    bool is_packed = flags & (FLAG_LZ4 | FLAG_ZSTD);
    *entry = (struct sim_fatbin_entry){.kind = (int)field(at, 2),
                                       .arch = (int)field(at + 28, 4),
                                       .flags = flags,
                                       .data = at + header,
                                       .size = is_packed ? packed : padded,
                                       .unpacked = is_packed ? unpacked : padded};
    fatbin->next = at + header + padded;
    return true;
}

char *sim_fatbin_unpack(const struct sim_fatbin_entry *entry, char *error, size_t error_size)
{
    if (entry->unpacked > LARGEST) {
        snprintf(error, error_size, "damaged CUDA fat binary: an entry of %zu bytes",
                 entry->unpacked);
        return NULL;
    }
    char *out = malloc(entry->unpacked + 1);
    if (!out) {
        snprintf(error, error_size, "no memory for %zu bytes of code", entry->unpacked);
        return NULL;
    }
    size_t got;
    if (entry->flags & FLAG_ZSTD) {
        got = ZSTD_decompress(out, entry->unpacked, entry->data, entry->size);
    } else if (entry->flags & FLAG_LZ4) {
        int count = LZ4_decompress_safe((const char *)entry->data, out, (int)entry->size,
                                        (int)entry->unpacked);
        got = count < 0 ? SIZE_MAX : (size_t)count;
    } else {
        memcpy(out, entry->data, entry->size);
        got = entry->size;
    }
    if (got != entry->unpacked) { /* an error code of zstd is larger than every valid size */
        snprintf(error, error_size, "damaged CUDA fat binary: its compressed code does not unpack");
        free(out);
        return NULL;
    }
    out[got] = '\0';
    return out;
}

/* How well an entry suits a device; negative: not at all. Newer PTX is better than none. */
static int64_t suits(const struct sim_fatbin_entry *entry, enum sim_fatbin_kind kind, int arch)
{
    enum { FITS = 1 << 20 };
    const bool is_specific = entry->flags & FLAG_SPECIFIC, fits = entry->arch <= arch;
    if (entry->kind != (int)kind ||
        (is_specific ? entry->arch != arch : !fits && kind != SIM_FATBIN_PTX))
        return -1;
    return 2 * (int64_t)entry->arch + is_specific + (fits ? FITS : 0);
}

char *sim_fatbin_select(const void *data, size_t available, enum sim_fatbin_kind kind, int arch,
                        size_t *length, int *found, char *error, size_t error_size)
{
    struct sim_fatbin fatbin;
    struct sim_fatbin_entry entry, best = {.arch = -1};
    int specific = 0;
    if (!sim_fatbin_open(&fatbin, data, available, error, error_size))
        return NULL;
    while (sim_fatbin_next(&fatbin, &entry, error, error_size)) {
        const int64_t suited = suits(&entry, kind, arch);
        if (suited >= 0 && (best.arch < 0 || suited > suits(&best, kind, arch)))
            best = entry;
        if (entry.kind == (int)kind && entry.flags & FLAG_SPECIFIC)
            specific = entry.arch;
    }
    if (error_size > 0 && error[0])
        return NULL;
    if (best.arch < 0 && specific && kind == SIM_FATBIN_PTX) {
        snprintf(error, error_size,
                 "the code inside is for sm_%da, which only GPUs of compute capability %d.%d run, "
                 "and this GPU has %d.%d",
                 specific, specific / 10, specific % 10, arch / 10, arch % 10);
        return NULL;
    }
    if (best.arch < 0) {
        snprintf(error, error_size,
                 kind == SIM_FATBIN_PTX
                     ? "no PTX inside, only machine code: build with -arch=sm_%d, or with "
                       "-gencode arch=compute_%d,code=compute_%d"
                     : "no machine code for sm_%d or older inside",
                 arch, arch, arch);
        return NULL;
    }
    char *text = sim_fatbin_unpack(&best, error, error_size);
    *length = best.unpacked;
    *found = best.arch;
    if (text && kind == SIM_FATBIN_PTX) /* stored text is padded with NULs */
        *length = strnlen(text, best.unpacked);
    return text;
}
