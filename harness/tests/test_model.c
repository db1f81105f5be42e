/* The timing model against recorded runs: every row of steps 01 to 07 on an H200, modelled from the
 * simulator's counters alone and from the hardware's. */
#include "measure/model/model.h"
#include "recorded.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 7, ROWS = 15 };

static const double LARGEST_MEAN_ERROR = 0.25;

/* Of one step's last row, which stands for the step in the order of the series. */
struct times {
    double measured, modelled;
};

/* What is known of one size: JSON of docs/results. */
struct recorded {
    int n;
    cJSON *simulated; /* counters */
    cJSON *hardware;  /* counters, NULL: not looked at */
};

static cJSON *read_result(const char *kind, int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/results/%s-h200-%d.json", getenv("LAB_TEST_ROOT"), kind,
             n);
    cJSON *json = lab_recorded_read(path);
    cr_assert(json != NULL, "%s", path);
    return json;
}

/* The counters of a GPU say nothing of the text of a kernel: what warps wait for is the
 * simulator's, everything that both count is the hardware's. */
static void read_counters(const struct recorded *recorded, const cJSON *row, const char *name,
                          struct lab_counters *counters)
{
    counters->count = 0;
    lab_recorded_counters(row, counters);
    if (!recorded->hardware)
        return;
    const cJSON *measured = lab_recorded_row(recorded->hardware, name);
    cr_assert(measured != NULL, "no hardware counters of %s", name);
    lab_recorded_counters(measured, counters);
}

static double model_row(const struct recorded *recorded, const char *name,
                        const struct sim_gpu_profile *gpu, struct lab_model *model)
{
    static struct lab_counters counters;
    const cJSON *row = lab_recorded_row(recorded->simulated, name);
    cr_assert(row != NULL, "%s was not simulated", name);
    read_counters(recorded, row, name, &counters);
    cr_assert(lab_recorded_model(row, &counters, gpu, model), "%s was not modelled", name);
    cr_assert(!model->without_caches, "%s has no L2 and DRAM traffic", name);
    return model->milliseconds;
}

/* All rows of one step at one size; returns the sum of the errors. */
static double compare_step(const struct recorded *recorded, int step,
                           const struct sim_gpu_profile *gpu, int *count, struct times *last)
{
    char kind[16], name[128];
    double errors = 0.0;
    snprintf(kind, sizeof kind, "step%02d", step);
    cJSON *result = read_result(kind, recorded->n);
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(result, "kernels"))
    {
        const char *row_name = cJSON_GetObjectItem(row, "name")->valuestring;
        if (strcmp(row_name, "cublas") == 0 || strchr(row_name, '.'))
            continue; /* the rows that it is compared with */
        struct lab_model model;
        snprintf(name, sizeof name, "%s.%s", kind, row_name);
        double modelled = model_row(recorded, name, gpu, &model);
        const cJSON *time = cJSON_GetObjectItem(row, "time_ms");
        double measured = cJSON_GetObjectItem(time, "median")->valuedouble;
        double error = modelled / measured - 1.0;
        printf("%-20s %5d %10.4f %10.4f %+6.1f%%  %s\n", name, recorded->n, measured, modelled,
               100.0 * error, lab_model_unit_name(model.limiter));
        errors += fabs(error);
        ++*count;
        *last = (struct times){measured, modelled};
    }
    cJSON_Delete(result);
    return errors;
}

static void expect_order(const struct times last[STEPS], int n)
{
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < i; j++)
            cr_expect(
                (last[i].measured < last[j].measured) == (last[i].modelled < last[j].modelled),
                "at %d the model orders steps %02d and %02d the other way round", n, j + 1, i + 1);
}

