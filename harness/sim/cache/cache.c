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
