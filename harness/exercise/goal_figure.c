/* A goal must hold what its idea saves, in whatever way a kernel gets its data. */
#include "exercise/goal_run.h"

#include "base/simulator.h"

#include <string.h>

#define SECTORS  "l1tex__t_sectors_pipe_lsu_mem_global_op_"
#define REQUESTS "l1tex__t_requests_pipe_lsu_mem_global_op_"
#define WAVES    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define THREADS  "smsp__sass_thread_inst_executed_op_"

enum { OTHER_WAYS = 4 };

/* Counters, and those of other ways to do the same. A reduction reads what it adds to, too. L1
 * counts asynchronous copies among its loads; instructions are apart. */
static const struct {
    const char *counter, *also[OTHER_WAYS];
} ways[] = {
    {SECTORS "ld.sum", {SECTORS "atom.sum", SECTORS "red.sum"}},
    {SECTORS "st.sum", {SECTORS "atom.sum", SECTORS "red.sum"}},
    {SECTORS "red.sum", {SECTORS "atom.sum"}},
    {REQUESTS "ld.sum", {REQUESTS "atom.sum", REQUESTS "red.sum"}},
    {REQUESTS "st.sum", {REQUESTS "atom.sum", REQUESTS "red.sum"}},
    {"smsp__inst_executed_op_global_ld.sum",
     {"smsp__inst_executed_op_generic_ld.sum", "smsp__sass_inst_executed_op_global_atom.sum",
      "smsp__inst_executed_op_global_red.sum", "smsp__inst_executed_op_ldgsts.sum"}},
    {"smsp__inst_executed_op_global_st.sum",
     {"smsp__inst_executed_op_generic_st.sum", "smsp__sass_inst_executed_op_global_atom.sum",
      "smsp__inst_executed_op_global_red.sum"}},
    {"smsp__inst_executed_op_shared_ld.sum",
     {"smsp__inst_executed_op_generic_ld.sum", "smsp__inst_executed_op_shared_atom.sum"}},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", {WAVES "atom.sum"}},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     {WAVES "atom.sum", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"}},
    {"smsp__inst_executed_op_shared_st.sum",
     {"smsp__inst_executed_op_generic_st.sum", "smsp__inst_executed_op_shared_atom.sum",
      "smsp__inst_executed_op_ldgsts.sum"}},
    {"lab__lane_bytes_mem_shared_op_ld.sum", {"lab__lane_bytes_op_shuffle.sum"}},
    {THREADS "dfma_pred_on.sum", {THREADS "dmul_pred_on.sum"}},
    {THREADS "dadd_pred_on.sum", {THREADS "dfma_pred_on.sum"}},
};

const struct lab_row *lab_goal_figure_row(const struct lab_result *result)
{
    const struct lab_row *row = NULL;
    for (int i = 0; i < result->row_count; i++)
        if (!result->rows[i].is_baseline)
            row = &result->rows[i];
    return row;
}

size_t lab_goal_figure_local_bytes(const struct lab_result *result)
{
    const struct lab_row *row = lab_goal_figure_row(result);
    return row ? row->time.local_bytes : 0;
}

/* A counter of the simulator, also of a row that ran on a GPU. */
static bool counter_of(const struct lab_row *row, const char *name, double *value)
{
    return lab_counters_get(&row->counters, name, value) ||
           lab_counters_get(&row->simulated, name, value);
}

/* Adds to a counter what other ways have done. */
static bool all_ways(const struct lab_row *row, const char *counter, double *value)
{
    double more;
    if (!counter_of(row, counter, value))
        return false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int w = 0; strcmp(ways[i].counter, counter) == 0 && w < OTHER_WAYS; w++)
            if (ways[i].also[w] && counter_of(row, ways[i].also[w], &more))
                *value += more;
    return true;
}

/* The modelled time, also where no speed is given: what the model does not see of local memory
 * makes a kernel slower only. An array there, which the PTX accesses, takes at least a cycle of LSU
 * for each access of a warp. */
static bool pace_of(const struct lab_row *row, double *value)
{
    const struct sim_gpu_profile *const gpu = lab_simulator() ? lab_simulator()->gpu() : NULL;
    double loads = 0.0, stores = 0.0;
    if (!gpu || row->time.modelled_ms <= 0.0)
        return false;
    counter_of(row, "smsp__inst_executed_op_local_ld.sum", &loads);
    counter_of(row, "smsp__inst_executed_op_local_st.sum", &stores);
    *value = 1e3 * (row->time.modelled_ms + (loads + stores) / gpu->sm_count / gpu->clock_khz);
    return true;
}

bool lab_goal_figure(const struct lab_result *result, const struct lab_exercise_goal *goal,
                     double *value)
{
    const struct lab_row *row = lab_goal_figure_row(result);
    if (!row)
        return false;
    if (lab_exercise_goal_is_pace(goal))
        return pace_of(row, value);
    if (strcmp(goal->counter, "speed") == 0)
        return (*value = lab_result_gflops(result, row)) > 0.0;
    return all_ways(row, goal->counter, value);
}
