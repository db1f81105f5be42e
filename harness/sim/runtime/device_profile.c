/* The modelled GPU: an NVIDIA H200, with the figures that one reports under CUDA 13.0. */
#include "device_profile.h"

const struct sim_device_profile sim_device = {
    .name = "Simulated NVIDIA H200",
    .major = 9,
    .minor = 0,
    .memory_bytes = 150109880320,
    .sm_count = 132,
    .clock_khz = 1980000,
    .memory_clock_khz = 3201000,
    .memory_bus_bits = 6016,
    .l2_bytes = 62914560,
    .l2_persisting_bytes = 39321600,
    .threads_per_sm = 2048,
    .blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .registers_per_block = 65536,
    .shared_per_sm = 233472,
    .shared_per_block = 49152,
    .shared_per_block_optin = 232448,
    .shared_reserved = 1024,
    .copy_engines = 3,
};
