/* The memory of a worker: registers, local and shared memory of one block, caches and counts.
 *
 * A kernel keeps one worker between launches, since a launch of a few small blocks takes less time
 * than the allocation of this memory. */
#include "worker.h"

#include "sim/check/switchboard.h"
#include "sim/check/worker_checks.h"
#include "sim/machine/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KEPT_BYTES = 8 << 20 };

/* Allocates address space that takes memory only where it is used, because stacks of recursive
 * kernels are large. */
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

static unsigned count_warps(const struct launch *launch)
{
    return (launch->threads + WARP_LANES - 1) / WARP_LANES;
}

static struct worker *allocate(const struct launch *launch)
{
    const struct program *const program = launch->program;
    struct worker *const worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->warp_capacity = count_warps(launch);
    worker->shared_capacity = launch->shared_bytes;
    worker->frame_bytes = worker->warp_capacity * launch->frame_stride;
    worker->local_bytes = worker->warp_capacity * launch->local_stride;
    worker->caches = calloc(program->cache_count + 1, sizeof *worker->caches);
    worker->counts = calloc((size_t)program->segment_count + 1, sizeof *worker->counts);
    worker->frames = reserve(worker->frame_bytes);
    worker->local = reserve(worker->local_bytes);
    worker->block.shared = reserve(worker->shared_capacity);
    if (!worker->caches || !worker->counts || !worker->frames || !worker->local ||
        !worker->block.shared) {
        sim_worker_free(worker);
        return NULL;
    }
    return worker;
}

void sim_worker_free(struct worker *worker)
{
    if (!worker)
        return;
    for (unsigned rank = 1; worker->cluster && worker->rank == 0 && rank < worker->cluster->size;
         rank++)
        sim_worker_free(worker->cluster->members[rank]);
    if (worker->rank == 0)
        free(worker->cluster);
    for (unsigned i = 0; i < MAX_BLOCK_WARPS; i++)
        sim_free_paths(&worker->block.warps[i]);
    release(worker->frames, worker->frame_bytes);
    release(worker->local, worker->local_bytes);
    release(worker->block.shared, worker->shared_capacity);
    sim_checks_free(worker->checks);
    free(worker->block.mbarriers);
    free(worker->noted.rows);
    free(worker->caches);
    free(worker->counts);
    free(worker);
}

static void number_threads(struct warp *warp, const struct launch *launch)
{
    const unsigned *const block = launch->request->block;
    warp->absent = 0;
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        const unsigned number = warp->index * WARP_LANES + lane;
        if (number >= launch->threads)
            warp->absent |= UINT32_C(1) << lane;
        warp->thread[0][lane] = number % block[0];
        warp->thread[1][lane] = number / block[0] % block[1];
        warp->thread[2][lane] = number / block[0] / block[1];
    }
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

/* The checks of a worker, in its first launch. The blocks of a cluster have clocks in common. */
static void create_checks(struct worker *worker, const struct launch *launch)
{
    const struct program *const program = launch->program;
    const struct cluster *const cluster = worker->cluster;
    if (sim_checks_on() && !worker->checks)
        worker->checks =
            sim_checks_create(worker->shared_capacity, program->shared_shift,
                              cluster                      ? launch->cluster_size
                              : program->has_part_barriers ? 1
                                                           : 0,
                              cluster && worker->rank > 0 ? cluster->members[0]->checks : NULL);
    if (!sim_checks_on()) {
        sim_checks_free(worker->checks);
        worker->checks = NULL;
    }
    worker->follows_values = worker->checks && sim_checks_for(SIM_CHECK_UNINITIALIZED);
}

static void prepare(struct worker *worker, struct launch *launch, unsigned index)
{
    const struct program *const program = launch->program;
    create_checks(worker, launch);
    worker->launch = launch;
    worker->index = index;
    worker->heap_changes = 0;
    worker->is_waiting = worker->fails_by_waiting = worker->has_drawn = false;
    worker->unexecuted_warps = worker->unexecuted_threads = 0;
    worker->outcome = (struct sim_outcome){.status = SIM_OK};
    memset(worker->caches, 0, program->cache_count * sizeof *worker->caches);
    memset(worker->counts, 0, (size_t)program->segment_count * sizeof *worker->counts);
    worker->block.warp_count = count_warps(launch);
    for (unsigned i = 0; i < worker->block.warp_count; i++)
        prepare_warp(worker, i);
}

/* A worker for each block of a cluster. */
static struct worker *create_cluster(struct launch *launch, unsigned index)
{
    struct cluster *const cluster = calloc(1, sizeof *cluster);
    for (; cluster && cluster->size < launch->cluster_size; cluster->size++) {
        struct worker *const member = allocate(launch);
        if (!member && cluster->size == 0)
            break;
        if (!member) {
            sim_worker_free(cluster->members[0]);
            return NULL;
        }
        cluster->members[cluster->size] = member;
        member->cluster = cluster;
        member->rank = cluster->size;
        prepare(member, launch, index * launch->cluster_size + member->rank);
    }
    if (cluster && cluster->size == launch->cluster_size)
        return cluster->members[0];
    free(cluster);
    return NULL;
}

struct worker *sim_worker_create(struct launch *launch, unsigned index)
{
    if (launch->cluster_size > 1 || launch->program->has_cluster_barriers)
        return create_cluster(launch, index);
    struct worker *worker = atomic_exchange(&launch->request->kernel->idle, NULL);
    if (worker && (worker->warp_capacity < count_warps(launch) ||
                   worker->shared_capacity < launch->shared_bytes)) {
        sim_worker_free(worker);
        worker = NULL;
    }
    if (!worker)
        worker = allocate(launch);
    if (worker)
        prepare(worker, launch, index);
    return worker;
}

void sim_worker_done(struct worker *worker)
{
    struct worker *none = NULL;
    const size_t bytes = worker->frame_bytes + worker->local_bytes + worker->shared_capacity;
    struct sim_kernel *const kernel = worker->launch->request->kernel;
    if (worker->cluster || bytes > KEPT_BYTES ||
        !atomic_compare_exchange_strong(&kernel->idle, &none, worker))
        sim_worker_free(worker);
}

/* ---- Which workers run and wait ---- */

void sim_note_change(struct launch *launch)
{
    uint64_t quiet = atomic_load(&launch->quiet);
    while (!atomic_compare_exchange_weak(&launch->quiet, &quiet,
                                         ((quiet >> CHANGE_SHIFT) + 1) << CHANGE_SHIFT))
        ;
}

void sim_worker_comes(struct launch *launch)
{
    atomic_fetch_add(&launch->running, 1);
    sim_note_change(launch);
}

void sim_worker_goes(struct launch *launch)
{
    sim_note_change(launch); /* first: a worker that counts too few running ones sees the change */
    atomic_fetch_sub(&launch->running, 1);
}

void sim_worker_waits(struct worker *worker, bool waits)
{
    if (worker->is_waiting == waits)
        return;
    worker->is_waiting = waits;
    sim_note_change(worker->launch);
    atomic_fetch_add(&worker->launch->waiting, waits ? 1 : -1);
}

bool sim_all_wait(struct launch *launch)
{
    return atomic_load(&launch->waiting) >= atomic_load(&launch->running);
}
