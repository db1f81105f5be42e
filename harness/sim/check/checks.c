/* What a worker keeps for checking one block after the other, and the switch for all of it. */
#include "checks.h"

#include "global_tags.h"
#include "lane_order.h"
#include "pending_copy.h"
#include "unwritten.h"

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

static bool create_tags(struct shared_tags *tags, size_t shared_bytes, unsigned shift)
{
    tags->shift = shift;
    tags->units = (shared_bytes + 3) / 4 << (WORD_SHIFT - shift);
    tags->writer = calloc(tags->units + 1, sizeof *tags->writer);
    tags->reader = calloc(tags->units + 1, sizeof *tags->reader);
    tags->reader_lanes = calloc(tags->units + 1, sizeof *tags->reader_lanes);
    tags->writer_lane = calloc(tags->units + 1, sizeof *tags->writer_lane);
    tags->pending = sim_pending_create();
    return tags->writer && tags->reader && tags->reader_lanes && tags->writer_lane && tags->pending;
}

struct sim_checks *sim_checks_create(size_t shared_bytes, unsigned shift)
{
    struct sim_checks *const checks = calloc(1, sizeof *checks);
    if (!checks)
        return NULL;
    checks->words = (shared_bytes + 3) / 4;
    checks->written = calloc(checks->words / 32 + 1, sizeof *checks->written);
    if (!create_tags(&checks->shared, shared_bytes, shift) || !checks->written) {
        sim_checks_free(checks);
        return NULL;
    }
    return checks;
}

void sim_checks_free(struct sim_checks *checks)
{
    if (!checks)
        return;
    free(checks->shared.writer);
    free(checks->shared.reader);
    free(checks->shared.reader_lanes);
    free(checks->shared.writer_lane);
    sim_pending_free(checks->shared.pending);
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
    sim_pending_mark(tags);
    tags->epoch = 1;
}

void sim_checks_start_block(struct worker *worker)
{
    struct sim_checks *const checks = worker->checks;
    struct shared_tags *const tags = &checks->shared;
    sim_global_start_block(worker);
    sim_pending_clear(tags);
    sim_checks_order(checks);
    for (int i = 0; i < MAX_BLOCK_WARPS; i++)
        sim_lane_order_start(&tags->orders[i]);
    tags->clash_count = 0;
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
