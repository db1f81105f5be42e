/* A launch: checks it, lets CPU threads take its blocks in order, and sums up what they did.
 *
 * When a block fails, those before it still run to their end, so that the first failing block in
 * the order of the grid is reported whatever the number of CPU threads. */
#include "count.h"
#include "opcodes.h"
#include "warp.h"

#include "sim/check/checks.h"
#include "sim/check/global_tags.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_BLOCK_X = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_YZ = 65535,
    MAX_SHARED_BYTES = 227 << 10,
    MAX_WORKERS = 256
};

/* Seconds after which more threads are started for a launch. */
static const double HELP_AFTER = 100e-6;

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
    const bool is_decoded = kernel->program->is_decoded ||
                            (kernel->refusal.status == SIM_OK && sim_decode(kernel, &sim_opcodes));
    pthread_mutex_unlock(&kernel->module->decoding);
    if (!is_decoded)
        *outcome = kernel->refusal;
    return is_decoded;
}

/* ---- Running ---- */

/* The workers of a launch. The first runs on the calling thread and gets the help of others only
 * when the launch turns out to take longer than starting them. */
struct crew {
    struct launch *launch;
    unsigned wanted; /* threads, the calling one included */
    double begin;
    bool is_helped;
    pthread_mutex_t starting; /* held while `started` changes */
    unsigned started;
    pthread_t threads[MAX_WORKERS];
    struct member {
        struct crew *crew;
        struct worker *worker;
    } members[MAX_WORKERS];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail_block(struct worker *worker)
{
    uint64_t last = atomic_load(&worker->launch->last_block);
    while (worker->block_number < last &&
           !atomic_compare_exchange_weak(&worker->launch->last_block, &last, worker->block_number))
        ;
}

static void *run_helper(void *argument);

/* Starts threads until there are `count`, or no more can be had. */
static void start_helpers(struct crew *crew, unsigned count)
{
    pthread_mutex_lock(&crew->starting);
    for (unsigned i = crew->started; i < count; i++) {
        crew->members[i].crew = crew;
        if (pthread_create(&crew->threads[i], NULL, run_helper, &crew->members[i]) != 0)
            break;
        crew->started++;
    }
    pthread_mutex_unlock(&crew->starting);
}

static unsigned count_started(struct crew *crew)
{
    pthread_mutex_lock(&crew->starting);
    const unsigned started = crew->started;
    pthread_mutex_unlock(&crew->starting);
    return started;
}

static void call_helpers(struct crew *crew)
{
    if (crew->is_helped || crew->wanted == 1 || seconds() - crew->begin < HELP_AFTER)
        return;
    crew->is_helped = true;
    start_helpers(crew, crew->wanted);
}

void sim_add_workers(struct launch *launch)
{
    struct crew *const crew = launch->crew;
    const uint64_t next = atomic_load(&launch->next_block);
    const unsigned started = count_started(crew);
    uint64_t count = 2 * (uint64_t)started;
    if (next >= launch->block_count)
        return;
    if (count > started + (launch->block_count - next))
        count = started + (launch->block_count - next);
    start_helpers(crew, count < MAX_WORKERS ? (unsigned)count : MAX_WORKERS);
}

/* Takes blocks until there are no more, or one has failed. */
static void take_blocks(struct worker *worker, struct crew *crew)
{
    struct launch *const launch = worker->launch;
    for (;;) {
        worker->block_number = atomic_fetch_add(&launch->next_block, 1);
        if (worker->block_number >= launch->block_count ||
            worker->block_number > atomic_load(&launch->last_block))
            return;
        if (setjmp(worker->stop)) {
            fail_block(worker);
            return;
        }
        sim_run_block(worker);
        sim_count_block(worker);
        if (worker->index == 0)
            call_helpers(crew);
    }
}

static void run_blocks(struct worker *worker, struct crew *crew)
{
    atomic_fetch_add(&worker->launch->running, 1);
    take_blocks(worker, crew);
    sim_worker_waits(worker, false);
    atomic_fetch_sub(&worker->launch->running, 1);
}

static void *run_helper(void *argument)
{
    struct member *const member = argument;
    struct crew *const crew = member->crew;
    member->worker = sim_worker_create(crew->launch, (unsigned)(member - crew->members));
    if (member->worker)
        run_blocks(member->worker, crew);
    return NULL;
}

static unsigned count_workers(const struct sim_launch *request, uint64_t blocks)
{
    long count = request->workers ? (long)request->workers : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < 1 ? 1 : count > MAX_WORKERS ? MAX_WORKERS : count;
    return (uint64_t)count < blocks ? (unsigned)count : (unsigned)blocks;
}

/* ---- Summing up ---- */

static void merge_counts(struct launch *launch, const struct worker *worker)
{
    for (int i = 0; i < launch->program->segment_count; i++) {
        launch->counts[i].warps += worker->counts[i].warps;
        launch->counts[i].threads += worker->counts[i].threads;
    }
}

/* Every instruction of a segment is executed as often as the segment. */
static void count_instructions(const struct launch *launch, struct sim_outcome *outcome)
{
    const struct program *const program = launch->program;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->segment_count; i++) {
            const struct segment_count *const count = &launch->counts[function->first_segment + i];
            const uint64_t length = (uint64_t)function->segments[i].count;
            outcome->warp_instructions += count->warps * length;
            outcome->thread_instructions += count->threads * length;
        }
    }
}