static void compare_size(int n, bool with_hardware)
{
    struct sim_gpu_profile gpu;
    struct times last[STEPS];
    struct recorded recorded = {.n = n, .simulated = read_result("simulated", n)};
    char error[256];
    int rows = 0;
    double errors = 0.0;
    if (with_hardware)
        recorded.hardware = read_result("counters", n);
    cr_assert(lab_sim_gpu_read("h200", &gpu, error, sizeof error), "%s", error);
    for (int i = 0; i < STEPS; i++) {
        errors += compare_step(&recorded, i + 1, &gpu, &rows, &last[i]);
    }
    printf("mean error at %d: %.1f%%\n", n, 100.0 * errors / rows);
    cr_expect(rows == ROWS, "%d rows", rows);
    cr_expect(errors / rows <= LARGEST_MEAN_ERROR, "mean error %.3f at %d", errors / rows, n);
    expect_order(last, n);
    cJSON_Delete(recorded.simulated);
    cJSON_Delete(recorded.hardware);
}

Test(model, simulated_counters_at_1024)
{
    compare_size(1024, false);
}

Test(model, simulated_counters_at_2048)
{
    compare_size(2048, false);
}

Test(model, simulated_counters_at_4096)
{
    compare_size(4096, false);
}

Test(model, hardware_counters_at_1024)
{
    compare_size(1024, true);
}

Test(model, hardware_counters_at_2048)
{
    compare_size(2048, true);
}

Test(model, hardware_counters_at_4096)
{
    compare_size(4096, true);
}

/* The page's table is made from what docs/compare_model.py kept. */
Test(model, the_recorded_comparison_is_what_the_model_says)
{
    char path[4096], error[256];
    struct sim_gpu_profile gpu;
    snprintf(path, sizeof path, "%s/docs/results/modelled-h200.json", getenv("LAB_TEST_ROOT"));
    cJSON *kept = lab_recorded_read(path);
    const cJSON *size, *row;
    int rows = 0;
    cr_assert(kept && lab_sim_gpu_read("h200", &gpu, error, sizeof error));
    cJSON_ArrayForEach(size, cJSON_GetObjectItem(kept, "sizes"))
    {
        struct recorded recorded = {.n = cJSON_GetObjectItem(size, "size")->valueint};
        recorded.simulated = read_result("simulated", recorded.n);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(size, "rows"))
        {
            struct lab_model model;
            const char *name = cJSON_GetObjectItem(row, "name")->valuestring;
            double there = cJSON_GetObjectItem(row, "modelled_ms")->valuedouble;
            double now = model_row(&recorded, name, &gpu, &model);
            cr_expect(fabs(now / there - 1.0) < 1e-4, "%s: kept %g, now %g: make compare-model",
                      name, there, now);
            rows++;
        }
        cJSON_Delete(recorded.simulated);
    }
    cr_expect_eq(rows, 3 * ROWS);
    cJSON_Delete(kept);
}

/* Hand-worked cases. A kernel of FFMA alone on a GPU whose warps never wait. */
static const struct sim_gpu_profile plain = {.sm_count = 10,
                                             .clock_khz = 1000000,
                                             .schedulers = 4,
                                             .issue_per_cycle = 4,
                                             .fp32_lanes = 64,
                                             .fp64_lanes = 2,
                                             .integer_lanes = 64,
                                             .mufu_lanes = 16,
                                             .lsu_lanes = 32,
                                             .shared_bytes_per_cycle = 128,
                                             .l2_gb_per_s = 1000,
                                             .dram_gb_per_s = 100};

