/**
 * @file cache.h
 * @brief One cache of the modelled GPU: lines of 128 bytes in sets, four sectors each that are
 * there or not.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LINE_SHIFT = 7, CACHE_SECTOR_BYTES = 32, CACHE_LINE_SECTORS = 4 };

/** What a set keeps of a line; masks have a bit for each sector. */
struct cache_line {
    uint64_t tag; /**< address / 128, plus 1; 0: nothing */
    double ready; /**< when what was fetched last arrives */
    uint8_t valid, dirty;
};

/** Sets of `ways` lines, the last used first. */
struct cache {
    struct cache_line *lines;
    uint64_t set_count;
    unsigned ways;
};

/** A cache of about that many bytes, of one set at least. @return false without memory */
bool sim_cache_create(struct cache *cache, size_t bytes, unsigned ways);
void sim_cache_free(struct cache *cache);

/** The line, made the last used one of its set; NULL when it is not there. */
struct cache_line *sim_cache_find(struct cache *cache, uint64_t line);

/**
 * @brief The line, put in place of the set's least recently used one when it is not there.
 * @param evicted  receives the dirty sectors that this threw out
 */
struct cache_line *sim_cache_place(struct cache *cache, uint64_t line, unsigned *evicted);

#endif
