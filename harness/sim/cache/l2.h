/**
 * @file l2.h
 * @brief L2, the cache that all SMs share: the coalescer before it, which merges requests of
 * several SMs; its partitions; and DRAM behind it.
 */
#ifndef SIM_L2_H
#define SIM_L2_H

#include "cache.h"

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

#endif