static void fill(struct lab_counters *counters, double instructions, double ffma)
{
    static const char *const others[] = {
        "smsp__inst_executed_op_global_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "smsp__inst_executed_op_shared_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "lts__t_sectors_op_read.sum",
        "dram__bytes_read.sum"};
    counters->count = 0;
    lab_counters_set(counters, "smsp__inst_executed.sum", instructions);
    lab_counters_set(counters, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", ffma);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        lab_counters_set(counters, others[i], 0.0);
}

Test(model, one_full_unit_is_its_throughput)
{
    static struct lab_counters counters;
    struct lab_model model;
    /* 10 SMs x 8 warps x 1000 FFMA: 8000 x 32 / 64 cycles on each SM, at 1 GHz */
    const struct lab_model_kernel kernel = {10, 8, 1, 1};
    fill(&counters, 80e3, 80e3 * 32);
    cr_assert(lab_model_run(&counters, &kernel, &plain, &model));
    cr_expect_float_eq(model.milliseconds, 4e-3, 1e-9);
    cr_expect_eq(model.limiter, LAB_UNIT_FMA);
    fill(&counters, 80e3, 0); /* issued at 4 a cycle */
    cr_assert(lab_model_run(&counters, &kernel, &plain, &model));
    cr_expect_float_eq(model.milliseconds, 2e-3, 1e-9);
    cr_expect_eq(model.limiter, LAB_UNIT_ISSUE);
}

/* Turns in cycles of 1 ns, beside 2 us of instructions. */
static double with_turns(double all, double slice, double floats, enum lab_model_unit *limiter)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    gpu.atomics_per_cycle = 20.0;
    gpu.atomic_cycles = 1.5;
    gpu.float_atomic_cycles = 3.5;
    fill(&counters, 80e3, 0);
    lab_counters_set(&counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", all);
    lab_counters_set(&counters, "lab__l2_atomic_turns_of_busiest_slice.sum", slice);
    lab_counters_set(&counters, "lab__l2_atomic_turns_of_floats_at_busiest_sector.sum", floats);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &gpu, &model));
    *limiter = model.limiter;
    return model.milliseconds;
}

Test(model, atomics_at_one_place_come_one_after_the_other)
{
    enum lab_model_unit limiter;
    cr_expect_float_eq(with_turns(1000, 1000, 0, &limiter), 2e-3, 1e-9, "beside the rest");
    cr_expect_eq(limiter, LAB_UNIT_ISSUE);
    cr_expect_float_eq(with_turns(4000, 4000, 0, &limiter), 6e-3, 1e-9);
    cr_expect_eq(limiter, LAB_UNIT_ATOMICS);
    cr_expect_float_eq(with_turns(4000, 4000, 4000, &limiter), 14e-3, 1e-9, "floats");
    cr_expect_float_eq(with_turns(200e3, 4000, 0, &limiter), 10e-3, 1e-9, "all slices are full");
}

Test(model, shared_atomics_take_passes_of_the_data_pipe)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    gpu.shared_atomic_cycles = 14.0;
    fill(&counters, 80e3, 0);
    lab_counters_set(&counters, "lab__wavefronts_mem_shared_op_atom.sum", 400e3);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &gpu, &model));
    cr_expect_eq(model.limiter, LAB_UNIT_LSU);
    cr_expect_float_eq(model.bound_ms[LAB_UNIT_LSU], 40e-3, 1e-9);
    lab_counters_set(&counters, "lab__turns_mem_shared_op_atom_in_loop.sum", 100e3);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &gpu, &model));
    cr_expect_float_eq(model.bound_ms[LAB_UNIT_LSU], (40 + 140) * 1e-3, 1e-9);
}

/* 10 SMs of 1 GHz. */
Test(model, tensor_cores_have_a_rate_for_each_type)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    gpu.tensor_f16 = 2000.0;
    gpu.tensor_tf32 = 1000.0;
    gpu.tensor_f64 = 100.0;
    gpu.tensor_mma_share = 0.5;
    fill(&counters, 80e3, 0);
    lab_counters_set(&counters, "lab__ptx_products_op_wgmma_tf32.sum", 400e6);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &gpu, &model));
    cr_expect_eq(model.limiter, LAB_UNIT_TENSOR);
    cr_expect_float_eq(model.bound_ms[LAB_UNIT_TENSOR], 40e-3, 1e-9);
    cr_expect_geq(model.milliseconds, 40e-3);
    lab_counters_set(&counters, "lab__ptx_products_op_mma_f16.sum", 400e6);
    lab_counters_set(&counters, "lab__ptx_products_op_mma_f64.sum", 40e6);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &gpu, &model));
    cr_expect_float_eq(model.bound_ms[LAB_UNIT_TENSOR], (40 + 40 + 40) * 1e-3, 1e-9);
}

