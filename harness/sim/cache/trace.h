/**
 * @file trace.h
 * @brief The requests of a block's warps to global memory, in order, for the cache model.
 *
 * A request is a word: its kind, the first line that it touches, and the number of a pattern. The
 * pattern says which lines, relative to the first one, and which of their sectors are touched.
 * Loops repeat few patterns.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_LANES = 32, TRACE_WARPS = 32, TRACE_LINES = 2 * TRACE_LANES };

/** Kinds of requests. */
enum trace_kind {
    TRACE_LOAD,
    TRACE_LOAD_PAST_L1, /**< volatile, ld.cg and the like */
    TRACE_STORE,
    TRACE_ATOMIC,
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

#endif
