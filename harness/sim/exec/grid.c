/* A launch: checks it, lets CPU threads take its blocks in order, and sums up what they did.
 *
 * When a block fails, those before it still run to their end, so that the first failing block in
 * the order of the grid is reported whatever the number of CPU threads. */
#include "decode.h"
#include "warp.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_BLOCK_X = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_YZ = 65535,
    MAX_SHARED_BYTES = 227 << 10,
    MAX_WORKERS = 256,
    STRIDE_STEP = 4096
};

/* ---- Checking ---- */

static bool check_shape(const struct sim_launch *request, struct sim_outcome *outcome)
{
    const unsigned *const grid = request->grid, *const block = request->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    const struct ptx_function *const ptx = request->kernel->ptx;
    const int *const required = ptx->required_block;
    const uint64_t most = ptx->max_threads > 0 ? (uint64_t)ptx->max_threads : MAX_BLOCK_THREADS;
    if (threads == 0 || (uint64_t)grid[0] * grid[1] * grid[2] == 0)
        sim_report(outcome, SIM_BAD_LAUNCH,
                   "grid (%u, %u, %u) of blocks (%u, %u, %u): every size must be at least 1",
                   grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    else if (threads > MAX_BLOCK_THREADS || block[0] > MAX_BLOCK_X || block[1] > MAX_BLOCK_X ||
             block[2] > MAX_BLOCK_Z)
        sim_report(outcome, SIM_BAD_LAUNCH,
                   "a block of (%u, %u, %u) threads: at most 1024 in all, 1024 x 1024 x 64",
                   block[0], block[1], block[2]);
    else if (grid[0] > INT32_MAX || grid[1] > MAX_GRID_YZ || grid[2] > MAX_GRID_YZ)
        sim_report(outcome, SIM_BAD_LAUNCH,
                   "a grid of (%u, %u, %u) blocks: at most 2147483647 x 65535 x 65535", grid[0],
                   grid[1], grid[2]);
    else if (threads > most)
        sim_report(outcome, SIM_BAD_LAUNCH,
                   "a block of %llu threads, but the kernel's launch bounds allow %llu",
                   (unsigned long long)threads, (unsigned long long)most);
    else if (required[0] > 0 &&
             (block[0] != (unsigned)required[0] || block[1] != (unsigned)required[1] ||
              block[2] != (unsigned)required[2]))
        sim_report(outcome, SIM_BAD_LAUNCH,
                   "a block of (%u, %u, %u) threads, but the kernel requires (%d, %d, %d)",
                   block[0], block[1], block[2], required[0], required[1], required[2]);
    return outcome->status == SIM_OK;
}

static bool check_shared(const struct launch *launch, struct sim_outcome *outcome)
{
    if (launch->shared_bytes <= MAX_SHARED_BYTES)
        return true;
    sim_report(outcome, SIM_BAD_LAUNCH,
               "a block needs %zu bytes of shared memory (%zu static, %zu dynamic); there are %d",
               launch->shared_bytes, launch->program->shared_bytes, launch->request->dynamic_shared,
               MAX_SHARED_BYTES);
    return false;
}

static bool decode(struct sim_kernel *kernel, struct sim_outcome *outcome)
{
    pthread_mutex_lock(&kernel->module->decoding);
    const bool is_decoded =
        kernel->program->is_decoded || (kernel->refusal.status == SIM_OK && sim_decode(kernel));
    pthread_mutex_unlock(&kernel->module->decoding);
    if (!is_decoded)
        *outcome = kernel->refusal;
    return is_decoded;
}

/* ---- Running ---- */

static void fail_block(struct worker *worker)
{
    uint64_t last = atomic_load(&worker->launch->last_block);
    while (worker->block_number < last &&
           !atomic_compare_exchange_weak(&worker->launch->last_block, &last, worker->block_number))
        ;
}

static void *run_worker(void *argument)
{
    struct worker *const worker = argument;
    struct launch *const launch = worker->launch;
    for (;;) {
        worker->block_number = atomic_fetch_add(&launch->next_block, 1);
        if (worker->block_number >= launch->block_count ||
            worker->block_number > atomic_load(&launch->last_block))
            return NULL;
        if (setjmp(worker->stop)) {
            fail_block(worker);
            return NULL;
        }
        sim_run_block(worker);
    }
}

static unsigned count_workers(const struct sim_launch *request, uint64_t blocks)
{
    long count = request->workers ? (long)request->workers : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < 1 ? 1 : count > MAX_WORKERS ? MAX_WORKERS : count;
    return (uint64_t)count < blocks ? (unsigned)count : (unsigned)blocks;
}

/* Starts the workers that the system gives; the first one runs on the calling thread. */
static unsigned run_workers(struct launch *launch, struct worker **workers, unsigned count)
{
    pthread_t threads[MAX_WORKERS];
    unsigned started = 0;
    for (unsigned i = 0; i < count; i++) {
        workers[i] = sim_worker_create(launch, i);
        if (!workers[i])
            break;
        started++;
    }
    unsigned running = 1;
    while (running < started &&
           pthread_create(&threads[running], NULL, run_worker, workers[running]) == 0)
        running++;
    if (started > 0)
        run_worker(workers[0]);
    for (unsigned i = 1; i < running; i++)
        pthread_join(threads[i], NULL);
    return started;
}

/* ---- Summing up ---- */

static void add_counts(struct launch *launch, const struct worker *worker,
                       struct sim_outcome *outcome)
{
    const struct program *const program = launch->program;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->segment_count; i++) {
            const struct segment_count *const count = &worker->counts[function->first_segment + i];
            const uint64_t length = (uint64_t)function->segments[i].count;
            outcome->warp_instructions += count->warps * length;
            outcome->thread_instructions += count->threads * length;
        }
    }
    outcome->warp_instructions -= worker->unexecuted_warps;
    outcome->thread_instructions -= worker->unexecuted_threads;
}