Test(model, an_eleventh_block_takes_a_second_wave)
{
    static struct lab_counters counters;
    struct lab_model ten, eleven;
    fill(&counters, 80e3, 80e3 * 32);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){10, 8, 1, 1}, &plain, &ten));
    fill(&counters, 88e3, 88e3 * 32);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){11, 8, 1, 1}, &plain, &eleven));
    cr_expect_float_eq(eleven.milliseconds, 2.0 * ten.milliseconds, 1e-9);
}

Test(model, few_warps_wait_and_many_do_not)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model few, many;
    gpu.shared_latency = 400;
    fill(&counters, 80e3, 0);
    lab_counters_set(&counters, "smsp__inst_executed_op_shared_ld.sum", 8e3);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){80, 1, 1, 1}, &gpu, &few));
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){80, 1, 8, 1}, &gpu, &many));
    cr_expect_eq(few.limiter, LAB_UNIT_LATENCY);
    /* one warp at a time: 1000 instructions and 100 / 4 waits of 400 cycles, eight times over */
    cr_expect_float_eq(few.milliseconds, 8 * (1000 + 100 / 4 * 400) * 1e-6, 1e-6);
    cr_expect(many.milliseconds < few.milliseconds / 4);
}

/* One warp that stops ten times for global loads of 400 cycles, all in L1. */
static double stops(double ahead, const struct sim_gpu_profile *gpu)
{
    static struct lab_counters counters;
    struct lab_model model;
    fill(&counters, 1e4, 0);
    lab_counters_set(&counters, "smsp__inst_executed_op_global_ld.sum", 80);
    lab_counters_set(&counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 320);
    lab_counters_set(&counters, "lab__l1_lines_mem_global_op_ld.sum", 0);
    lab_counters_set(&counters, "lab__ptx_waits_global_ld.sum", 10);
    lab_counters_set(&counters, "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum", 10 * ahead);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){1, 1, 1, 1}, gpu, &model));
    return model.milliseconds * 1e6; /* cycles, at 1 GHz */
}

Test(model, what_is_loaded_ahead_is_not_waited_for)
{
    struct sim_gpu_profile gpu = plain;
    gpu.integer_lanes = 128; /* an instruction a cycle and scheduler */
    gpu.fp32_lanes = 128;
    gpu.l1_latency = gpu.l2_latency = gpu.dram_latency = 400;
    cr_expect_float_eq(stops(0, &gpu), 1e4 + 10 * 400, 1e-6);
    cr_expect_float_eq(stops(150, &gpu), 1e4 + 10 * 250, 1e-6);
    cr_expect_float_eq(stops(1000, &gpu), 1e4, 1e-6, "all of it is covered");
    gpu.integer_lanes = 64; /* every second cycle: each instruction ahead covers two */
    cr_expect_float_eq(stops(150, &gpu), 2e4 + 10 * 100, 1e-6);
}

/* One warp that stops ten times for copies, and as often for loads that it does not wait for. */
static double copy_stops(double ahead, const struct sim_gpu_profile *gpu)
{
    static struct lab_counters counters;
    struct lab_model model;
    fill(&counters, 1e4, 0);
    lab_counters_set(&counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 320);
    lab_counters_set(&counters, "lab__l1_lines_mem_global_op_ld.sum", 0);
    lab_counters_set(&counters, "lab__ptx_waits_global_ld.sum", 10);
    lab_counters_set(&counters, "lab__ptx_inst_executed_ahead_of_wait_global_ld.sum", 10 * 1e6);
    lab_counters_set(&counters, "lab__ptx_waits_ldgsts.sum", 10);
    lab_counters_set(&counters, "lab__ptx_inst_executed_ahead_of_wait_ldgsts.sum", 10 * ahead);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){1, 1, 1, 1}, gpu, &model));
    return model.milliseconds * 1e6;
}

