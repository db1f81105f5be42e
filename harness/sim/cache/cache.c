/* A set-associative cache with sectors and exact LRU: each set is sorted by last use. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

bool sim_cache_create(struct cache *cache, size_t bytes, unsigned ways)
{
    const size_t lines = bytes >> CACHE_LINE_SHIFT;
    cache->ways = ways;
    cache->set_count = lines / ways ? lines / ways : 1;
    cache->lines = calloc(cache->set_count * ways, sizeof *cache->lines);
    return cache->lines != NULL;
}

void sim_cache_free(struct cache *cache)
{
    free(cache->lines);
    cache->lines = NULL;
}

/* Folds the upper bits in, so that rows a power of two apart do not all fall into a few sets. */
static struct cache_line *set_of(const struct cache *cache, uint64_t line)
{
    const uint64_t folded = line ^ line >> 11 ^ line >> 19;
    return cache->lines + folded % cache->set_count * cache->ways;
}

static struct cache_line *move_to_front(struct cache_line *set, unsigned way)
{
    const struct cache_line found = set[way];
    memmove(set + 1, set, way * sizeof *set);
    set[0] = found;
    return set;
}

struct cache_line *sim_cache_find(struct cache *cache, uint64_t line)
{
    struct cache_line *const set = set_of(cache, line);
    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].tag == line + 1)
            return way ? move_to_front(set, way) : set;
    return NULL;
}

struct cache_line *sim_cache_place(struct cache *cache, uint64_t line, unsigned *evicted)
{
    *evicted = 0;
    struct cache_line *const there = sim_cache_find(cache, line);
    if (there)
        return there;
    struct cache_line *const set = set_of(cache, line);
    *evicted = (unsigned)__builtin_popcount(set[cache->ways - 1].dirty);
    move_to_front(set, cache->ways - 1);
    set[0] = (struct cache_line){.tag = line + 1};
    return set;
}

/* L2: each partition keeps what the SMs on its side read, and is the home of half of all lines. A
 * partition asks the other one for lines whose home is there; this counts as a second lookup. */

/* NVIDIA does not say how many lines the request coalescer of H100 and H200 tracks, nor how many
 * requests it merges into one. The last two figures fit the L2 reads that an H200 counted for 14
 * kernels at 512 x 512 x 512 (docs/pages/memory.md). */
enum { L2_WAYS = 16, PENDING_LINES = 64, PENDING_SHARERS = 3 };

/* The reads of one group of SMs that L2 has not answered yet: a table by line, in which a new line
 * replaces an old one. */
struct pending {
    uint64_t tag;
    struct pending_sector {
        double until;
        int sharers;
    } sectors[CACHE_LINE_SECTORS];
};

struct l2 {
    const struct cache_machine *machine;
    struct cache_counts *counts;
    struct cache partitions[L2_MAX_PARTITIONS];
    double free_at[L2_MAX_PARTITIONS], dram_free_at;
    struct pending *pending; /* PENDING_LINES for each group */
};

struct l2 *sim_l2_create(const struct cache_machine *machine, struct cache_counts *counts)
{
    struct l2 *const l2 = calloc(1, sizeof *l2);
    if (!l2)
        return NULL;
    l2->machine = machine;
    l2->counts = counts;
    l2->pending = calloc((size_t)machine->coalescing * PENDING_LINES + 1, sizeof *l2->pending);
    bool good = l2->pending != NULL;
    for (int i = 0; i < machine->partitions; i++)
        good = sim_cache_create(&l2->partitions[i], machine->l2_bytes / (size_t)machine->partitions,
                                L2_WAYS) &&
               good;
    if (good)
        return l2;
    sim_l2_free(l2);
    return NULL;
}

void sim_l2_free(struct l2 *l2)
{
    if (!l2)
        return;
    for (int i = 0; i < L2_MAX_PARTITIONS; i++)
        sim_cache_free(&l2->partitions[i]);
    free(l2->pending);
    free(l2);
}

/* ---- Places ---- */

static uint64_t scatter(uint64_t line)
{
    line = (line ^ line >> 15) * UINT64_C(0x9e3779b97f4a7c15);
    return line ^ line >> 32;
}

static int home_of(const struct l2 *l2, uint64_t line)
{
    return (int)(scatter(line) >> 40) % l2->machine->partitions;
}

/* A launch's first blocks go to the first SM of each pair (TPC), the next ones to the second. */
static int pair_of(const struct l2 *l2, int sm)
{
    const int pairs = (l2->machine->sm_count + 1) / 2;
    return sm % pairs;
}

/* The sides, and the groups (GPC), get pairs of SMs in turn. */
static int side_of(const struct l2 *l2, int sm)
{
    return pair_of(l2, sm) % l2->machine->partitions;
}

