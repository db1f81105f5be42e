/**
 * @file access.h
 * @brief Opcodes that access memory: tables for the decoder.
 */
#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include "sim/decoding/decode.h"

extern const struct family sim_memory_families[], sim_atomic_families[], sim_copy_families[],
    sim_discard_families[];

/** Where the lanes of a cp.async read and write. @return the lanes that read. */
uint32_t sim_copy_lanes(const struct warp *warp, const struct instruction *at, uint64_t *from,
                        uint64_t *to);
/** Bytes that a lane of a cp.async reads; it writes zeros for the rest. */
uint32_t sim_copy_bytes(const struct warp *warp, const struct instruction *at, unsigned lane);

/** cp.async.commit_group, .wait_group (its number is the instruction's value) and .wait_all. */
const struct instruction *sim_run_copy_commit(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_copy_wait(struct warp *warp, const struct instruction *at);
const struct instruction *sim_run_copy_wait_all(struct warp *warp, const struct instruction *at);

#endif
