/**
 * @file profile.h
 * @brief A GPU that the simulator can stand for: its limits, and the rates and latencies that the
 * timing model needs. One JSON file of this folder each.
 */
#ifndef SIM_GPU_PROFILE_H
#define SIM_GPU_PROFILE_H

#include <stddef.h>

/** A profile. The first part is in the units of CUDA's device attributes; rates are those of one
 *  SM and cycle where nothing else is said. */
struct sim_gpu_profile {
    char name[64];                    /**< as the device calls itself */
    int compute_major, compute_minor; /**< compute capability */
    size_t memory_bytes;
    int sm_count;
    int clock_khz, memory_clock_khz;
    int memory_bus_bits;
    int l2_bytes, l2_persisting_bytes;
    int threads_per_sm, blocks_per_sm;
    int registers_per_sm, registers_per_block;
    int shared_per_sm;          /**< bytes */
    int shared_per_block;       /**< bytes, without opting in */
    int shared_per_block_optin; /**< bytes */
    int shared_reserved;        /**< bytes per block that the system keeps */
    int copy_engines;

    int schedulers;
    double issue_per_cycle; /**< warp instructions */
    int fp32_lanes, fp64_lanes, integer_lanes, mufu_lanes;
    int lsu_lanes;              /**< lanes of memory instructions */
    int shared_bytes_per_cycle; /**< that the data pipe of L1 and shared memory moves */
    int l1_bytes;               /**< L1 and shared memory together where they are one */

    /* These may be missing in a file: then the figures of the H200 stand in. */
    double l2_gb_per_s;   /**< read by all SMs; else the H200's bytes per cycle and SM */
    double dram_gb_per_s; /**< read */
    double shared_latency, l1_latency, l2_latency, dram_latency, arithmetic_latency; /**< cycles */
    double barrier_latency; /**< cycles, of a barrier that nobody has to wait for */
    double launch_us;       /**< between two events around an empty kernel */
};

/**
 * @brief Reads a profile; every mistake is named with file and field.
 * @param name   one of the built-in profiles (h200, a100, ..., in any case), or a path: what holds
 *               a slash or ends in .json
 * @param error  receives one line
 * @return 1, or 0 with `error` set.
 */
int lab_sim_gpu_read(const char *name, struct sim_gpu_profile *profile, char *error, size_t size);

/** Why the profile that LAB_SIM_GPU names could not be used; NULL when it could. */
const char *lab_sim_gpu_error(void);

/** The GPU that the simulator stands for. */
const struct sim_gpu_profile *lab_sim_gpu(void);

#endif
