/**
 * @file limits.h
 * @brief What no launch may exceed, on any GPU that CUDA 13 supports.
 */
#ifndef SIM_MACHINE_LIMITS_H
#define SIM_MACHINE_LIMITS_H

enum {
    MAX_BLOCK_THREADS = 1024,
    MAX_BLOCK_WARPS = 32,
    MAX_BLOCK_X = 1024,
    MAX_BLOCK_Y = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_X = 2147483647,
    MAX_GRID_YZ = 65535,
    MAX_SHARED_BYTES = 227 << 10 /**< of a block; a GPU may allow less */
};

#endif
