/**
 * @file access.h
 * @brief Opcodes that access memory: tables for the decoder.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "sim/decoding/decode.h"

extern const struct family sim_memory_families[], sim_atomic_families[], sim_copy_families[];

/** Where the lanes of a cp.async read and write. @return those that read. */
uint32_t sim_copy_lanes(const struct warp *warp, const struct instruction *at, uint64_t *from,
                        uint64_t *to);

#endif
