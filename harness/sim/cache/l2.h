/**
 * @file l2.h
 * @brief The cache that all SMs share, what stands before it and behind it: requests of several SMs
 * made one, partitions, and DRAM.
 */
#ifndef SIM_L2_H
#define SIM_L2_H

#include "cache.h"

enum { L2_MAX_PARTITIONS = 2, L2_MAX_GROUPS = 8 };

/** What the model needs to know of a GPU and of a launch; times in cycles. */
struct cache_machine {
    int sm_count;
    int blocks_per_sm; /**< resident at a time */
    size_t l1_bytes;   /**< that shared memory leaves */
    size_t l2_bytes;
    int partitions;    /**< of L2: 1 or 2 */
    int coalescing;    /**< groups of SMs whose equal reads are made one; 0: none */
    double issue_rate; /**< warp instructions of an SM */
    double l1_latency, l2_latency, dram_latency;
    double l2_rate, dram_rate; /**< sectors */
};

/** What a launch moved. Sectors, but for `dram`, which is in bytes. */
struct cache_counts {
    uint64_t l1_sectors, l1_hits;
    uint64_t l1_under_way; /**< hits of loads on what another load has asked for, not there yet */
    uint64_t l2_reads, l2_writes, l2_others; /**< lookups; others are those of atomics */
    uint64_t l2_hits;
    uint64_t dram_read, dram_written;
};

struct l2;

struct l2 *sim_l2_create(const struct cache_machine *machine, struct cache_counts *counts);
void sim_l2_free(struct l2 *l2);

/** A read of sectors of a line by an SM's L1. @return when the data is there */
double sim_l2_read(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);
void sim_l2_write(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);
/** Reads and writes the sectors where they are at home. @return when the old values are there */
double sim_l2_atomic(struct l2 *l2, int sm, uint64_t line, unsigned sectors, double now);

#endif