static struct pending *pending_of(const struct l2 *l2, int sm, uint64_t line)
{
    const int groups = l2->machine->coalescing;
    struct pending *const table = l2->pending + (size_t)(pair_of(l2, sm) % groups) * PENDING_LINES;
    struct pending *const entry = &table[scatter(line) % PENDING_LINES];
    if (entry->tag != line + 1)
        *entry = (struct pending){.tag = line + 1};
    return entry;
}

/* ---- Lookups ---- */

/* A unit serves `rate` sectors in a cycle, in order. @return when the `count` sectors are done */
static double serve(double *free_at, double now, double rate, unsigned count)
{
    *free_at = (*free_at > now ? *free_at : now) + count / rate;
    return *free_at;
}

static double read_dram(struct l2 *l2, unsigned count, double now)
{
    const struct cache_machine *const machine = l2->machine;
    l2->counts->dram_read += count * CACHE_SECTOR_BYTES;
    return serve(&l2->dram_free_at, now, machine->dram_rate, count) + machine->dram_latency -
           machine->l2_latency;
}

static struct cache_line *place(struct l2 *l2, int partition, uint64_t line)
{
    unsigned evicted;
    struct cache_line *const there = sim_cache_place(&l2->partitions[partition], line, &evicted);
    l2->counts->dram_written += evicted * CACHE_SECTOR_BYTES;
    return there;
}

/* @return when a partition has the sectors */
static double look_up(struct l2 *l2, int partition, uint64_t line, unsigned sectors, double now)
{
    const struct cache_machine *const machine = l2->machine;
    const unsigned count = (unsigned)__builtin_popcount(sectors);
    struct cache_line *const there = place(l2, partition, line);
    const unsigned missing = sectors & ~there->valid;
    const unsigned missed = (unsigned)__builtin_popcount(missing);
    l2->counts->l2_reads += count;
    l2->counts->l2_hits += count - missed;
    now = serve(&l2->free_at[partition], now, machine->l2_rate / machine->partitions, count);
    if (missing) {
        const int home = home_of(l2, line);
        there->valid |= (uint8_t)missing;
        there->ready =
            home == partition ? read_dram(l2, missed, now) : look_up(l2, home, line, missing, now);
    }
    return there->ready > now ? there->ready : now;
}

/* Joins reads that are on their way to the SM's group already. @return the sectors to ask for */
static unsigned join(struct pending *pending, unsigned sectors, double now, double *done)
{
    unsigned left = sectors;
    for (int i = 0; i < CACHE_LINE_SECTORS; i++) {
        struct pending_sector *const sector = &pending->sectors[i];
        if (!(sectors >> i & 1) || sector->until <= now || sector->sharers == PENDING_SHARERS)
            continue;
        left &= ~(1u << i);
        sector->sharers++;
        *done = sector->until > *done ? sector->until : *done;
    }
    return left;
}

double sim_l2_read(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now)
{
    struct pending *const pending = l2->machine->coalescing ? pending_of(l2, sm, line) : NULL;
    double done = now;
    const unsigned wanted = pending ? join(pending, sectors, now, &done) : sectors;
    if (!wanted)
        return done;
    const double there = look_up(l2, side_of(l2, sm), line, wanted, now) + l2->machine->l2_latency;
    for (int i = 0; pending && i < CACHE_LINE_SECTORS; i++)
        if (wanted >> i & 1)
            pending->sectors[i] = (struct pending_sector){.until = there, .sharers = 1};
    return there > done ? there : done;
}

void sim_l2_write(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now)
{
    const int side = side_of(l2, sm), home = home_of(l2, line);
    const unsigned count = (unsigned)__builtin_popcount(sectors);
    const unsigned lookups = count * (side == home ? 1 : 2);
    struct cache_line *const there = place(l2, home, line);
    there->valid |= (uint8_t)sectors;
    there->dirty |= (uint8_t)sectors;
    l2->counts->l2_writes += lookups;
    l2->counts->l2_hits += lookups;
    serve(&l2->free_at[home], now, l2->machine->l2_rate / l2->machine->partitions, count);
}

double sim_l2_atomic(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now)
{
    const int home = home_of(l2, line);
    const unsigned count = (unsigned)__builtin_popcount(sectors);
    struct cache_line *const there = place(l2, home, line);
    const unsigned missed = (unsigned)__builtin_popcount(sectors & ~there->valid);
    (void)sm;
    l2->counts->l2_others += count;
    l2->counts->l2_hits += count - missed;
    now = serve(&l2->free_at[home], now, l2->machine->l2_rate / l2->machine->partitions, count);
    if (missed)
        there->ready = read_dram(l2, missed, now);
    there->valid |= (uint8_t)sectors;
    there->dirty |= (uint8_t)sectors;
    return (there->ready > now ? there->ready : now) + l2->machine->l2_latency;
}
