/* How the hardware splits a warp's access: into sectors of global memory, and into wavefronts of
 * shared memory, which has 32 banks of 4 bytes. Each rule was checked with the counters of an H200,
 * one access at a time. */
#include "count.h"

enum {
    SECTOR_SHIFT = 5,
    SECTOR_LAST = 31,
    LINE_SHIFT = 7,
    LINE_SECTORS = 4,
    HALF_SECTOR = 16,
    TAGS = 4,
    BANKS = 32,
    LANES_OF_HALF = 16,
    LANES_OF_QUARTER = 8
};

static unsigned add_distinct(uint64_t *seen, unsigned count, uint64_t value)
{
    for (unsigned i = count; i-- > 0;)
        if (seen[i] == value)
            return count;
    seen[count] = value;
    return count + 1;
}

/* Marks bytes of a sector. @return the number of sectors so far */
static unsigned touch(uint64_t *sectors, uint32_t *touched, uint64_t *largest, unsigned count,
                      uint64_t sector, uint32_t bytes)
{
    unsigned at = count;
    if (count > 0 && sector > *largest)
        at = 0; /* as in most accesses, where addresses ascend by lane */
    while (at > 0 && sectors[at - 1] != sector)
        at--;
    if (at == 0) {
        sectors[count] = sector;
        touched[count] = 0;
        *largest = count == 0 || sector > *largest ? sector : *largest;
        at = ++count;
    }
    touched[at - 1] |= bytes;
    return count;
}

unsigned sim_count_sectors(const uint64_t *address, uint32_t active, unsigned bytes, unsigned *used)
{
    uint64_t sectors[2 * WARP_LANES];
    uint32_t touched[2 * WARP_LANES];
    uint64_t largest = 0;
    unsigned count = 0;
    const uint64_t mask = (1ull << bytes) - 1;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(active >> lane & 1))
            continue;
        const uint64_t sector = address[lane] >> SECTOR_SHIFT;
        const uint64_t in_two = mask << (address[lane] & SECTOR_LAST);
        count = touch(sectors, touched, &largest, count, sector, (uint32_t)in_two);
        if (in_two >> 32)
            count = touch(sectors, touched, &largest, count, sector + 1, (uint32_t)(in_two >> 32));
    }
    *used = 0;
    for (unsigned i = 0; i < count; i++)
        *used += (unsigned)__builtin_popcount(touched[i]);
    return count;
}

unsigned sim_count_cache_lines(const uint64_t *address, uint32_t active, unsigned bytes)
{
    uint64_t seen[2 * WARP_LANES];
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(active >> lane & 1))
            continue;
        count = add_distinct(seen, count, address[lane] >> LINE_SHIFT);
        count = add_distinct(seen, count, (address[lane] + bytes - 1) >> LINE_SHIFT);
    }
    return count;
}

/* The first active lane of each address. */
static uint32_t one_of_each(const uint64_t *address, uint32_t active)
{
    uint64_t seen[WARP_LANES];
    uint32_t first = 0;
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(active >> lane & 1))
            continue;
        const unsigned before = count;
        count = add_distinct(seen, count, address[lane]);
        first |= (uint32_t)(count > before) << lane;
    }
    return first;
}

/* Lanes with the same address take turns. Lanes at other words of the sector share these turns. */
unsigned sim_count_atomic_turns(const uint64_t *address, uint32_t active, uint64_t *sector,
                                unsigned *turns)
{
    const uint32_t first = one_of_each(address, active);
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        unsigned same = 0;
        if (!(first >> lane & 1))
            continue;
        for (unsigned other = lane; other < WARP_LANES; other++)
            same += (active >> other & 1) && address[other] == address[lane];
        unsigned i = 0;
        while (i < count && sector[i] != address[lane] >> SECTOR_SHIFT)
            i++;
        if (i == count) {
            sector[count] = address[lane] >> SECTOR_SHIFT;
            turns[count++] = 0;
        }
        turns[i] = same > turns[i] ? same : turns[i];
    }
    return count;
}

/* The largest number of words that lanes want from one bank. Lanes that want the same word `share`
 * it, or else take a turn each. */
