/* Special registers. A pseudo-operation before the instruction reads one into a temporary. */
#include "decoder.h"

#include "sim/machine/lanes.h"

#include <string.h>
#include <time.h>

static const struct instruction *broadcast32(struct warp *warp, const struct instruction *at,
                                             uint32_t value)
{
    uint32_t slot[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = value;
    sim_write32(warp, at->d, slot);
    return at + 1;
}

static const struct instruction *broadcast64(struct warp *warp, const struct instruction *at,
                                             uint64_t value)
{
    uint64_t slot[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = value;
    sim_write64(warp, at->d, slot);
    return at + 1;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define UNIFORM(name, expression)                                                                  \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        const struct launch *const launch = warp->worker->launch;                                  \
        (void)launch;                                                                              \
        return broadcast32(warp, at, (uint32_t)(expression));                                      \
    }
#define UNIFORM64(name, expression)                                                                \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        return broadcast64(warp, at, (expression));                                                \
    }
#define PER_LANE(name, expression)                                                                 \
    static const struct instruction *name(struct warp *warp, const struct instruction *at)         \
    {                                                                                              \
        uint32_t slot[WARP_LANES];                                                                 \
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)                                         \
            slot[lane] = (expression);                                                             \
        sim_write32(warp, at->d, slot);                                                            \
        return at + 1;                                                                             \
    }

PER_LANE(tid_x, warp->thread[0][lane])
PER_LANE(tid_y, warp->thread[1][lane])
PER_LANE(tid_z, warp->thread[2][lane])
UNIFORM(ntid_x, launch->request->block[0])
UNIFORM(ntid_y, launch->request->block[1])
UNIFORM(ntid_z, launch->request->block[2])
UNIFORM(ctaid_x, warp->block->id[0])
UNIFORM(ctaid_y, warp->block->id[1])
UNIFORM(ctaid_z, warp->block->id[2])
UNIFORM(nctaid_x, launch->request->grid[0])
UNIFORM(nctaid_y, launch->request->grid[1])
UNIFORM(nctaid_z, launch->request->grid[2])
UNIFORM(clusterid_x, warp->block->id[0] / launch->cluster[0])
UNIFORM(nclusterid_x, launch->request->grid[0] / launch->cluster[0])
UNIFORM(cluster_ctaid_x, warp->block->id[0] % launch->cluster[0])
UNIFORM(cluster_nctaid_x, launch->cluster[0])
UNIFORM(clusterid_y, warp->block->id[1] / launch->cluster[1])
UNIFORM(nclusterid_y, launch->request->grid[1] / launch->cluster[1])
UNIFORM(cluster_ctaid_y, warp->block->id[1] % launch->cluster[1])
UNIFORM(cluster_nctaid_y, launch->cluster[1])
UNIFORM(clusterid_z, warp->block->id[2] / launch->cluster[2])
UNIFORM(nclusterid_z, launch->request->grid[2] / launch->cluster[2])
UNIFORM(cluster_ctaid_z, warp->block->id[2] % launch->cluster[2])
UNIFORM(cluster_nctaid_z, launch->cluster[2])
UNIFORM(cluster_ctarank, warp->worker->rank)
UNIFORM(cluster_nctarank, launch->cluster_size)
PER_LANE(laneid, lane)
/* The warp's place on its SM. This is not its number in the block: other blocks are there, too. */
UNIFORM(warpid, (warp->index + 1 + warp->worker->block_number % (MAX_BLOCK_WARPS - 1)) %
                    (MAX_BLOCK_WARPS * 2))
UNIFORM(nwarpid, MAX_BLOCK_WARPS * 2)
UNIFORM(smid, warp->worker->index % (unsigned)launch->request->sm_count)
UNIFORM(nsmid, launch->request->sm_count)
PER_LANE(mask_eq, UINT32_C(1) << lane)
PER_LANE(mask_lt, (UINT32_C(1) << lane) - 1)
PER_LANE(mask_le, (UINT32_C(2) << lane) - 1)
PER_LANE(mask_gt, ~((UINT32_C(2) << lane) - 1))
PER_LANE(mask_ge, ~((UINT32_C(1) << lane) - 1))
UNIFORM(clock_low, nanoseconds())
UNIFORM(clock_high, nanoseconds() >> 32)
UNIFORM64(clock_wide, nanoseconds())
UNIFORM64(zero_wide, 0)
UNIFORM(grid_barrier_high, launch->request->grid_barrier >> 32)
UNIFORM(grid_barrier_low, launch->request->grid_barrier)
UNIFORM(shared_bytes, launch->shared_bytes)
UNIFORM(dynamic_shared, launch->request->dynamic_shared)

