/* Runs the warps of one block in turns until all have ended, and owns what a worker needs for it.
 */
#include "exec.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { QUANTUM = 4096, POISON = 0xff, PATIENCE = 1024 };

/* ---- The memory of a worker ---- */

/* Address space without memory behind it until it is used: stacks of recursive kernels are large.
 */
static char *reserve(size_t bytes)
{
    void *const memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(char *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes ? bytes : 1);
}

static void number_threads(struct warp *warp, const struct launch *launch)
{
    const unsigned *const block = launch->request->block;
    warp->exited = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        const unsigned number = warp->index * WARP_LANES + lane;
        if (number >= launch->threads)
            warp->exited |= UINT32_C(1) << lane;
        warp->thread[0][lane] = number % block[0];
        warp->thread[1][lane] = number / block[0] % block[1];
        warp->thread[2][lane] = number / block[0] / block[1];
    }
    warp->absent = warp->exited;
}

static void prepare_warp(struct worker *worker, unsigned index)
{
    const struct launch *const launch = worker->launch;
    const struct function *const entry = launch->program->entry;
    struct warp *const warp = &worker->block.warps[index];
    warp->worker = worker;
    warp->block = &worker->block;
    warp->index = index;
    warp->frames = worker->frames + index * launch->frame_stride;
    warp->local = worker->local + index * launch->local_stride;
    memcpy(warp->frames + entry->constants_at, entry->constants, entry->constant_bytes);
    number_threads(warp, launch);
}

struct worker *sim_worker_create(struct launch *launch, unsigned index)
{
    const unsigned warps = (launch->threads + WARP_LANES - 1) / WARP_LANES;
    struct worker *const worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->launch = launch;
    worker->index = index;
    worker->caches = calloc(launch->program->cache_count + 1, sizeof *worker->caches);
    worker->counts = calloc((size_t)launch->program->segment_count + 1, sizeof *worker->counts);
    worker->frames = reserve(warps * launch->frame_stride);
    worker->local = reserve(warps * launch->local_stride);
    worker->block.shared = reserve(launch->shared_bytes);
    worker->block.warp_count = warps;
    if (!worker->caches || !worker->counts || !worker->frames || !worker->local ||
        !worker->block.shared) {
        sim_worker_free(worker);
        return NULL;
    }
    for (unsigned i = 0; i < warps; i++)
        prepare_warp(worker, i);
    return worker;
}

void sim_worker_free(struct worker *worker)
{
    if (!worker)
        return;
    const struct launch *const launch = worker->launch;
    const unsigned warps = worker->block.warp_count;
    for (unsigned i = 0; i < warps; i++)
        free(worker->block.warps[i].paths);
    release(worker->frames, warps * launch->frame_stride);
    release(worker->local, warps * launch->local_stride);
    release(worker->block.shared, launch->shared_bytes);
    free(worker->caches);
    free(worker->counts);
    free(worker);
}

/* ---- Running ---- */

/* Registers start as zero, shared and local memory as NaN: a run repeats itself exactly. */
static void start_warp(struct warp *warp)
{
    const struct function *const entry = warp->worker->launch->program->entry;
    warp->frame = warp->frames;
    warp->function = entry;
    warp->exited = warp->absent;
    warp->active = warp->live = ~warp->exited;
    warp->path_count = warp->call_depth = 0;
    warp->local_base = 0;
    warp->at = entry->code;
    warp->state = WARP_READY;
    warp->parked = false;
    warp->polls = 0;
    memset(warp->frame, 0, (size_t)entry->constants_at);
    memset(warp->local, POISON, entry->local_bytes * WARP_LANES);
}

static void start_block(struct worker *worker)
{
    struct block *const block = &worker->block;
    const unsigned *const grid = worker->launch->request->grid;
    block->id[0] = (unsigned)(worker->block_number % grid[0]);
    block->id[1] = (unsigned)(worker->block_number / grid[0] % grid[1]);
    block->id[2] = (unsigned)(worker->block_number / grid[0] / grid[1]);
    block->live_warps = block->warp_count;
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->shared, POISON, worker->launch->shared_bytes);
    for (unsigned i = 0; i < block->warp_count; i++)
        start_warp(&block->warps[i]);
}

static void run_warp(struct warp *warp)
{
    const struct instruction *at = warp->at;
    warp->budget = QUANTUM;
    do
        at = at->run(warp, at);
    while (at);
    if (warp->state == WARP_EXITED) {
        warp->block->live_warps--;
        sim_barriers_after_exit(warp->block);
    } else if (warp->state == WARP_READY && warp->polls > PATIENCE) {
        sim_split_waiting(warp);
    }
}

/* Freed memory may still be in the caches of this worker. */
void sim_refresh_caches(struct worker *worker)
{
    const uint32_t changes = atomic_load(&worker->launch->heap_changes);
    if (changes == worker->heap_changes)
        return;
    worker->heap_changes = changes;
    memset(worker->caches, 0, worker->launch->program->cache_count * sizeof *worker->caches);
}

void sim_run_block(struct worker *worker)
{
    struct block *const block = &worker->block;
    start_block(worker);
    while (block->live_warps > 0) {
        bool is_stuck = true;
        if (atomic_load(&worker->launch->last_block) < worker->block_number)
            return;
        sim_refresh_caches(worker);
        for (unsigned i = 0; i < block->warp_count; i++) {
            if (block->warps[i].state != WARP_READY)
                continue;
            is_stuck = false;
            run_warp(&block->warps[i]);
        }
        if (is_stuck)
            sim_barrier_deadlock(block);
    }
}
