/* Each access of a block that has not waited for the previous kernel is compared with the words
 * that the previous kernel has used. The two kernels may signal to each other by strong accesses.
 * So a strong access races only if the other access is plain. */
#include "global_footprint.h"

#include "switchboard.h"

#include "sim/memory/names.h"

#include <stdio.h>

/* The index of the first run that ends after an address. */
static size_t find(const struct sim_footprint *footprint, uint64_t address)
{
    size_t low = 0, high = footprint->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (footprint->list[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool clashes(const struct instruction *at, enum sim_use theirs, enum sim_use ours)
{
    if (at->flags & FLAG_STRONG && theirs != SIM_WRITES)
        return theirs == SIM_READS && ours == SIM_WRITES;
    return theirs != ours || ours == SIM_WRITES;
}

static void report(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                   unsigned bytes, enum sim_use use, const struct sim_used *used)
{
    static const char *const theirs[] = {"reads", "changes", "writes"};
    const struct sim_beside *const beside = warp->worker->checks->global.beside;
    char what[300], thread[120], place[600] = "";
    if (!sim_checks_for(SIM_CHECK_RACE))
        return;
    sim_name_global(address, bytes, what, sizeof what);
    sim_name_thread(warp, lane, thread, sizeof thread);
    if (used->place)
        sim_name_place(beside->program, used->place, place, sizeof place);
    sim_fault(warp, at, lane, SIM_RACE, address,
              "race on %s: this %s by %s comes before its block has waited for %.150s, which %s it"
              "%s%.200s; this kernel is launched to begin before that one has ended: let it wait "
              "(griddepcontrol.wait, cudaGridDependencySynchronize()) before it uses that",
              what, sim_use_name(use), thread, beside->what, theirs[used->use],
              place[0] ? " at " : "", place);
}

void sim_early_lane(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                    unsigned bytes, enum sim_use use)
{
    const struct sim_footprint *const footprint = warp->worker->checks->global.beside->footprint;
    for (size_t i = find(footprint, address);
         i < footprint->count && footprint->list[i].first < address + bytes; i++)
        if (clashes(at, footprint->list[i].use, use))
            report(warp, at, lane, address, bytes, use, &footprint->list[i]);
}

void sim_early_warp(struct warp *warp, const struct instruction *at, const struct places *places,
                    unsigned bytes, enum sim_use use)
{
    EACH_ACTIVE(lane, warp->active)
    sim_early_lane(warp, at, (int)lane,
                   sim_lane_address(warp, at, places, place_of(places, lane, bytes)), bytes, use);
}
