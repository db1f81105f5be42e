/* Where atomics on global memory queue: each slice of L2 does them one sector after the other, and
 * those on floats at one sector no faster than it adds floats. The table has a fixed size. Sectors
 * that share an entry by accident matter little: with many sectors the slices are evenly busy. */
#include "count.h"

#include "sim/memory/memory.h"

#include <stdlib.h>

/* As measured on an H200 (docs/pages/model.md): the groups of eight sectors in a kilobyte go to two
 * slices in turn. */
enum { SLICES = 256, KILOBYTE_SECTORS = 32, PAIR_SECTORS = 8, SLICE_SECTORS = 16 };

struct atomic_turns {
    uint64_t all[SLICES][SLICE_SECTORS], floats[SLICES][SLICE_SECTORS];
};

struct atomic_turns *sim_turns_create(void)
{
    return calloc(1, sizeof(struct atomic_turns));
}

static uint64_t slice_of(uint64_t sector)
{
    const uint64_t slice = sector / KILOBYTE_SECTORS * 2 + sector / PAIR_SECTORS % 2;
    return (slice * UINT64_C(0x9e3779b97f4a7c15)) >> 56;
}

static uint64_t place_in_slice(uint64_t sector)
{
    const uint64_t in_kilobyte = sector % KILOBYTE_SECTORS;
    return in_kilobyte / (2 * PAIR_SECTORS) * PAIR_SECTORS + in_kilobyte % PAIR_SECTORS;
}

unsigned sim_turns_add(struct atomic_turns *turns, const uint64_t *address, uint32_t active,
                       bool is_float)
{
    uint64_t sector[WARP_LANES];
    unsigned count[WARP_LANES], sum = 0;
    const unsigned sectors = sim_count_atomic_turns(address, active, sector, count);
    for (unsigned i = 0; i < sectors; i++) {
        sum += count[i];
        if (!turns)
            continue;
        /* relative to the base of memory, which differs from run to run */
        const uint64_t place = sector[i] - sim_memory_base() / CACHE_SECTOR_BYTES;
        turns->all[slice_of(place)][place_in_slice(place)] += count[i];
        turns->floats[slice_of(place)][place_in_slice(place)] += is_float ? count[i] : 0;
    }
    return sum;
}

void sim_turns_merge(struct atomic_turns *sum, const struct atomic_turns *turns)
{
    for (int s = 0; s < SLICES; s++) {
        for (int i = 0; i < SLICE_SECTORS; i++) {
            sum->all[s][i] += turns->all[s][i];
            sum->floats[s][i] += turns->floats[s][i];
        }
    }
}

void sim_turns_busiest(const struct atomic_turns *turns, uint64_t *slice, uint64_t *floats)
{
    *slice = *floats = 0;
    for (int s = 0; s < SLICES; s++) {
        uint64_t sum = 0;
        for (int i = 0; i < SLICE_SECTORS; i++) {
            sum += turns->all[s][i];
            *floats = turns->floats[s][i] > *floats ? turns->floats[s][i] : *floats;
        }
        *slice = sum > *slice ? sum : *slice;
    }
}
