/* The caches that a launch finds on the modelled GPU. */
#include "runtime.h"

enum { HOPPER = 9, AMPERE = 8 };

/* The big chips since GA100 have L2 in two partitions ("A100 L2 cache" in NVIDIA's white paper on
 * the A100 architecture). */
static int partitions(void)
{
    const bool is_ga100 = sim_device.compute_major == AMPERE && sim_device.compute_minor == 0;
    return is_ga100 || sim_device.compute_major >= HOPPER ? 2 : 1;
}

/* The L2 request coalescer ("lrc" in the documentation of Nsight Compute) came with GH100. */
static int coalescing_groups(void)
{
    return sim_device.compute_major >= HOPPER ? L2_MAX_GROUPS : 0;
}

/* The bytes of L1. If L1 and shared memory are one memory, L1 has what shared memory leaves. */
static size_t l1_bytes(size_t shared_of_block, int blocks)
{
    const size_t all = (size_t)sim_device.l1_bytes;
    const size_t shared = (size_t)blocks * (shared_of_block + (size_t)sim_device.shared_reserved);
    const bool is_apart = sim_device.l1_bytes < sim_device.shared_per_sm;
    return is_apart ? all : shared < all ? all - shared : 0;
}

/* Sectors per cycle. */
static double rate(double gb_per_s)
{
    return gb_per_s * 1e9 / CACHE_SECTOR_BYTES / (1e3 * sim_device.clock_khz);
}

struct cache_machine sim_launch_caches(const struct sim_function *function, int threads,
                                       size_t dynamic)
{
    const int blocks = sim_function_resident_blocks(function, threads, dynamic);
    return (struct cache_machine){
        .sm_count = sim_device.sm_count,
        .blocks_per_sm = blocks,
        .l1_bytes = l1_bytes(function->facts.shared_bytes + dynamic, blocks),
        .l2_bytes = (size_t)sim_device.l2_bytes,
        .partitions = partitions(),
        .coalescing = coalescing_groups(),
        .issue_rate = sim_device.issue_per_cycle,
        .l1_latency = sim_device.l1_latency,
        .l2_latency = sim_device.l2_latency,
        .dram_latency = sim_device.dram_latency,
        .l2_rate = rate(sim_device.l2_gb_per_s),
        .dram_rate = rate(sim_device.dram_gb_per_s),
    };
}