/* That loads run far ahead is no help to copies that do not. */
Test(model, a_wait_for_copies_is_a_stop)
{
    struct sim_gpu_profile gpu = plain;
    gpu.integer_lanes = gpu.fp32_lanes = 128;
    gpu.l1_latency = gpu.l2_latency = gpu.dram_latency = 400;
    cr_expect_float_eq(copy_stops(0, &gpu), 1e4 + 10 * 400, 1e-6);
    cr_expect_float_eq(copy_stops(150, &gpu), 1e4 + 10 * 250, 1e-6);
    cr_expect_float_eq(copy_stops(1000, &gpu), 1e4, 1e-6);
}

/* 1000 wavefronts of a cycle each; and ten stops for two lines each, of which half come from L2. */
Test(model, copies_take_the_data_pipe_and_wait_for_their_last_line)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    const struct lab_model_kernel one = {1, 1, 1, 1};
    fill(&counters, 100, 0);
    lab_counters_set(&counters,
                     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", 1000);
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cr_expect_eq(model.limiter, LAB_UNIT_LSU);
    cr_expect_float_eq(model.bound_ms[LAB_UNIT_LSU], 1000 / 10 * 1e-6, 1e-9, "on ten SMs");
    gpu.integer_lanes = gpu.fp32_lanes = 128;
    gpu.l1_latency = 40;
    gpu.l2_latency = gpu.dram_latency = 240;
    gpu.l2_gb_per_s = gpu.dram_gb_per_s = 1e12;
    fill(&counters, 1000, 0);
    lab_counters_set(&counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 320);
    lab_counters_set(&counters, "lts__t_sectors_op_read.sum", 160);
    lab_counters_set(&counters, "lab__l1_lines_mem_global_op_ld.sum", 0);
    lab_counters_set(&counters, "lab__l1_lines_mem_global_op_ldgsts.sum", 20);
    lab_counters_set(&counters, "lab__ptx_waits_global_ld.sum", 0);
    lab_counters_set(&counters, "lab__ptx_waits_ldgsts.sum", 10);
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cr_expect_float_eq(model.milliseconds * 1e6, 1000 + 10 * (40 + 0.75 * 200), 11,
                       "half of all sectors, two lines each time: %g", model.milliseconds * 1e6);
}

/* Bulk copies run ahead: their bytes bound what L2 can do, and the warps, which need less time, do
 * not wait for them. Loads of as many bytes come on top of what the warps execute. */
Test(model, bulk_copies_take_bandwidth_and_stop_no_warp)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model loads, copies;
    const struct lab_model_kernel ten = {10, 8, 1, 1};
    gpu.integer_lanes = gpu.fp32_lanes = 128;
    gpu.l2_gb_per_s = 320.0; /* 32 bytes a cycle and SM */
    gpu.dram_gb_per_s = 1e12;
    fill(&counters, 80e3, 0);
    lab_counters_set(&counters, "lts__t_sectors_op_read.sum", 15e3);
    cr_assert(lab_model_run(&counters, &ten, &gpu, &loads));
    lab_counters_set(&counters, "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", 480e3);
    cr_assert(lab_model_run(&counters, &ten, &gpu, &copies));
    cr_expect_float_eq(copies.bound_ms[LAB_UNIT_L2], loads.bound_ms[LAB_UNIT_L2], 1e-12);
    cr_expect_gt(loads.milliseconds, 1.2 * copies.milliseconds);
    fill(&counters, 80e3, 0);
    cr_assert(lab_model_run(&counters, &ten, &gpu, &loads));
    cr_expect_float_eq(copies.milliseconds, loads.milliseconds, 1e-12, "as without any traffic");
}

/* Of 320 sectors 240 were hit, 200 of them on their way from L2: 280 are waited for. All lie in one
 * line each time, so a stop takes 1/8 x 40 + 7/8 x 240 cycles. */
