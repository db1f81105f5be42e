/* What a worker keeps for checking one block after the other, and the switch for all of it. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Of the process: -1 until the environment has been looked at. */
static _Atomic int enabled = -1;

bool sim_checks_on(void)
{
    if (atomic_load(&enabled) < 0) {
        const char *const text = getenv("LAB_SIM_CHECKS");
        atomic_store(&enabled, !text || strcmp(text, "0") != 0);
    }
    return atomic_load(&enabled) != 0;
}

void sim_checks_set(bool on)
{
    atomic_store(&enabled, on);
}

struct sim_checks *sim_checks_create(size_t shared_bytes)
{
    struct sim_checks *const checks = calloc(1, sizeof *checks);
    if (!checks)
        return NULL;
    checks->words = (shared_bytes + 3) / 4;
    checks->writer = calloc(checks->words + 1, sizeof *checks->writer);
    checks->reader = calloc(checks->words + 1, sizeof *checks->reader);
    checks->written = calloc(checks->words / 32 + 1, sizeof *checks->written);
    if (!checks->writer || !checks->reader || !checks->written) {
        sim_checks_free(checks);
        return NULL;
    }
    return checks;
}

void sim_checks_free(struct sim_checks *checks)
{
    if (!checks)
        return;
    free(checks->writer);
    free(checks->reader);
    free(checks->written);
    free(checks);
}

void sim_checks_order(struct sim_checks *checks)
{
    sim_global_order(&checks->global);
    if (checks->epoch < TAG_LAST_EPOCH) {
        checks->epoch++;
        return;
    }
    memset(checks->writer, 0, checks->words * sizeof *checks->writer);
    memset(checks->reader, 0, checks->words * sizeof *checks->reader);
    checks->epoch = 1;
}

void sim_checks_start_block(struct worker *worker)
{
    struct sim_checks *const checks = worker->checks;
    sim_global_start_block(worker);
    sim_checks_order(checks);
    checks->clash_count = 0;
    checks->early.warp = NULL;
    if (checks->has_written)
        memset(checks->written, 0, (checks->words / 32 + 1) * sizeof *checks->written);
    checks->has_written = false;
}

void sim_checks_fence(struct warp *warp)
{
    sim_checks_settle(warp->worker->checks);
    sim_global_release(warp);
    sim_checks_order(warp->worker->checks);
}

void sim_check_atomic(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
                      const void *cell, unsigned bytes, bool reads)
{
    if (reads)
        sim_check_lane_unwritten(warp, at, lane, address, cell, bytes);
    if ((address & WINDOW_MASK) == SHARED_WINDOW && bytes >= 4)
        sim_check_shared_atomic(warp, at, lane, address - SHARED_WINDOW);
    else if ((address & WINDOW_MASK) == 0)
        sim_global_atomic(warp, at, lane, cell, bytes);
}
