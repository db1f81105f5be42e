/**
 * @file control.h
 * @brief Branches, calls, barriers and what the lanes of a warp do together.
 */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include "sim/decoding/decode.h"
#include "sim/machine/exchange.h"
#include "sim/machine/warp.h"

extern const struct family sim_control_families[], sim_call_families[], sim_barrier_families[],
    sim_warp_families[], sim_cluster_families[], sim_tensor_map_families[];

/** Branches for the lanes where the guard holds. */
const struct instruction *sim_run_branch(struct warp *warp, const struct instruction *at);

/** bar and barrier. */
const struct instruction *sim_run_barrier(struct warp *warp, const struct instruction *at);

/** The number of a barrier that some lane comes to, and the warps that it waits for; 0: all of the
 * block. */
unsigned sim_barrier_number(const struct warp *warp, const struct instruction *at, unsigned *warps);

/** Emits a fence of the scope that an instruction names. */
void sim_emit_fence(struct decoder *decoder, const struct ptx_instruction *source);

/** After a warp has exited: opens barriers that waited only for it. */
void sim_barriers_after_exit(struct block *block);

/** Reports that all remaining warps of a block, or of a cluster, wait for each other. */
__attribute__((noreturn)) void sim_barrier_deadlock(struct worker *leader);

/* ---- Clusters (cluster.c) ---- */

/** After its blocks were started. */
void sim_cluster_start(struct cluster *cluster);
/** After a warp of a cluster has exited: opens its barrier if that waited only for the warp, and
 *  checks that no other block still uses the shared memory of a block that has ended. */
void sim_cluster_after_exit(struct warp *warp);
/** Faults if warps wait at the cluster's barrier for warps that never come. */
void sim_cluster_deadlock(struct cluster *cluster);
void sim_decode_cluster_barrier(struct decoder *decoder, const struct ptx_instruction *source);

/** For shuffles, votes and the like: waits for the members on other paths. Faults when a member
 *  does not come, or when a lane is not in its own mask.
 *  @return where to go on instead; NULL when all members are here. */
const struct instruction *sim_gather_members(struct warp *warp, const struct instruction *at,
                                             int32_t mask_slot);

/** As sim_gather_members(), for members that may also come by another call of this function. */
const struct instruction *sim_gather_exchange(struct warp *warp, const struct instruction *at,
                                              const struct exchange *exchange);

/** Of a shuffle or __syncwarp(): if operand `mask` is what activemask has given and nothing asks
 * which lanes these are, there will be a warning. */
void sim_warn_of_mask(struct decoder *decoder, const struct ptx_instruction *source, int mask);

/** __syncwarp(): as above, but members may come to different __syncwarp()s. */
const struct instruction *sim_run_warp_sync(struct warp *warp, const struct instruction *at);

/** One of the functions that every module may call without defining them. */
struct system_call {
    const char *name;
    void (*run)(struct warp *warp, const struct instruction *at);
};

/** The function of that name; NULL: none. */
const struct system_call *sim_find_system_call(const char *name);
/** The same among those of the device's runtime (device_runtime.c). */
const struct system_call *sim_find_device_call(const char *name);

/** free(), and cudaFree() in a kernel. */
void sim_run_free(struct warp *warp, const struct instruction *at);

/** Of a system call in a lane: up to 8 bytes of an argument, from a byte on; and its result. */
uint64_t sim_call_argument(const struct warp *warp, const struct instruction *at, int index,
                           int32_t from, uint32_t lane);
void sim_call_result(struct warp *warp, const struct instruction *at, uint32_t lane,
                     uint64_t value);

#endif
