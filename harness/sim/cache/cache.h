/**
 * @file cache.h
 * @brief The model of the caches: one cache, L2 and DRAM behind it, the recorded requests of a
 * block, and their way through all of these.
 */
#ifndef SIM_CACHE_CACHE_H
#define SIM_CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One cache of the modelled GPU: sets of lines of 128 bytes. A line has four sectors, each valid or
 * not. */

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

/* L2, the cache that all SMs share: the coalescer before it, which merges requests of several SMs;
 * its partitions; and DRAM behind it. */

enum { L2_MAX_PARTITIONS = 2, L2_MAX_GROUPS = 8 };

/** What the model needs to know of a GPU and of a launch; times in cycles. */
struct cache_machine {
    int sm_count;
    int blocks_per_sm; /**< resident at the same time */
    size_t l1_bytes;   /**< that shared memory leaves */
    size_t l2_bytes;
    int partitions;    /**< of L2: 1 or 2 */
    int coalescing;    /**< groups of SMs whose equal reads are merged; 0: none */
    double issue_rate; /**< warp instructions of an SM */
    double l1_latency, l2_latency, dram_latency;
    double l2_rate, dram_rate; /**< sectors */
};

/** What a launch moved: sectors, but bytes of DRAM. */
struct cache_counts {
    uint64_t l1_sectors, l1_hits;
    uint64_t l1_under_way; /**< hits on sectors that are still on their way for another load */
    uint64_t l2_reads, l2_writes, l2_others; /**< lookups; l2_others: of atomics */
    uint64_t l2_hits;
    uint64_t dram_read, dram_written;
};

struct l2;

struct l2 *sim_l2_create(const struct cache_machine *machine, struct cache_counts *counts);
void sim_l2_free(struct l2 *l2);

/** An SM's L1 reads sectors of a line. @return when the data is there */
double sim_l2_read(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);
void sim_l2_write(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);
/** Reads and writes sectors in their home partition. @return when the old values are there */
double sim_l2_atomic(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);

/* The requests of a block's warps to global memory, in order, for the cache model.
 *
 * A request is a word: its kind, the first line that it touches, and the number of a pattern. The
 * pattern says which lines, relative to the first one, and which of their sectors are touched.
 * Loops repeat few patterns. */

enum { TRACE_LANES = 32, TRACE_WARPS = 32, TRACE_LINES = 2 * TRACE_LANES };

/** Kinds of requests. */
enum trace_kind {
    TRACE_LOAD,
    TRACE_LOAD_PAST_L1, /**< volatile, ld.cg and the like */
    TRACE_STORE,
    TRACE_ATOMIC,
    TRACE_BULK, /**< a load of the copy engine, which L1 does not count */
    TRACE_BULK_STORE,
    TRACE_BARRIER, /**< the warp waits for the other warps of its block */
};

/** Lines that one request touches. */
struct trace_pattern {
    unsigned count;
    /** A line of 128 bytes. */
    struct trace_line {
        int64_t distance; /**< from the request's first line */
        uint8_t sectors;  /**< a bit for each of its four sectors */
    } lines[];
};

/** The requests of a block. Warp w made words[first[w]] to words[first[w + 1] - 1]. */
struct trace_block {
    unsigned warps;
    double gap; /**< instructions of a warp between two requests, on average */
    size_t first[TRACE_WARPS + 1];
    uint64_t words[];
};

struct trace_patterns; /**< shared by all recorders of a launch; it only grows */
struct trace_recorder; /**< one for each thread that runs blocks */

struct trace_patterns *sim_trace_patterns_create(void);
void sim_trace_patterns_free(struct trace_patterns *patterns);
const struct trace_pattern *sim_trace_pattern(const struct trace_patterns *patterns, uint64_t word);

/** @param base  subtracted from all addresses: memory may begin elsewhere in each run, and the
 *  counts must not depend on it */
struct trace_recorder *sim_trace_recorder_create(struct trace_patterns *patterns, uint64_t base);
void sim_trace_recorder_free(struct trace_recorder *recorder);

/**
 * @brief Records a request of the block that runs now.
 * @param pattern  receives what sim_trace_again() takes; 0: no memory
 * @return how many sectors it touches.
 */
unsigned sim_trace_request(struct trace_recorder *recorder, unsigned warp, enum trace_kind kind,
                           const uint64_t *address, uint32_t active, unsigned bytes,
                           uint32_t *pattern);

/** Records a request that has all addresses as far from each other, and its first as far into its
 *  line, as an earlier one had. */
void sim_trace_again(struct trace_recorder *recorder, unsigned warp, enum trace_kind kind,
                     uint64_t first_address, uint32_t pattern);
void sim_trace_barrier(struct trace_recorder *recorder, unsigned warp);

/** Takes what was recorded and empties the recorder; the caller frees it. NULL: no memory. */
struct trace_block *sim_trace_take(struct trace_recorder *recorder, unsigned warps,
                                   uint64_t instructions);

/** The parts of a word. */
static inline enum trace_kind sim_trace_kind(uint64_t word)
{
    return (enum trace_kind)(word & 7);
}
static inline uint64_t sim_trace_first_line(uint64_t word)
{
    return word >> 23;
}

/* Runs recorded requests through the caches, in the order in which a GPU's SMs would make them: all
 * resident blocks at the same time. */

struct replay; /**< the replay of one launch */

/** NULL: no memory, or more blocks than the model takes. */
struct replay *sim_replay_create(const struct cache_machine *machine, uint64_t block_count,
                                 unsigned warps, const struct trace_patterns *patterns);

/** Hands over a recorded block; NULL: it could not be recorded. Any thread may call this, for
 *  blocks in any order. Replays as far as the blocks allow, unless another thread does. */
void sim_replay_add(struct replay *replay, uint64_t number, struct trace_block *block);

/** Replays the rest and frees the replay. @return false if a block was missing */
bool sim_replay_finish(struct replay *replay, struct cache_counts *counts);

#endif
