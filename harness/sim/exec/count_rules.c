/* How the hardware splits a warp's access: sectors of global memory, wavefronts of shared memory.
 * 32 banks of 4 bytes; confirmed with counters of an H200 for 4- and 16-byte accesses. */
#include "count.h"

enum { SECTOR_SHIFT = 5, BANKS = 32, LANES_OF_HALF = 16, LANES_OF_QUARTER = 8 };

static unsigned add_distinct(uint64_t *seen, unsigned count, uint64_t value)
{
    for (unsigned i = count; i-- > 0;)
        if (seen[i] == value)
            return count;
    seen[count] = value;
    return count + 1;
}

unsigned sim_count_sectors(const uint64_t *address, uint32_t active, unsigned bytes)
{
    uint64_t seen[2 * WARP_LANES];
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(active >> lane & 1))
            continue;
        count = add_distinct(seen, count, address[lane] >> SECTOR_SHIFT);
        count = add_distinct(seen, count, (address[lane] + bytes - 1) >> SECTOR_SHIFT);
    }
    return count;
}

/* The largest number of distinct words in one bank. */
static unsigned deepest_bank(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    uint64_t words[BANKS][WARP_LANES];
    unsigned depth[BANKS] = {0}, deepest = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const uint64_t last = (address[lane] + bytes - 1) >> 2;
        for (uint64_t word = address[lane] >> 2; word <= last; word++) {
            unsigned *const bank = &depth[word % BANKS];
            *bank = add_distinct(words[word % BANKS], *bank, word);
            deepest = *bank > deepest ? *bank : deepest;
        }
    }
    return deepest;
}

/* Whether each active lane's neighbour at `distance` is inactive or at the same address. */
static bool is_paired(const uint64_t *address, uint32_t active, unsigned distance)
{
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (active >> lane & 1 && active >> (lane ^ distance) & 1 &&
            address[lane] != address[lane ^ distance])
            return false;
    return true;
}

/* Lanes that are served together: a warp for 4 bytes, halves for 8, quarters for 16; twice as many
 * where pairs of lanes have equal addresses. */
static unsigned group_lanes(const uint64_t *address, uint32_t active, unsigned bytes)
{
    if (bytes <= 4)
        return WARP_LANES;
    const bool merges = is_paired(address, active, 1) || is_paired(address, active, 2);
    const unsigned lanes = bytes <= 8 ? LANES_OF_HALF : LANES_OF_QUARTER;
    return merges ? 2 * lanes : lanes;
}

unsigned sim_count_wavefronts(const uint64_t *address, uint32_t active, unsigned bytes,
                              unsigned *conflicts)
{
    const unsigned lanes = group_lanes(address, active, bytes);
    unsigned wavefronts = 0, groups = 0;
    for (unsigned first = 0; first < WARP_LANES; first += lanes) {
        const uint32_t group = active & (UINT32_MAX >> (WARP_LANES - lanes) << first);
        groups += group != 0;
        wavefronts += deepest_bank(address, group, bytes);
    }
    if (conflicts)
        *conflicts = wavefronts - groups;
    return wavefronts;
}