Test(model, hits_on_what_is_on_its_way_wait)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    const struct lab_model_kernel one = {1, 1, 1, 1};
    gpu.integer_lanes = gpu.fp32_lanes = 128;
    gpu.l1_latency = 40;
    gpu.l2_latency = gpu.dram_latency = 240;
    gpu.l2_gb_per_s = gpu.dram_gb_per_s = 1e12;
    fill(&counters, 1000, 0);
    lab_counters_set(&counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 320);
    lab_counters_set(&counters, "lts__t_sectors_op_read.sum", 80);
    lab_counters_set(&counters, "l1tex__t_sector_hit_rate.pct", 75);
    lab_counters_set(&counters, "lab__l1_lines_mem_global_op_ld.sum", 10);
    lab_counters_set(&counters, "lab__ptx_waits_global_ld.sum", 10);
    lab_counters_set(&counters, "lab__l1_sectors_under_way.sum", 200);
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    double cycles = model.milliseconds * 1e6;
    cr_expect_float_eq(cycles, 1000 + 10 + 10 * (5 + 210), 11, "%g", cycles);
    lab_counters_set(&counters, "lab__l1_sectors_under_way.sum", 310); /* rounded rates */
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cycles = model.milliseconds * 1e6;
    cr_expect_float_eq(cycles, 1000 + 10 + 10 * 240, 11, "no more than all wait: %g", cycles);
    lab_counters_set(&counters, "dram__bytes_read.sum",
                     40 * 32); /* half of what L2 was asked for */
    gpu.dram_latency = 440;
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cycles = model.milliseconds * 1e6;
    cr_expect_float_eq(cycles, 1000 + 10 + 10 * 340, 11, "and those for DRAM: %g", cycles);
}

Test(model, dependent_instructions_and_barriers_keep_one_warp)
{
    static struct lab_counters counters;
    struct sim_gpu_profile gpu = plain;
    struct lab_model model;
    const struct lab_model_kernel one = {1, 1, 1, 1};
    gpu.integer_lanes = gpu.fp32_lanes = 128;
    gpu.arithmetic_latency = 4;
    gpu.barrier_latency = 20;
    fill(&counters, 1000, 0);
    lab_counters_set(&counters, "lab__ptx_waits_global_ld.sum", 0);
    lab_counters_set(&counters, "lab__ptx_inst_executed_in_longest_chain.sum", 100);
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cr_expect_float_eq(model.milliseconds * 1e6, 1000 + 100 * 3, 1e-6);
    lab_counters_set(&counters, "lab__ptx_inst_executed_op_barrier.sum", 5);
    cr_assert(lab_model_run(&counters, &one, &gpu, &model));
    cr_expect_float_eq(model.milliseconds * 1e6, 1000 + 100 * 3 + 5 * 20, 1e-6);
}

/* 1000 cycles each: the mean of the longer of two exponential times is half as long again. */
Test(model, loads_go_on_beside_arithmetic)
{
    static struct lab_counters counters;
    struct lab_model model;
    fill(&counters, 1000, 0);
    lab_counters_set(&counters, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                     1000);
    cr_assert(lab_model_run(&counters, &(struct lab_model_kernel){1, 1, 1, 1}, &plain, &model));
    cr_expect_float_eq(model.milliseconds * 1e6, 1500, 1e-6);
}

Test(model, without_counters_there_is_no_time)
{
    static struct lab_counters counters;
    struct lab_model model;
    const struct lab_model_kernel kernel = {10, 8, 1, 1}, not_resident = {10, 8, 0, 1};
    counters.count = 0;
    cr_expect(!lab_model_run(&counters, &kernel, &plain, &model));
    fill(&counters, 80e3, 0);
    counters.count--; /* the DRAM bytes: then nothing is said of caches */
    cr_expect(lab_model_run(&counters, &kernel, &plain, &model) && model.without_caches);
    counters.count -= 2; /* shared wavefronts */
    cr_expect(!lab_model_run(&counters, &kernel, &plain, &model));
    fill(&counters, 80e3, 0);
    cr_expect(!lab_model_run(&counters, &not_resident, &plain, &model));
}
