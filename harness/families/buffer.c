/* Guarded device buffers. The simulator is told which part kernels may touch, and names the line
 * that leaves it. On a GPU the guard zones show afterwards that some line did. */
#include "families/buffer.h"

#include "base/simulator.h"

#include <stdint.h>
#include <string.h>

/* Bytes 0xFF are a NaN of any type that has one, else the largest or least value. */
enum { POISON_BYTE = 0xFF, ZONE_BYTES = LAB_GUARD_BYTES + 256 };

static size_t padded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Words of guard zones are NaN of any type, too: a read from there spoils the result. They differ
 * from the poison, from another buffer's words and from their neighbours. So a copy past the end
 * shows, whatever was copied. */
static void make_zone(const struct lab_buffer *buffer, unsigned char zone[ZONE_BYTES])
{
    uint32_t name = 0, power = 1; /* 31 to the number of letters */
    for (const char *letter = buffer->name; *letter; letter++, power *= 31)
        name = name * 31 + (unsigned char)*letter;
    for (uint32_t i = 0; i < ZONE_BYTES / 4; i++) {
        const uint32_t mixed = (i * power + name) * 2654435761u;
        const uint32_t word = 0xFFF8FF81u + (mixed >> 25) % 125 + ((mixed >> 20) % 7 << 16);
        memcpy(zone + 4 * i, &word, sizeof word);
    }
}

static size_t bytes_behind(const struct lab_buffer *buffer)
{
    return lab_buffer_footprint(buffer->bytes) - LAB_GUARD_BYTES - buffer->bytes;
}

size_t lab_buffer_footprint(size_t bytes)
{
    return padded(bytes) + 2 * LAB_GUARD_BYTES;
}

cudaError_t lab_buffer_create(struct lab_buffer *buffer, size_t bytes, const char *name)
{
    size_t footprint = lab_buffer_footprint(bytes);
    *buffer = (struct lab_buffer){.bytes = bytes, .name = name};
    cudaError_t status = cudaMalloc((void **)&buffer->base, footprint);
    if (status != cudaSuccess)
        return status;
    buffer->data = buffer->base + LAB_GUARD_BYTES;
    unsigned char zone[ZONE_BYTES];
    make_zone(buffer, zone);
    status = cudaMemcpy(buffer->base, zone, LAB_GUARD_BYTES, cudaMemcpyHostToDevice);
    if (status == cudaSuccess)
        status = cudaMemcpy((char *)buffer->data + bytes, zone, bytes_behind(buffer),
                            cudaMemcpyHostToDevice);
    if (status == cudaSuccess)
        status = lab_buffer_poison(buffer, 0);
    if (lab_simulator())
        lab_simulator()->guard(buffer->data, bytes, name);
    return status;
}

void lab_buffer_set_rows(const struct lab_buffer *buffer, const struct lab_array *array)
{
    if (lab_simulator() && array->row)
        lab_simulator()->rows(buffer->data, lab_element_bytes(array->element), array->row,
                              lab_array_columns(array));
}

void lab_buffer_protect(const struct lab_buffer *buffer)
{
    if (lab_simulator())
        lab_simulator()->protect(buffer->data);
}

void lab_buffer_destroy(struct lab_buffer *buffer)
{
    cudaFree(buffer->base);
    *buffer = (struct lab_buffer){0};
}

cudaError_t lab_buffer_poison(const struct lab_buffer *buffer, cudaStream_t stream)
{
    cudaError_t status = cudaMemsetAsync(buffer->data, POISON_BYTE, buffer->bytes, stream);
    if (status == cudaSuccess && lab_simulator())
        lab_simulator()->mark_unwritten(buffer->data, buffer->bytes);
    return status;
}

/* Index of the first byte that is not its guard byte, or `count`. */
static size_t first_changed(const unsigned char *zone, const unsigned char *expected, size_t count)
{
    size_t i = memcmp(zone, expected, count) == 0 ? count : 0;
    while (i < count && zone[i] == expected[i])
        i++;
    return i;
}

cudaError_t lab_buffer_check_guards(const struct lab_buffer *buffer, bool *intact,
                                    ptrdiff_t *offset)
{
    unsigned char zone[ZONE_BYTES], expected[ZONE_BYTES];
    const size_t after = bytes_behind(buffer);
    make_zone(buffer, expected);
    *intact = true;
    cudaError_t status = cudaMemcpy(zone, buffer->base, LAB_GUARD_BYTES, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    size_t changed = first_changed(zone, expected, LAB_GUARD_BYTES);
    if (changed < LAB_GUARD_BYTES) {
        *intact = false;
        *offset = (ptrdiff_t)changed - LAB_GUARD_BYTES;
        return cudaSuccess;
    }
    status = cudaMemcpy(zone, (char *)buffer->data + buffer->bytes, after, cudaMemcpyDeviceToHost);
    if (status != cudaSuccess)
        return status;
    changed = first_changed(zone, expected, after);
    if (changed < after) {
        *intact = false;
        *offset = (ptrdiff_t)(buffer->bytes + changed);
    }
    return cudaSuccess;
}
