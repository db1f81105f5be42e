/* Counts what caches do with a launch's requests. Each worker records the requests of its block. A
 * block that has ended goes to the replay (sim/cache). */
#include "count.h"

#include "sim/memory/memory.h"

#include <stdlib.h>

/* The model of one launch. */
struct cache_model {
    struct trace_patterns *patterns;
    struct replay *replay;
};

void sim_count_caches_begin(const struct launch *launch)
{
    struct counting *const counting = launch->program->counting;
    const struct cache_machine *const machine = launch->request->caches;
    if (!counting || !counting->is_patched || !machine || machine->blocks_per_sm < 1)
        return;
    struct cache_model *const model = calloc(1, sizeof *model);
    const unsigned warps = (launch->threads + WARP_LANES - 1) / WARP_LANES;
    if (model)
        model->patterns = sim_trace_patterns_create();
    if (model && model->patterns)
        model->replay = sim_replay_create(machine, launch->block_count, warps, model->patterns);
    if (model && !model->replay) {
        sim_trace_patterns_free(model->patterns);
        free(model);
    } else {
        counting->caches = model;
    }
    if (!counting->caches)
        sim_count_add_caches(NULL);
}

struct trace_recorder *sim_count_recorder(const struct counting *counting)
{
    return counting->caches
               ? sim_trace_recorder_create(counting->caches->patterns, sim_memory_base())
               : NULL;
}

/* Warp instructions that a worker has executed so far. */
static uint64_t executed(const struct worker *worker)
{
    const struct program *const program = worker->launch->program;
    uint64_t sum = 0;
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->segment_count; i++)
            sum += worker->counts[function->first_segment + i].warps *
                   (uint64_t)function->segments[i].count;
    }
    return sum;
}

void sim_count_caches_block(const struct worker *worker, struct trace_recorder *recorder,
                            uint64_t *executed_before)
{
    const struct cache_model *const model = worker->launch->program->counting->caches;
    const uint64_t now = executed(worker);
    if (!model)
        return;
    struct trace_block *const block =
        recorder ? sim_trace_take(recorder, worker->block.warp_count, now - *executed_before)
                 : NULL;
    *executed_before = now;
    sim_replay_add(model->replay, worker->block_number, block);
}

void sim_count_caches_finish(const struct launch *launch)
{
    struct counting *const counting = launch->program->counting;
    struct cache_model *const model = counting->caches;
    struct cache_counts counts;
    if (!model)
        return;
    counting->caches = NULL;
    const bool good = sim_replay_finish(model->replay, &counts);
    sim_count_add_caches(good ? &counts : NULL);
    sim_trace_patterns_free(model->patterns);
    free(model);
}
