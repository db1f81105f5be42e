/* Blocks sleep at the barrier of a grid and are woken when it opens. */
#include "grid_barrier.h"

#include "lanes.h"

#include <pthread.h>
#include <stdlib.h>

enum { COUNTER = 4 }; /* its offset in the workspace, which begins with its own size */

/* Workers hold the lock while they use the members below it. */
struct grid_barrier {
    const _Atomic uint32_t *counter;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t passed;          /* openings so far; counted by the first block that passes */
    unsigned asleep, left;    /* workers that sleep since then; that take no more blocks */
    bool has_failed;          /* a block has, and not since all slept */
    _Atomic bool is_hopeless; /* all workers that have not left sleep; read without the lock, too */
    uint64_t gone;            /* the first block that has ended; UINT64_MAX: none */
};

bool sim_grid_barrier_begin(struct launch *launch, const void *host)
{
    struct grid_barrier *const grid = calloc(1, sizeof *grid);
    if (!grid)
        return false;
    grid->gone = UINT64_MAX;
    grid->counter = (const _Atomic uint32_t *)host + COUNTER / 4;
    pthread_mutex_init(&grid->lock, NULL);
    pthread_cond_init(&grid->changed, NULL);
    launch->grid = grid;
    return true;
}

void sim_grid_barrier_end(struct launch *launch)
{
    if (!launch->grid)
        return;
    pthread_mutex_destroy(&launch->grid->lock);
    pthread_cond_destroy(&launch->grid->changed);
    free(launch->grid);
}

bool sim_grid_is_counter(const struct launch *launch, uint64_t address)
{
    return launch->grid && address - launch->request->grid_barrier == COUNTER;
}

static bool is_open(const struct grid_barrier *grid, const struct block *block)
{
    return atomic_load(grid->counter) >> 31 != (block->grid_waits & 1);
}

const struct instruction *sim_run_grid_wait(struct warp *warp, const struct instruction *at)
{
    struct grid_barrier *const grid = warp->worker->launch->grid;
    const struct instruction *const load = at + 1;
    if (!grid)
        return load;
    const sim_bits64 *const slot = sim_slot(warp, load->a);
    const uint64_t address = slot[__builtin_ctz(warp->active)] + (uint64_t)load->offset;
    if (!sim_grid_is_counter(warp->worker->launch, address))
        return load;
    if (!is_open(grid, warp->block)) {
        warp->at = at;
        warp->has_polled = true;
        warp->block->sleeper = warp;
        return NULL;
    }
    warp->block->grid_waits++;
    warp->block->grid_read = load;
    pthread_mutex_lock(&grid->lock);
    if (grid->passed != warp->block->grid_waits) { /* the first to pass wakes the others */
        grid->passed = warp->block->grid_waits;
        grid->asleep = 0;
        pthread_cond_broadcast(&grid->changed);
    }
    pthread_mutex_unlock(&grid->lock);
    return load;
}

static void fail(struct warp *warp, uint64_t gone)
{
    const unsigned *const size = warp->worker->launch->request->grid;
    const int lane = __builtin_ctz(warp->active);
    if (gone == UINT64_MAX)
        sim_fault(warp, warp->at, lane, SIM_UNSUPPORTED, 0,
                  "the simulator cannot start a thread for each block of a cooperative launch on "
                  "this machine; take fewer blocks");
    sim_fault(warp, warp->at, lane, SIM_TIMEOUT, 0,
              "no end in sight: all blocks that still run wait at the barrier of the grid, and "
              "block (%u, %u, %u) has ended without it; every block has to call sync() as often as "
              "the others, with or without work of its own",
              (unsigned)(gone % size[0]), (unsigned)(gone / size[0] % size[1]),
              (unsigned)(gone / size[0] / size[1]));
}

void sim_grid_sleep(struct worker *worker, unsigned workers)
{
    struct launch *const launch = worker->launch;
    struct grid_barrier *const grid = launch->grid;
    pthread_mutex_lock(&grid->lock);
    grid->asleep += !is_open(grid, &worker->block);
    while (!is_open(grid, &worker->block) && atomic_load(&launch->last_cluster) >= worker->place &&
           !grid->is_hopeless) {
        grid->is_hopeless = grid->asleep + grid->left == workers;
        if (!grid->is_hopeless)
            pthread_cond_wait(&grid->changed, &grid->lock);
    }
    if (grid->is_hopeless)
        pthread_cond_broadcast(&grid->changed);
    else if (!is_open(grid, &worker->block))
        grid->asleep--; /* it leaves, since an earlier block has failed */
    const bool fails = grid->is_hopeless && !grid->has_failed;
    const uint64_t gone = grid->gone;
    pthread_mutex_unlock(&grid->lock);
    if (fails)
        fail(worker->block.sleeper, gone);
}

unsigned sim_grid_asleep(const struct launch *launch)
{
    if (!launch->grid)
        return 0;
    pthread_mutex_lock(&launch->grid->lock);
    const unsigned asleep = launch->grid->asleep;
    pthread_mutex_unlock(&launch->grid->lock);
    return asleep;
}

bool sim_grid_is_hopeless(const struct launch *launch)
{
    return launch->grid && launch->grid->is_hopeless;
}

void sim_grid_block_ends(struct worker *worker)
{
    struct grid_barrier *const grid = worker->launch->grid;
    if (!grid)
        return;
    pthread_mutex_lock(&grid->lock);
    if (worker->block_number < grid->gone)
        grid->gone = worker->block_number;
    pthread_mutex_unlock(&grid->lock);
}

void sim_grid_worker_ends(struct worker *worker)
{
    struct grid_barrier *const grid = worker->launch->grid;
    if (!grid)
        return;
    pthread_mutex_lock(&grid->lock);
    grid->left++;
    grid->has_failed |= worker->outcome.status != SIM_OK && !grid->is_hopeless;
    pthread_cond_broadcast(&grid->changed);
    pthread_mutex_unlock(&grid->lock);
}