static const struct instruction *is_explicit_cluster(struct warp *warp,
                                                     const struct instruction *at)
{
    const bool is_explicit = warp->worker->launch->request->cluster[0] > 0;
    sim_set_predicate(warp, at->d, is_explicit ? ALL_LANES : 0);
    return at + 1;
}

/* The first nine are the bits of struct program's `coordinates`. Clocks count nanoseconds. Two
 * registers hold the halves of
 * the address of a cooperative launch's barrier. The PTX manual does not mention this use, but
 * cooperative_groups.h depends on it. */
static const struct rule registers[] = {
    {"%tid.x", tid_x, "w", 0},
    {"%tid.y", tid_y, "w", 0},
    {"%tid.z", tid_z, "w", 0},
    {"%ntid.x", ntid_x, "w", 0},
    {"%ntid.y", ntid_y, "w", 0},
    {"%ntid.z", ntid_z, "w", 0},
    {"%ctaid.x", ctaid_x, "w", 0},
    {"%ctaid.y", ctaid_y, "w", 0},
    {"%ctaid.z", ctaid_z, "w", 0},
    {"%nctaid.x", nctaid_x, "w", 0},
    {"%nctaid.y", nctaid_y, "w", 0},
    {"%nctaid.z", nctaid_z, "w", 0},
    {"%clusterid.x", clusterid_x, "w", 0},
    {"%clusterid.y", clusterid_y, "w", 0},
    {"%clusterid.z", clusterid_z, "w", 0},
    {"%nclusterid.x", nclusterid_x, "w", 0},
    {"%nclusterid.y", nclusterid_y, "w", 0},
    {"%nclusterid.z", nclusterid_z, "w", 0},
    {"%cluster_ctaid.x", cluster_ctaid_x, "w", 0},
    {"%cluster_ctaid.y", cluster_ctaid_y, "w", 0},
    {"%cluster_ctaid.z", cluster_ctaid_z, "w", 0},
    {"%cluster_nctaid.x", cluster_nctaid_x, "w", 0},
    {"%cluster_nctaid.y", cluster_nctaid_y, "w", 0},
    {"%cluster_nctaid.z", cluster_nctaid_z, "w", 0},
    {"%cluster_ctarank", cluster_ctarank, "w", 0},
    {"%cluster_nctarank", cluster_nctarank, "w", 0},
    {"%is_explicit_cluster", is_explicit_cluster, "p", 0},
    {"%laneid", laneid, "w", 0},
    {"%warpid", warpid, "w", 0},
    {"%nwarpid", nwarpid, "w", 0},
    {"%smid", smid, "w", 0},
    {"%nsmid", nsmid, "w", 0},
    {"%gridid", zero_wide, "l", 0},
    {"%lanemask_eq", mask_eq, "w", 0},
    {"%lanemask_lt", mask_lt, "w", 0},
    {"%lanemask_le", mask_le, "w", 0},
    {"%lanemask_gt", mask_gt, "w", 0},
    {"%lanemask_ge", mask_ge, "w", 0},
    {"%clock", clock_low, "w", 0},
    {"%clock_hi", clock_high, "w", 0},
    {"%clock64", clock_wide, "l", 0},
    {"%globaltimer", clock_wide, "l", 0},
    {"%globaltimer_lo", clock_low, "w", 0},
    {"%globaltimer_hi", clock_high, "w", 0},
    {"%envreg1", grid_barrier_high, "w", 0},
    {"%envreg2", grid_barrier_low, "w", 0},
    {"%total_smem_size", shared_bytes, "w", 0},
    {"%aggr_smem_size", shared_bytes, "w", 0},
    {"%dynamic_smem_size", dynamic_shared, "w", 0},
    {NULL, NULL, NULL, 0},
};

int32_t sim_special_slot(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *operand, char kind)
{
    const struct rule *const rule = sim_find_rule(registers, operand->name);
    if (!rule)
        sim_refuse(decoder, source, "the simulator does not know the special register %s",
                   operand->name);
    if (rule->shape[0] != (kind == 'h' ? 'w' : kind))
        sim_refuse(decoder, source, "%s is read with a width that the simulator does not know (%s)",
                   operand->name, source->opcode);
    if (rule - registers < 9)
        decoder->program->coordinates |= 1u << (rule - registers);
    decoder->program->has_grid_barrier |= rule->run == grid_barrier_high;
    const int32_t slot =
        kind == 'p' ? sim_temporary_predicate(decoder, source) : sim_temporary(decoder, source);
    sim_emit_plain(decoder, source, rule->run)->d = slot;
    return slot;
}