static unsigned deepest_bank(const uint64_t *address, uint32_t lanes, unsigned bytes, bool share)
{
    uint64_t words[BANKS][WARP_LANES];
    unsigned depth[BANKS] = {0}, deepest = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const uint64_t last = (address[lane] + bytes - 1) >> 2;
        for (uint64_t word = address[lane] >> 2; word <= last; word++) {
            unsigned *const bank = &depth[word % BANKS];
            *bank = share ? add_distinct(words[word % BANKS], *bank, word) : *bank + 1;
            deepest = *bank > deepest ? *bank : deepest;
        }
    }
    return deepest;
}

/* Whether for each active lane, the lane at `distance` is inactive or has the same address. */
static bool is_paired(const uint64_t *address, uint32_t active, unsigned distance)
{
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (active >> lane & 1 && active >> (lane ^ distance) & 1 &&
            address[lane] != address[lane ^ distance])
            return false;
    return true;
}

/* Lanes that are served together: a warp for 4 bytes, halves for 8, quarters for 16. */
static unsigned group_lanes(unsigned bytes)
{
    return bytes <= 4 ? WARP_LANES : bytes <= 8 ? LANES_OF_HALF : LANES_OF_QUARTER;
}

static uint32_t lanes_of_group(uint32_t active, unsigned first, unsigned lanes)
{
    return active & (UINT32_MAX >> (WARP_LANES - lanes) << first);
}

/* Loads serve twice as many lanes together if pairs of lanes have equal addresses. Other accesses
 * do not, since what is saved is the way back to the registers. */
static unsigned lanes_together(enum counted_kind kind, const uint64_t *address, uint32_t active,
                               unsigned bytes)
{
    const bool merges = kind == COUNTED_LOAD && bytes > 4 &&
                        (is_paired(address, active, 1) || is_paired(address, active, 2));
    return merges ? 2 * group_lanes(bytes) : group_lanes(bytes);
}

/* Atomics on one word take place one after the other. */
unsigned sim_count_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                              unsigned bytes, unsigned *conflicts)
{
    const bool share = kind == COUNTED_LOAD || kind == COUNTED_STORE;
    const unsigned lanes = lanes_together(kind, address, active, bytes);
    unsigned wavefronts = 0, groups = 0;
    for (unsigned first = 0; first < WARP_LANES; first += lanes) {
        const uint32_t group = lanes_of_group(active, first, lanes);
        groups += group != 0;
        wavefronts += deepest_bank(address, group, bytes, share);
    }
    *conflicts = wavefronts - groups;
    return wavefronts;
}

unsigned sim_count_matrix_wavefronts(const uint64_t *address, uint32_t active, unsigned *conflicts)
{
    enum { ROWS = 8, ROW_BYTES = 16 };
    unsigned wavefronts = 0, matrices = 0;
    for (unsigned first = 0; first < WARP_LANES; first += ROWS) {
        const uint32_t rows = lanes_of_group(active, first, ROWS);
        matrices += rows != 0;
        wavefronts += deepest_bank(address, rows, ROW_BYTES, false);
    }
    *conflicts = wavefronts - matrices;
    return wavefronts;
}

/* Finds the pass in which each word of each lane is served, as deepest_bank() counts passes. */
static unsigned place_words(const uint64_t *address, uint32_t lanes, unsigned bytes, bool share,
                            unsigned first_pass, unsigned char (*pass)[4])
{
    uint64_t words[BANKS][4 * WARP_LANES];
    unsigned depth[BANKS] = {0}, end = first_pass;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const uint64_t start = address[lane] >> 2, last = (address[lane] + bytes - 1) >> 2;
        for (uint64_t word = start; word <= last && word < start + 4; word++) {
            const unsigned bank = word % BANKS;
            unsigned at = share ? 0 : depth[bank];
            while (at < depth[bank] && words[bank][at] != word)
                at++;
            if (at == depth[bank])
                words[bank][depth[bank]++] = word;
            pass[lane][word - start] = (unsigned char)(first_pass + at);
            end = first_pass + at >= end ? first_pass + at + 1 : end;
        }
    }
    return end;
}

void sim_place_in_wavefronts(enum counted_kind kind, const uint64_t *address, uint32_t active,
                             unsigned bytes, unsigned char (*pass)[4])
{
    const bool share = kind == COUNTED_LOAD || kind == COUNTED_STORE;
    const unsigned lanes = lanes_together(kind, address, active, bytes);
    unsigned end = 0;
    for (unsigned first = 0; first < WARP_LANES; first += lanes)
        end = place_words(address, lanes_of_group(active, first, lanes), bytes, share, end, pass);
}

