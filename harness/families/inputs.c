/* Counter-based random inputs: a hash of the index, so that any part can be made again for a
 * comparison without keeping a copy. */
#include "families/inputs.h"

#include <string.h>

/* 32-bit finaliser of MurmurHash3 (Austin Appleby, public domain constants): every input bit moves
 * every output bit, and the compiler vectorises it. */
static inline uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85EBCA6Bu;
    x ^= x >> 13;
    x *= 0xC2B2AE35u;
    x ^= x >> 16;
    return x;
}

static inline float value_at(size_t index, uint32_t key_low, uint32_t key_high)
{
    uint32_t hash = mix((uint32_t)index ^ key_low);
    hash = mix(hash + key_high + (uint32_t)((uint64_t)index >> 32) * 0x9E3779B9u);
    /* Exponent of 0.5, 23 random mantissa bits, random sign. */
    uint32_t bits = 0x3F000000u | (hash & 0x807FFFFFu);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void lab_inputs_fill(float *values, size_t first, size_t count, uint64_t seed)
{
    uint32_t key_low = mix((uint32_t)seed), key_high = mix((uint32_t)(seed >> 32) ^ 0x5BD1E995u);
    for (size_t i = 0; i < count; i++)
        values[i] = value_at(first + i, key_low, key_high);
}

static inline double double_at(size_t index, uint32_t key_low, uint32_t key_high)
{
    uint32_t high = mix((uint32_t)index ^ key_low);
    high = mix(high + key_high + (uint32_t)((uint64_t)index >> 32) * 0x9E3779B9u);
    uint32_t low = mix(high ^ key_low);
    /* Exponent of 0.5, 52 random mantissa bits, random sign. */
    uint64_t bits = (uint64_t)(0x3FE00000u | (high & 0x800FFFFFu)) << 32 | low;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void lab_inputs_fill_doubles(double *values, size_t first, size_t count, uint64_t seed)
{
    uint32_t key_low = mix((uint32_t)seed), key_high = mix((uint32_t)(seed >> 32) ^ 0x5BD1E995u);
    for (size_t i = 0; i < count; i++)
        values[i] = double_at(first + i, key_low, key_high);
}

uint64_t lab_inputs_seed(uint64_t seed, unsigned matrix)
{
    return (seed + 1) * 0x9E3779B97F4A7C15u + matrix * 0xD1B54A32D192ED03u;
}

size_t lab_inputs_place(uint64_t seed, unsigned matrix, size_t count)
{
    return (seed * 2654435761u + matrix * 40503u) % count;
}
