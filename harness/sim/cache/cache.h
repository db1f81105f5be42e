/**
 * @file cache.h
 * @brief One cache of the modelled GPU: sets of lines of 128 bytes. A line has four sectors, each
 * valid or not.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LINE_SHIFT = 7, CACHE_SECTOR_BYTES = 32, CACHE_LINE_SECTORS = 4 };

/** What a set keeps of a line; masks have a bit for each sector. */
struct cache_line {
    uint64_t tag; /**< address / 128, plus 1; 0: no line */
    double ready; /**< when the sectors that were fetched last arrive */
    uint8_t valid, dirty;
};

/** Sets of `ways` lines, the last used first. */
struct cache {
    struct cache_line *lines;
    uint64_t set_count;
    unsigned ways;
};

/** Makes a cache of about `bytes`, with at least one set. @return false: out of memory */
bool sim_cache_create(struct cache *cache, size_t bytes, unsigned ways);
void sim_cache_free(struct cache *cache);

/** Finds a line and makes it the last used one of its set; NULL: it is not there. */
struct cache_line *sim_cache_find(struct cache *cache, uint64_t line);

/**
 * @brief Finds a line as sim_cache_find(); a missing line replaces the least recently used one.
 * @param evicted  receives the number of dirty sectors in the replaced line
 */
struct cache_line *sim_cache_place(struct cache *cache, uint64_t line, unsigned *evicted);

#endif
