/* A launch: checks it, lets CPU threads take its blocks in order, and sums up what they did.
 *
 * When a block fails, the blocks before it still run to their end. So the first failing block in
 * the order of the grid is reported, whatever the number of CPU threads. */
#include "worker.h"
#include "launch.h"

#include "sim/check/switchboard.h"
#include "sim/check/global_tags.h"
#include "sim/counting/count.h"
#include "sim/decoding/decode.h"
#include "sim/machine/grid_barrier.h"
#include "sim/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checking ---- */

static bool check_shape(const struct sim_launch *request, struct sim_outcome *outcome)
{
    const unsigned *const block = request->block;
    const int *const required = request->kernel->ptx->required_block;
    struct sim_kernel_facts facts;
    char why[200];
    sim_kernel_facts(request->kernel, &facts);
    if (!sim_shape_allowed(request->grid, block, facts.max_threads, why, sizeof why))
        sim_report(outcome, SIM_BAD_LAUNCH, "%s", why);
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

static void fail_block(struct worker *worker)
{
    uint64_t last = atomic_load(&worker->launch->last_cluster);
    while (worker->place < last &&
           !atomic_compare_exchange_weak(&worker->launch->last_cluster, &last, worker->place))
        ;
}

/* Takes blocks until there are no more, or one has failed. */
static void take_blocks(struct worker *worker)
{
    while (sim_turn_take(worker)) {
        if (setjmp(worker->stop)) {
            fail_block(worker);
            return;
        }
        sim_run_cluster(worker);
        for (unsigned rank = 0; rank < sim_member_count(worker); rank++)
            sim_count_block(sim_member(worker, rank));
        if (worker->index == 0)
            sim_call_helpers(worker->launch);
    }
}

static void run_blocks(struct worker *worker)
{
    take_blocks(worker);
    sim_worker_waits(worker, false);
    sim_grid_worker_ends(worker);
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

/* Whether the failure of a is reported rather than the failure of b. The earlier block comes first,
 * but a block that only waited comes after a block that failed by itself. */
static bool comes_before(const struct worker *a, const struct worker *b)
{
    return a->fails_by_waiting != b->fails_by_waiting ? b->fails_by_waiting : a->place < b->place;
}

static void sum_up(struct crew *crew, struct sim_outcome *outcome)
{
    const struct worker *failed = NULL;
    for (unsigned i = 0; i < crew->started; i++) {
        const struct worker *const worker = crew->members[i].worker;
        if (worker && worker->outcome.status != SIM_OK && (!failed || comes_before(worker, failed)))
            failed = worker;
    }
    if (failed)
        *outcome = failed->outcome;
    for (unsigned i = 0; i < crew->started; i++) {
        struct worker *const worker = crew->members[i].worker;
        if (!worker)
            continue;
        for (unsigned rank = 0; rank < sim_member_count(worker); rank++)
            merge_counts(crew->launch, sim_member(worker, rank));
        outcome->warp_instructions -= worker->unexecuted_warps;
        outcome->thread_instructions -= worker->unexecuted_threads;
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

/* Bytes between the memory of two warps: an odd number of slots, so that the same slot of each warp
 * does not compete for the same lines of the host's caches. */
static size_t stride(size_t bytes)
{
    const size_t slots = (bytes + SLOT32_BYTES - 1) / SLOT32_BYTES;
    return (slots | 1) * SLOT32_BYTES;
}

static void run(struct launch *launch, struct sim_outcome *outcome)
{
    struct crew crew;
    sim_turn_begin(launch);
    if (sim_checks_on())
        sim_global_begin(launch);
    else
        sim_global_forget();
    const uint64_t barrier = launch->request->grid_barrier;
    const bool has_run =
        (!barrier || sim_grid_barrier_begin(launch, sim_memory_host(barrier, 2 * sizeof(int)))) &&
        sim_crew_run(&crew, launch, run_blocks);
    sim_grid_barrier_end(launch);
    sim_global_end(launch);
    if (!has_run) {
        sim_report(outcome, SIM_BAD_LAUNCH, "the simulator ran out of memory");
        return;
    }
    sum_up(&crew, outcome);
    sim_crew_end(&crew);
    fflush(stdout);
}

void sim_execute(const struct sim_launch *request, struct sim_outcome *outcome)
{
    struct sim_kernel *const kernel = request->kernel;
    const struct program *const program = kernel->program;
    *outcome = (struct sim_outcome){.status = SIM_OK};
    if (check_shape(request, outcome) && decode(kernel, outcome)) {
        const unsigned *const asked = request->cluster;
        const unsigned cluster[] = {asked[0] ? asked[0] : 1, asked[1] ? asked[1] : 1,
                                    asked[2] ? asked[2] : 1};
        const uint64_t blocks = (uint64_t)request->grid[0] * request->grid[1] * request->grid[2];
        const unsigned size = cluster[0] * cluster[1] * cluster[2];
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
            .block_count = blocks,
            .cluster = {cluster[0], cluster[1], cluster[2]},
            .cluster_size = size,
            .cluster_count = blocks / size,
            .turned = sim_turn_wanted(request, blocks / size),
            .shares = sim_turn_shares(),
            .last_cluster = UINT64_MAX,
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
