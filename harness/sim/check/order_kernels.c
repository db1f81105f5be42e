/* Which threads come after the wait for the previous kernel (griddepcontrol.wait). It holds back
 * the thread that executes it. Other threads come after it by what orders them after that thread:
 * a meeting of lanes, a barrier, a flag. */
#include "global_footprint.h"
#include "order.h"

#include <string.h>

void sim_wait_start(struct worker *worker)
{
    struct global_checks *const checks = &worker->checks->global;
    checks->beside = worker->launch->request->beside;
    checks->has_let_next = false;
    if (checks->beside)
        memset(checks->waited, 0, sizeof checks->waited);
}

void sim_wait_for_kernel(struct warp *warp)
{
    const struct sim_launch *const request = warp->worker->launch->request;
    struct sim_checks *const checks = warp->worker->checks;
    if (checks)
        checks->global.waited[warp->index] |= warp->active;
    if (checks && checks->clocks)
        sim_clocks_note_wait(warp);
    if (request->footprint)
        atomic_store(&request->footprint->has_waited, true);
    if (request->footprint && checks && !checks->global.has_let_next)
        atomic_store(&request->footprint->waits_first, true);
}

void sim_wait_let_next(struct warp *warp)
{
    if (warp->worker->checks)
        warp->worker->checks->global.has_let_next = true;
}

bool sim_wait_by_any(const struct global_checks *checks)
{
    uint32_t any = 0;
    for (int i = 0; i < MAX_BLOCK_WARPS; i++)
        any |= checks->waited[i];
    return any != 0;
}

void sim_wait_met(struct global_checks *checks, unsigned warp, uint32_t lanes)
{
    if (checks->waited[warp] & lanes)
        checks->waited[warp] |= lanes;
}

void sim_wait_barrier(struct sim_checks *checks)
{
    if (checks->global.beside && !checks->clocks && sim_wait_by_any(&checks->global))
        memset(checks->global.waited, 0xff, sizeof checks->global.waited);
}

/* Whose flag it was is not followed. */
void sim_wait_acquired(struct warp *warp)
{
    const struct sim_launch *const request = warp->worker->launch->request;
    if (request->footprint && atomic_load(&request->footprint->has_waited))
        warp->worker->checks->global.waited[warp->index] |= warp->active;
}

uint32_t sim_waited_lanes(struct warp *warp)
{
    uint32_t *const lanes = &warp->worker->checks->global.waited[warp->index];
    if (*lanes != ALL_LANES && warp->worker->checks->clocks && sim_clocks_know_wait(warp))
        *lanes = ALL_LANES;
    if (warp->block->grid_waits > 0) /* grid.sync() has a fence and a flag of its own */
        sim_wait_acquired(warp);
    return *lanes;
}
