/* A budget in place of a hang: what a thread block may execute. Waiting for other threads in a loop
 * does not count, since how long that takes is up to them. */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>

#define MILLION        UINT64_C(1000000)
#define DEFAULT_BUDGET (256 * MILLION)
#define UNKNOWN_BUDGET UINT64_MAX

/* Of the process. */
static _Atomic uint64_t budget = UNKNOWN_BUDGET;

void sim_budget_set(uint64_t basic_blocks)
{
    atomic_store(&budget, basic_blocks);
}

static uint64_t get_budget(void)
{
    uint64_t value = atomic_load_explicit(&budget, memory_order_relaxed);
    if (value == UNKNOWN_BUDGET) {
        const char *const text = getenv("LAB_SIM_BUDGET");
        value = text ? strtoull(text, NULL, 10) * MILLION : DEFAULT_BUDGET;
        atomic_store(&budget, value);
    }
    return value;
}

void sim_count_turn(struct warp *warp, unsigned basic_blocks)
{
    const uint64_t most = get_budget(), executed = ++warp->worker->turns * basic_blocks;
    if (most == 0 || executed < most)
        return;
    sim_fault(warp, warp->at, __builtin_ctz(warp->active), SIM_TIMEOUT, 0,
              "no end in sight: the block has executed %" PRIu64
              " million basic blocks and warp %u still loops here; does the loop's condition ever "
              "become false? (LAB_SIM_BUDGET=MILLIONS allows more, 0 sets no limit)",
              executed / MILLION, warp->index);
}