static void sum_up(struct crew *crew, struct sim_outcome *outcome)
{
    const struct worker *failed = NULL;
    for (unsigned i = 0; i < crew->started; i++) {
        const struct worker *const worker = crew->members[i].worker;
        if (worker && worker->outcome.status != SIM_OK &&
            (!failed || worker->block_number < failed->block_number))
            failed = worker;
    }
    if (failed)
        *outcome = failed->outcome;
    for (unsigned i = 0; i < crew->started; i++) {
        if (!crew->members[i].worker)
            continue;
        merge_counts(crew->launch, crew->members[i].worker);
        outcome->warp_instructions -= crew->members[i].worker->unexecuted_warps;
        outcome->thread_instructions -= crew->members[i].worker->unexecuted_threads;
        sim_worker_done(crew->members[i].worker);
    }
    count_instructions(crew->launch, outcome);
}

static char *gather_params(const struct sim_launch *request)
{
    const struct ptx_function *const ptx = request->kernel->ptx;
    char *const params = calloc(1, ptx->param_bytes + 64);
    for (int i = 0; params && i < ptx->param_count; i++)
        memcpy(params + ptx->params[i].offset, request->args[i], ptx->params[i].size);
    return params;
}

/* Bytes from one warp's memory to the next one's: an odd number of rows, so that equal rows of all
 * warps do not compete for the same lines of the host's caches. */
static size_t stride(size_t bytes)
{
    const size_t rows = (bytes + ROW32_BYTES - 1) / ROW32_BYTES;
    return (rows | 1) * ROW32_BYTES;
}

static void run(struct launch *launch, struct sim_outcome *outcome)
{
    struct crew crew = {.launch = launch, .started = 1, .begin = seconds()};
    pthread_mutex_init(&crew.starting, NULL);
    launch->crew = &crew;
    crew.wanted = count_workers(launch->request, launch->block_count);
    crew.members[0].worker = sim_worker_create(launch, 0);
    if (!crew.members[0].worker) {
        sim_report(outcome, SIM_BAD_LAUNCH, "the simulator ran out of memory");
        return;
    }
    if (sim_checks_on())
        sim_global_begin(launch);
    run_blocks(crew.members[0].worker, &crew);
    for (unsigned i = 1; i < count_started(&crew); i++)
        pthread_join(crew.threads[i], NULL);
    sim_global_end(launch);
    sum_up(&crew, outcome);
    pthread_mutex_destroy(&crew.starting);
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
            .frame_stride = stride(program->stack_frame_bytes),
            .local_stride = stride(program->stack_local_bytes * WARP_LANES),
            .local_limit = (uint32_t)program->stack_local_bytes,
            .threads = request->block[0] * request->block[1] * request->block[2],
            .block_count = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2],
            .last_block = UINT64_MAX,
        };
        char *const params = gather_params(request);
        launch.params = params;
        launch.counts = calloc((size_t)program->segment_count + 1, sizeof *launch.counts);
        if (!params || !launch.counts)
            sim_report(outcome, SIM_BAD_LAUNCH, "the simulator ran out of memory");
        else if (check_shared(&launch, outcome)) {
            sim_count_prepare(kernel->program);
            sim_count_caches_begin(&launch);
            run(&launch, outcome);
            sim_count_finish(&launch);
        }
        free(params);
        free(launch.counts);
    }
    snprintf(outcome->kernel, sizeof outcome->kernel, "%s", kernel->title);
}
