/**
 * @file device_profile.h
 * @brief The GPU that the simulator stands for.
 */
#ifndef SIM_DEVICE_PROFILE_H
#define SIM_DEVICE_PROFILE_H

#include <stddef.h>

/** What distinguishes one GPU from another, in the units of CUDA's device attributes. */
struct sim_device_profile {
    const char *name;
    int major, minor; /**< compute capability */
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
};

/** The modelled device. */
extern const struct sim_device_profile sim_device;

#endif