/* What lanes of a quarter warp copy from one sector to one sector: both halves, or one. */
struct packet {
    uint64_t from, to; /* sectors */
    unsigned shift;    /* by how many bytes it moves within a sector, 0 or 16 */
    unsigned halves;   /* of the source: 1, 2, or 3 */
    unsigned lane;     /* the first */
};

static unsigned make_packets(const uint64_t *from, const uint64_t *to, uint32_t group,
                             struct packet *packets)
{
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(group >> lane & 1))
            continue;
        const struct packet one = {from[lane] >> SECTOR_SHIFT, to[lane] >> SECTOR_SHIFT,
                                   (unsigned)(to[lane] - from[lane]) & SECTOR_LAST,
                                   from[lane] & HALF_SECTOR ? 2 : 1, lane};
        unsigned i = 0;
        while (i < count && (packets[i].from != one.from || packets[i].to != one.to ||
                             packets[i].shift != one.shift))
            i++;
        if (i == count)
            packets[count++] = one;
        packets[i].halves |= one.halves;
    }
    return count;
}

/* Packets of a quarter that are shifted alike, and are of the same halves, share a pass for each
 * line of 128 bytes of the source and line of the target. Where shifts differ each takes one. */
static unsigned packet_passes(const struct packet *packets, unsigned count)
{
    uint64_t seen[LANES_OF_QUARTER];
    unsigned passes = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t lines =
            packets[i].from / LINE_SECTORS << 32 | (packets[i].to / LINE_SECTORS & UINT32_MAX);
        if (packets[i].shift != packets[0].shift)
            return count;
        passes = add_distinct(seen, passes, lines << 2 | packets[i].halves);
    }
    return passes;
}

void sim_count_bypass(const uint64_t *from, const uint64_t *to, uint32_t active,
                      struct bypass_count *counts)
{
    struct packet packets[LANES_OF_QUARTER];
    *counts = (struct bypass_count){0};
    for (unsigned first = 0; first < WARP_LANES; first += LANES_OF_QUARTER) {
        uint64_t seen[LANES_OF_QUARTER];
        unsigned filled = 0;
        const unsigned count =
            make_packets(from, to, lanes_of_group(active, first, LANES_OF_QUARTER), packets);
        for (unsigned i = 0; i < count; i++) {
            for (unsigned k = 0; k < i; k++)
                if (packets[k].from == packets[i].from)
                    counts->again |= UINT32_C(1) << packets[i].lane;
            filled = add_distinct(
                seen, filled, packets[i].from / LINE_SECTORS << 32 | (packets[i].to & UINT32_MAX));
        }
        counts->packets += count;
        counts->filled += filled;
        counts->wavefronts += packet_passes(packets, count);
    }
}

/* One lookup finds the tags of four lines of 128 bytes. */
static unsigned tag_lookups(const uint64_t *from, uint32_t active)
{
    uint64_t seen[WARP_LANES];
    unsigned count = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        if (active >> lane & 1)
            count = add_distinct(seen, count, from[lane] >> LINE_SHIFT);
    return (count + TAGS - 1) / TAGS;
}

/* A copy reads the banks of the L1 cache and writes the banks of shared memory in the same passes,
 * without sharing between lanes. */
unsigned sim_count_copy_wavefronts(const uint64_t *from, const uint64_t *to, uint32_t active,
                                   unsigned bytes, unsigned *conflicts)
{
    const unsigned lanes = group_lanes(bytes);
    unsigned wavefronts = 0, least = 0;
    for (unsigned first = 0; first < WARP_LANES; first += lanes) {
        const uint32_t group = lanes_of_group(active, first, lanes);
        const unsigned reads = deepest_bank(from, group, bytes, false);
        const unsigned writes = deepest_bank(to, group, bytes, false);
        least += group != 0;
        wavefronts += reads > writes ? reads : writes;
    }
    const unsigned lookups = tag_lookups(from, active);
    least = lookups > least ? lookups : least;
    *conflicts = wavefronts > least ? wavefronts - least : 0;
    return wavefronts;
}
