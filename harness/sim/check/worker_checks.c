/* What a worker keeps for the checks of its blocks. */
#include "worker_checks.h"

#include "order.h"
#include "shared_race.h"
#include "unwritten.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool create_tags(struct shared_tags *tags, size_t shared_bytes, unsigned shift)
{
    tags->shift = shift;
    tags->units = (shared_bytes + 3) / 4 << (WORD_SHIFT - shift);
    tags->writer = calloc(tags->units + 1, sizeof *tags->writer);
    tags->reader = calloc(tags->units + 1, sizeof *tags->reader);
    tags->reader_lanes = calloc(tags->units + 1, sizeof *tags->reader_lanes);
    tags->writer_lane = calloc(tags->units + 1, sizeof *tags->writer_lane);
    tags->pending = sim_pending_create();
    tags->words = calloc(shared_bytes / 4 + 9, sizeof *tags->words);
    return tags->words && tags->writer && tags->reader && tags->reader_lanes && tags->writer_lane &&
           tags->pending;
}

/* The memory of calloc() is aligned for any type that does not ask for more. */
_Static_assert(_Alignof(struct sim_checks) <= _Alignof(max_align_t), "not for calloc()");

struct sim_checks *sim_checks_create(size_t shared_bytes, unsigned shift, unsigned clock_blocks,
                                     const struct sim_checks *clocks_of)
{
    struct sim_checks *const checks = calloc(1, sizeof *checks);
    if (!checks)
        return NULL;
    checks->words = (shared_bytes + 3) / 4;
    checks->written = calloc(checks->words / 32 + 1, sizeof *checks->written);
    checks->shares_clocks = clocks_of != NULL;
    if (clocks_of)
        checks->clocks = clocks_of->clocks;
    else if (clock_blocks > 0)
        checks->clocks = sim_clocks_create(shared_bytes, shift, clock_blocks);
    checks->shared.is_fine = shift != WORD_SHIFT || clock_blocks > 0;
    if (!create_tags(&checks->shared, shared_bytes, shift) || !checks->written ||
        (clock_blocks > 0 && !checks->clocks)) {
        sim_checks_free(checks);
        return NULL;
    }
    return checks;
}

void sim_checks_free(struct sim_checks *checks)
{
    if (!checks)
        return;
    free(checks->shared.words);
    free(checks->shared.writer);
    free(checks->shared.reader);
    free(checks->shared.reader_lanes);
    free(checks->shared.writer_lane);
    sim_pending_free(checks->shared.pending);
    if (!checks->shares_clocks)
        sim_clocks_free(checks->clocks);
    free(checks->global.flags);
    free(checks->written);
    free(checks);
}

void sim_checks_order(struct sim_checks *checks)
{
    struct shared_tags *const tags = &checks->shared;
    sim_global_order(&checks->global);
    if (tags->epoch < TAG_LAST_EPOCH) {
        tags->epoch++;
        return;
    }
    memset(tags->writer, 0, tags->units * sizeof *tags->writer);
    memset(tags->reader, 0, tags->units * sizeof *tags->reader);
    memset(tags->strong_stores, 0, sizeof tags->strong_stores);
    sim_pending_mark(tags);
    tags->epoch = 1;
}

void sim_checks_start_block(struct worker *worker)
{
    struct sim_checks *const checks = worker->checks;
    struct shared_tags *const tags = &checks->shared;
    sim_global_start_block(worker);
    if (checks->clocks && worker->rank == 0)
        sim_clocks_start(checks->clocks);
    sim_pending_clear(tags);
    sim_checks_order(checks);
    for (int i = 0; i < MAX_BLOCK_WARPS; i++)
        sim_lane_order_start(&tags->orders[i]);
    tags->clash_count = 0;
    tags->block_count++;
    tags->strong_count = 0;
    checks->early.warp = NULL;
    if (checks->has_written)
        memset(checks->written, 0, (checks->words / 32 + 1) * sizeof *checks->written);
    checks->has_written = false;
}

#ifdef __SANITIZE_THREAD__
#include <unistd.h>
void sim_hold_up(void)
{
    enum { MOST = 4000, OFTEN = 24, LEAST_US = 20, MORE_US = 400 };
    static _Thread_local uint32_t state, calls;
    state = (state ? state : (uint32_t)(uintptr_t)&state) * 1664525 + 1013904223;
    if (calls++ < MOST && state >> 24 < OFTEN)
        usleep(LEAST_US + (state >> 8) % MORE_US);
}
#endif

void sim_checks_fence(struct warp *warp, bool is_block)
{
    sim_hold_up();
    sim_checks_settle(warp->worker->checks);
    sim_global_release(warp, is_block);
    if (!is_block) {
        sim_global_acquire(warp);
        warp->worker->checks->global.other_acquired = warp->worker->checks->global.other_look;
    }
    sim_checks_acquire(warp);
    if (warp->worker->checks->clocks)
        sim_clocks_fence(warp);
}

/* A fence orders nothing if the warp has not looked before: fences do not wait. */
void sim_checks_acquire(struct warp *warp)
{
    struct sim_checks *const checks = warp->worker->checks;
    if (!(checks->global.looked_inside >> warp->index & 1))
        return;
    sim_wait_acquired(warp);
    const uint32_t bit = UINT32_C(1) << warp->index;
    if (checks->clocks)
        sim_clocks_acquire(warp, !(checks->global.looked_beyond & bit));
    if (checks->global.looked_shared & bit) {
        sim_checks_order(checks);
        return;
    }
    if (checks->clocks)
        sim_clocks_order_global(checks->clocks);
    sim_global_order(&checks->global);
}