static void sum_up(struct launch *launch, struct worker **workers, unsigned count,
                   struct sim_outcome *outcome)
{
    const struct worker *failed = NULL;
    for (unsigned i = 0; i < count; i++)
        if (workers[i]->outcome.status != SIM_OK &&
            (!failed || workers[i]->block_number < failed->block_number))
            failed = workers[i];
    if (failed)
        *outcome = failed->outcome;
    for (unsigned i = 0; i < count; i++) {
        add_counts(launch, workers[i], outcome);
        sim_worker_free(workers[i]);
    }
}

static char *gather_params(const struct sim_launch *request)
{
    const struct ptx_function *const ptx = request->kernel->ptx;
    char *const params = calloc(1, ptx->param_bytes + 64);
    for (int i = 0; params && i < ptx->param_count; i++)
        memcpy(params + ptx->params[i].offset, request->args[i], ptx->params[i].size);
    return params;
}

static size_t round_up(size_t bytes)
{
    return (bytes + STRIDE_STEP - 1) / STRIDE_STEP * STRIDE_STEP;
}

static void run(struct launch *launch, struct sim_outcome *outcome)
{
    struct worker *workers[MAX_WORKERS] = {0};
    const unsigned count =
        run_workers(launch, workers, count_workers(launch->request, launch->block_count));
    if (count == 0)
        sim_report(outcome, SIM_BAD_LAUNCH, "the simulator ran out of memory");
    sum_up(launch, workers, count, outcome);
    fflush(stdout);
}

void sim_execute(const struct sim_launch *request, struct sim_outcome *outcome)
{
    struct sim_kernel *const kernel = request->kernel;
    const struct program *const program = kernel->program;
    *outcome = (struct sim_outcome){.status = SIM_OK};
    if (check_shape(request, outcome) && decode(kernel, outcome)) {
        struct launch launch = {
            .request = request,
            .program = program,
            .shared_bytes = request->dynamic_shared
                                ? program->dynamic_shared + request->dynamic_shared
                                : program->shared_bytes,
            .frame_stride = round_up(program->stack_frame_bytes),
            .local_stride = round_up(program->stack_local_bytes * WARP_LANES),
            .local_limit = (uint32_t)program->stack_local_bytes,
            .threads = request->block[0] * request->block[1] * request->block[2],
            .block_count = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2],
            .last_block = UINT64_MAX,
        };
        char *const params = gather_params(request);
        launch.params = params;
        if (!params)
            sim_report(outcome, SIM_BAD_LAUNCH, "the simulator ran out of memory");
        else if (check_shared(&launch, outcome))
            run(&launch, outcome);
        free(params);
    }
    snprintf(outcome->kernel, sizeof outcome->kernel, "%s", kernel->title);
}
