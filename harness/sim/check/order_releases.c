/* Releases, acquires and barriers as they are executed: which stretches of a block have ended, and
 * what others may have learned of them. */
#include "order.h"

#include "global_tags.h"

#include <string.h>

void sim_global_start_block(struct worker *worker)
{
    struct global_checks *const checks = &worker->checks->global;
    const uint64_t block = (worker->block_number + 1) << GLOBAL_BLOCK_SHIFT;
    checks->tag = worker->launch->global ? block | UINT64_C(1) << GLOBAL_EPOCH_SHIFT : 0;
    checks->barrier = checks->heard = checks->arrivals = 0;
    checks->acquired = checks->is_fenced = false;
    checks->looked = checks->looked_inside = checks->looked_shared = checks->looked_beyond = 0;
    memset(checks->acquired_at, 0, sizeof checks->acquired_at);
    checks->clashes = false;
    checks->other_look = checks->other_acquired = 0;
    checks->strong_count = 0;
    checks->look_count = checks->look_time = 0;
    memset(checks->looks, 0, sizeof checks->looks);
    if (checks->early_count > 0)
        memset(checks->early_data, 0, sizeof checks->early_data);
    checks->early_count = 0;
    sim_wait_start(worker);
    sim_flags_start_block(worker);
}

/* After a quarter of a million stretches a block is no longer checked. */
void sim_global_order(struct global_checks *checks)
{
    const uint64_t next = checks->tag + (UINT64_C(1) << GLOBAL_EPOCH_SHIFT);
    if (checks->tag)
        checks->tag = (next ^ checks->tag) >> GLOBAL_BLOCK_SHIFT ? 0 : next;
}

/* Returns NULL if memory runs out. Then all blocks with a fence count as ordered. */
static struct block_release *make_release(const struct worker *worker)
{
    const struct launch *const launch = worker->launch;
    struct block_release *const released =
        sim_global_make_once(&launch->global->released, launch->block_count * sizeof *released);
    return released ? &released[worker->block_number] : NULL;
}

void sim_global_release(struct warp *warp, bool is_block)
{
    const struct worker *const worker = warp->worker;
    struct global_checks *const checks = &worker->checks->global;
    const uint32_t last = (1 << GLOBAL_EPOCH_BITS) - 1;
    if (!worker->launch->global)
        return;
    struct block_release *const release = make_release(worker);
    if (release)
        atomic_store_explicit(is_block ? &release->fenced_inside : &release->fenced,
                              checks->tag ? global_stretch(checks->tag) : last,
                              memory_order_release);
    sim_global_order(checks);
    if (is_block)
        return;
    sim_flags_fence(warp);
    checks->is_fenced = true;
    atomic_store(&worker->launch->global->has_releases, true);
}

void sim_global_arrive(struct warp *warp)
{
    const struct worker *const worker = warp->worker;
    struct global_checks *const checks = &worker->checks->global;
    struct block_release *const release = worker->launch->global ? make_release(worker) : NULL;
    const unsigned place = checks->arrivals++ % GRID_ARRIVALS;
    if (release)
        atomic_store_explicit(&release->arrived[place], checks->tag ? checks->barrier : UINT32_MAX,
                              memory_order_release);
}

/* The releases of the block that runs; NULL before any block has executed a fence. */
static struct block_release *release_of(const struct worker *worker)
{
    const struct global_launch *const global = worker->launch->global;
    struct block_release *const released =
        global && worker->checks->global.tag ? atomic_load(&global->released) : NULL;
    return released ? &released[worker->block_number] : NULL;
}

uint64_t sim_global_latest_acquired(const struct global_checks *checks)
{
    uint64_t latest = 0;
    for (int i = 0; i < MAX_BLOCK_WARPS; i++)
        latest = checks->acquired_at[i] > latest ? checks->acquired_at[i] : latest;
    return latest;
}

void sim_global_barrier(struct worker *worker)
{
    struct global_checks *const checks = &worker->checks->global;
    struct block_release *const release = release_of(worker);
    checks->barrier = global_stretch(checks->tag);
    checks->heard = 0;
    sim_wait_barrier(worker->checks);
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++) {
        struct look *const look = &checks->looks[i];
        look->warps = UINT32_MAX;
        look->fenced = look->fenced ? UINT32_MAX : 0;
    }
    if (checks->looked) {
        const uint64_t latest = sim_global_latest_acquired(checks);
        for (int i = 0; i < MAX_BLOCK_WARPS; i++)
            checks->acquired_at[i] = latest;
        checks->looked = UINT32_MAX;
    }
    if (release && atomic_load(&release->closed) == 0 && atomic_load(&release->signals) != 0)
        atomic_store(&release->closed, checks->barrier);
}

void sim_global_set(struct warp *warp)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct block_release *const release = release_of(warp->worker);
    if (!checks->is_fenced || !release)
        return;
    checks->is_fenced = false;
    atomic_store(&release->acquired,
                 warp->block->grid_waits > 0 ? UINT64_MAX : sim_global_latest_acquired(checks));
    const uint32_t count = atomic_load(&release->release_count);
    const uint64_t time = atomic_fetch_add(&warp->worker->launch->global->time, 1);
    atomic_store(&release->releases[count % RELEASES],
                 (uint64_t)atomic_load(&release->fenced) << RELEASE_TIME_BITS | time);
    atomic_store(&release->release_count, count + 1);
}

void sim_global_acquire(struct warp *warp)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    const struct global_launch *const launch = warp->worker->launch->global;
    const bool has_looked = checks->looked >> warp->index & 1;
    sim_flags_acquire(warp);
    for (int i = 0; i < LOOKS && checks->look_count > 0; i++)
        checks->looks[i].fenced |= checks->looks[i].warps & UINT32_C(1) << warp->index;
    if (launch)
        checks->acquired_at[warp->index] =
            has_looked ? atomic_load(&launch->time) + 1 : sim_global_latest_acquired(checks);
}

void sim_global_other_look(struct warp *warp, const struct instruction *at)
{
    const struct ptx_instruction *const source = sim_source(warp, at);
    struct global_checks *const checks = &warp->worker->checks->global;
    if (!warp->worker->launch->global)
        return;
    checks->other_look = atomic_load(&warp->worker->launch->global->time) + 1;
    if (ptx_acquires(source))
        checks->other_acquired = checks->other_look;
}

/* Sets `closed` last, because readers read it first. */
void sim_global_signal(struct warp *warp, bool is_global)
{
    struct global_checks *const checks = &warp->worker->checks->global;
    struct block_release *const release = release_of(warp->worker);
    const uint64_t since = (uint64_t)checks->barrier << 32 | SIGNALS_OTHERS;
    checks->heard |= UINT32_C(1) << warp->index;
    if (!release || (!is_global && atomic_load(&release->signals) >> 32 != since >> 32))
        return;
    atomic_store(&release->signals, since | checks->heard);
    atomic_store(&release->closed, 0);
}
