/* Every figure that a run prints, from samples on, without a GPU: made results go through the
 * statistics, the table, JSON, the studies and their plots, and each figure is worked out by hand
 * beside them. */
#include "measure/result.h"
#include "report/json.h"
#include "report/terminal.h"
#include "run/study.h"
#include "series/registry.h"
#include "tests/made_kernel.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_BYTES = 1 << 16 };

static char text[TEXT_BYTES];

/* --- samples -----------------------------------------------------------------------------------*/

Test(figures, statistics_of_samples)
{
    struct lab_times time = {0};
    lab_times_summarise(&time, (const double[]){5.0, 1.0, 3.0}, 3);
    cr_expect_eq(time.median, 3.0);
    cr_expect_eq(time.min, 1.0);
    cr_expect_eq(time.max, 5.0);
    cr_expect_eq(time.reps, 3);
    cr_expect_eq(time.sample_count, 3);
    cr_expect(time.samples[0] == 5.0 && time.samples[1] == 1.0 && time.samples[2] == 3.0,
              "as they were taken, for pairs");
    lab_times_summarise(&time, (const double[]){8.0, 1.0, 4.0, 2.0}, 4);
    cr_expect_eq(time.median, 3.0, "between 2 and 4");
    cr_expect_eq(time.min, 1.0);
    cr_expect_eq(time.max, 8.0);
    lab_times_summarise(&time, (const double[]){7.0}, 1);
    cr_expect(time.median == 7.0 && time.min == 7.0 && time.max == 7.0);
    double many[101]; /* 50, 0, 51, 1, ... */
    for (int i = 0; i < 101; i++)
        many[i] = i % 2 ? i / 2 : 50 + i / 2;
    lab_times_summarise(&time, many, 101);
    cr_expect_eq(time.median, 50.0);
    cr_expect_eq(time.max, 100.0);
    cr_expect_eq(time.reps, 101);
    cr_expect_eq(time.sample_count, LAB_MAX_SAMPLES);
    cr_expect_eq(time.samples[LAB_MAX_SAMPLES - 1], 31.0, "the 64th, which is odd: 63 / 2");
}

/* --- operations and bytes ----------------------------------------------------------------------*/

static void expect_work(const char *family, const char *options, double flops, double bytes)
{
    struct made_kernel made;
    struct lab_problem_facts facts;
    made_kernel_open(&made, family, "%s", options);
    lab_problem_facts(made.problem, &facts);
    cr_expect_eq(facts.flops, flops, "%s: %g operations", made.family->options->name, facts.flops);
    cr_expect_eq(facts.bytes, bytes, "%s: %g bytes", made.family->options->name, facts.bytes);
    made_kernel_close(&made);
}

Test(figures, operations_of_every_family)
{
    static const char product[] = "-m 3 -n 5 -k 7";
    expect_work("gemm", product, 2 * 3 * 5 * 7, 4 * (3 * 7 + 7 * 5 + 3 * 5));
    expect_work("gemm_tn", product, 2 * 3 * 5 * 7, 4 * (3 * 7 + 7 * 5 + 3 * 5));
    expect_work("gemm_nt", product, 2 * 3 * 5 * 7, 4 * (3 * 7 + 7 * 5 + 3 * 5));
    /* C is read, too */
    expect_work("gemm", "-m 3 -n 5 -k 7 --beta 1", 2 * 3 * 5 * 7, 4 * (3 * 7 + 7 * 5 + 2 * 3 * 5));
    /* a pair: 2 k + 7; a point: 2 k */
    expect_work("kernel_summation", product, 15 * 21 + 8 * 14, 4 * (8 * 7 + 8));
    expect_work("cauchy", product, 15 * 21 + 8 * 14, 4 * (8 * 7 + 8));
    expect_work("trmm", "-n 5 -m 3", 5 * 5 * 3, 8 * (15 + 2 * 15));
    expect_work("trmm", "-n 5 -m 3 --type f32", 5 * 5 * 3, 4 * (15 + 2 * 15));
    expect_work("trmm_lower", "-n 5 -m 3", 5 * 5 * 3, 8 * (15 + 2 * 15));
    expect_work("syr2k", "-n 5 -p 2 -q 3", 2 * 5 * 6 * 6, 8 * (2 * 5 * 6 + 15));
    expect_work("syr2k", "-n 5 -p 2 -q 3 --type f32", 2 * 5 * 6 * 6, 4 * (2 * 5 * 6 + 15));
    expect_work("apsp", "-n 6", 2 * 6 * 6 * 6, 2 * 36 * 4);
    expect_work("widest", "-n 6", 2 * 6 * 6 * 6, 2 * 36 * 4);
    expect_work("md", "-n 6 --steps 2", 12 * (24 * 5 + 35), 12 * 29 * 4);
    expect_work("md_rest", "-n 6 --steps 2", 12 * 35, 12 * 22 * 4);
    expect_work("md", "-n 6 --kernels 67", 6 * (12 + 3), 6 * 15 * 4);
    expect_work("md", "-n 6 --kernels 5", 6 * 12, 6 * 12 * 4);
    expect_work("copy", "-n 7", 0, 2 * 7 * 4); /* its speed is in bytes */
    expect_work("transpose", "-m 3 -n 5", 0, 2 * 15 * 4);
    expect_work("reduction", "-n 7", 0, 4 * 8);
    expect_work("histogram", "-n 7", 0, 4 * (7 + 256));
    expect_work("apsp", "-n 6 --products 2 --type u16", 2 * 2 * 6 * 6 * 6, 2 * 36 * 2);
}

/* SMs x lanes x 2 x clock: 132 x 128 x 2 x 1.98 GHz on an H200, with 64 FP64 lanes. */
Test(figures, peaks)
{
    struct lab_device device;
    cr_assert_eq(lab_device_open(true, &device), LAB_EXIT_OK);
    cr_assert_str_eq(device.arch, "sm_90");
    cr_expect_float_eq(device.peak_fp32, 66.9082e12, 1e8, "%g", device.peak_fp32);
    cr_expect_float_eq(device.peak_fp64, 33.4541e12, 1e8, "%g", device.peak_fp64);
    cr_expect_float_eq(device.peak_tensor_fp64, 66.9082e12, 1e8, "%g", device.peak_tensor_fp64);
}

/* The simulator's H200, for a while of another architecture. */
static int pretended;
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int id)
{
    __typeof__(cudaGetDeviceProperties) *next = dlsym(RTLD_NEXT, "cudaGetDeviceProperties");
    const cudaError_t status = next(properties, id);
    if (pretended)
        properties->major = pretended / 10, properties->minor = pretended % 10;
    return status;
}

/* CUDA C Programming Guide, "Throughput of native arithmetic instructions"; no peak is better than
 * a wrong one. */
Test(figures, peaks_by_architecture)
{
    static const int lanes[][3] = {{20, 32, 16},  {52, 128, 4},   {61, 128, 4},  {75, 64, 2},
                                   {80, 64, 32},  {86, 128, 2},   {87, 128, 2},  {89, 128, 2},
                                   {90, 128, 64}, {100, 128, 64}, {120, 128, 2}, {121, 128, 2},
                                   {81, 0, 0}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct lab_device device;
        pretended = lanes[i][0];
        cr_assert_eq(lab_device_open(true, &device), LAB_EXIT_OK);
        const double of_one = 2.0 * 132 * 1.98e9;
        cr_expect_float_eq(device.peak_fp32 / of_one, lanes[i][1], 1e-3, "sm_%d: %g", pretended,
                           device.peak_fp32);
        cr_expect_float_eq(device.peak_fp64 / of_one, lanes[i][2], 1e-3, "sm_%d: %g", pretended,
                           device.peak_fp64);
    }
}

/* An H200 runs what is built for sm_90, with a note what was built for earlier ones, and not what
 * was built for later ones. */
Test(figures, builds_for_other_architectures)
{
    struct lab_device h200 = {.properties = {.major = 9, .minor = 0}}, simulated = h200;
    simulated.is_sim = true;
    char said[512] = "";
    FILE *file = tmpfile(), *before = stderr;
    stderr = file;
    int right = lab_device_check_build(&h200, "90", "step04");
    right += lab_device_check_build(&h200, "90a", "step04");
    right += lab_device_check_build(&simulated, "100", "step04");
    const long silent = ftell(file);
    right += lab_device_check_build(&h200, "80", "step04");
    const int later = lab_device_check_build(&h200, "100", "step04");
    stderr = before;
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    cr_expect_eq(right, 0);
    cr_expect_eq(silent, 0, "%s", said);
    cr_expect_eq(later, LAB_EXIT_MISSING);
    cr_expect_str_eq(
        said,
        "run: the kernels are built for sm_80, not for this GPU, sm_90; `make ARCH=90 step04` "
        "builds them for it\nrun: the kernels are built for sm_100 and cannot run on this "
        "GPU, sm_90; `make ARCH=90 step04` builds them for it\n");
}

Test(figures, what_a_gpu_can_run)
{
    struct lab_device gpu = {.properties = {.major = 9}};
    cr_expect(lab_device_runs(&gpu, "") && lab_device_runs(&gpu, "80"));
    cr_expect(lab_device_runs(&gpu, "90") && lab_device_runs(&gpu, "90a"));
    cr_expect(!lab_device_runs(&gpu, "100") && !lab_device_runs(&gpu, "100a"));
    gpu.properties.major = 10;
    cr_expect(lab_device_runs(&gpu, "90") && !lab_device_runs(&gpu, "90a"));
    gpu.properties.major = 7, gpu.properties.minor = 5;
    cr_expect(lab_device_runs(&gpu, "75") && !lab_device_runs(&gpu, "80"));
}

/* --- a run -------------------------------------------------------------------------------------*/

static struct lab_device device = {
    .properties = {.name = "NVIDIA H200", .major = 9, .multiProcessorCount = 132},
    .arch = "sm_90",
    .driver = 13000,
    .toolkit = 12080,
    .peak_fp32 = 62.5e12,
    .peak_fp64 = 50e12,
    .peak_tensor_fp64 = 100e12};

static const struct lab_step some_step = {.abi = LAB_ABI};

static struct lab_row *add_row(struct lab_result *result, const char *name, const char *target,
                               double ms)
{
    int count;
    struct lab_row *row = &result->rows[result->row_count++];
    *row = (struct lab_row){
        .step = &some_step, .target = target, .stage = lab_registry_stages(target, &count)};
    snprintf(row->name, sizeof row->name, "%s", name);
    if (ms > 0.0) /* the median is neither the first, nor the least, nor the mean */
        lab_times_summarise(&row->time,
                            (const double[]){9.0 * ms, 0.5 * ms, ms, 2.0 * ms, 0.75 * ms}, 5);
    return row;
}

/* 2 x 2000 x 1000 x 500 = 2 10^9 operations. */
static struct lab_result *made_result(void)
{
    struct lab_result *result = calloc(1, sizeof *result);
    *result = (struct lab_result){.target = "step04",
                                  .device = &device,
                                  .family = lab_family_find("gemm"),
                                  .seed = 1,
                                  .measured = true,
                                  .facts = {.sizes = {{"m", 2000}, {"n", 1000}, {"k", 500}},
                                            .size_count = 3,
                                            .factors = {{"alpha", 1.0}, {"beta", 0.0}},
                                            .factor_count = 2,
                                            .flops = 2e9,
                                            .bytes = 14e6}};
    add_row(result, "step01.coalesced", "step01", 0.8)->is_baseline = true;
    add_row(result, "step03.values", "step03", 0.1)->is_baseline = true;
    add_row(result, "conflict", "step04", 0.064);
    struct lab_row *padded = add_row(result, "padded", "step04", 0.05);
    struct lab_row *reference = add_row(result, "cublas", "", 0.04);
    reference->step = NULL;
    reference->is_baseline = reference->is_reference = true;
    padded->with_copies_ms = 0.4;
    padded->energy = (struct lab_energy){.joules = 0.0125, .watts = 250.0, .seconds = 1.25};
    padded->kernel = (struct lab_kernel_facts){.known = true,
                                               .registers = 127,
                                               .shared_bytes = 16640,
                                               .local_bytes = 8,
                                               .grid = {16, 8, 1},
                                               .block = {256, 1, 1},
                                               .occupancy = 0.25,
                                               .launches = 1};
    padded->check.max_error = 1e-6;
    padded->check.tolerance = 4e-6;
    return result;
}

/* The table, from its head to the empty line behind it. */
static const char *printed(const struct lab_result *result)
{
    FILE *stream = fmemopen(text, sizeof text, "w");
    lab_table_print(result, stream);
    fclose(stream);
    const char *table = strstr(text, "\nkernel ");
    cr_assert(table, "%s", text);
    return table + 1;
}

static void expect_table(const struct lab_result *result, const char *table)
{
    const char *got = printed(result);
    cr_expect(strncmp(got, table, strlen(table)) == 0, "\n%s\nis not\n%s", got, table);
}

/* 2 10^9 operations in 0.05 ms are 40 000 GFLOP/s: 64 % of a peak of 62.5 TFLOP/s, 80 % of what
 * cuBLAS reaches in 0.04 ms, 16 times what takes 0.8 ms, twice what takes 0.1 ms; with copies, 0.4
 * ms, 5000. Step 05, the parent of step 06, is not there. */
Test(figures, table)
{
    struct lab_result *result = made_result();
    expect_table(
        result,
        "kernel            time ms  GFLOPS  with copies  of cuBLAS  of peak  vs first  vs parent  "
        "energy mJ  registers  shared B  occupancy  check\n"
        "step01.coalesced   0.8000    2500                    5.0%     4.0%     1.00x             "
        "                                           ok\n"
        "step03.values      0.1000   20000                   40.0%    32.0%     8.00x             "
        "                                           ok\n"
        "conflict          0.06400   31250                   62.5%    50.0%    12.50x      1.56x  "
        "                                           ok\n"
        "padded            0.05000   40000         5000      80.0%    64.0%    16.00x      2.00x  "
        "     12.5        127     16640        25%  ok\n"
        "cublas            0.04000   50000                  100.0%    80.0%    20.00x             "
        "                                           ok\n");
    cr_expect(strstr(text, "step04 on NVIDIA H200 (sm_90, 132 SMs)\n"
                           "gemm f32  m=2000  n=1000  k=500  alpha=1  beta=0  seed=1\n"),
              "%s", text);
    cr_expect(strstr(text, "\nmedian of 5, "), "%s", text);
    cr_expect_not(strstr(text, "note: "), "%s", text);
    result->facts.note = "no sample is like another";
    cr_expect(strstr((printed(result), text), "seed=1\nnote: no sample is like another\n"), "%s",
              text);
    free(result);
}

/* Rows that were timed less often than the others are named; shares are called after the reference;
 * a row of several launches says how many, and has its main kernel's facts. */
Test(figures, table_of_a_slow_row_and_of_several_launches)
{
    struct lab_result *result = made_result();
    lab_times_summarise(&result->rows[0].time, (const double[]){0.7, 0.9}, 2);
    lab_times_summarise(&result->rows[4].time, (const double[]){0.04}, 1);
    result->rows[3].kernel.launches = 3;
    result->family = lab_family_find("apsp");
    cr_expect(strstr(printed(result), "\nmedian of 5 (step01.coalesced 2, cublas 1), L2"), "%s",
              text);
    cr_expect(strstr(text, " of host "), "%s", text);
    cr_expect(strstr(text, "  launches  registers  "), "%s", text);
    cr_expect(strstr(text, "         3        127     16640"), "%s", text);
    free(result);
}

/* Few warp instructions are told to the last one, many in millions. */
Test(figures, table_of_warp_instructions)
{
    struct lab_result *result = made_result();
    result->rows[2].instructions = 9999;
    result->rows[3].instructions = 12345678;
    cr_expect(strstr(printed(result), "  occupancy  warp instr.  check\n"), "%s", text);
    cr_expect(strstr(text, "         9999  ok\n"), "%s", text);
    cr_expect(strstr(text, "25%      12.35 M  ok\n"), "%s", text);
    free(result);
}

/* The peak of an FP64 problem is that of FP64, whether the family has the type or an option: 40 of
 * 50 TFLOP/s; of 100 where a row multiplies on tensor cores. */
Test(figures, peak_of_the_problems_type)
{
    struct lab_result *result = made_result();
    cr_expect_eq(lab_result_peak(result, NULL), 62.5e12);
    result->facts.type = "f64";
    cr_expect_eq(lab_result_peak(result, NULL), 50e12);
    result->facts.type = NULL;
    result->family = lab_family_find("trmm");
    cr_expect_eq(lab_result_peak(result, NULL), 50e12);
    cr_expect(strstr(printed(result), " 80.0%    80.0%      2.00x"), "%s", text);
    result->rows[3].has_tensor_doubles = true;
    cr_expect(strstr(printed(result), " 80.0%    40.0%      2.00x"), "%s", text);
    cr_expect_eq(lab_result_peak(result, lab_result_reference(result)), 100e12);
    result->is_sim = true; /* its library multiplies on lanes */
    cr_expect_eq(lab_result_peak(result, lab_result_reference(result)), 50e12);
    result->facts.type = "f32";
    cr_expect_eq(lab_result_peak(result, &result->rows[3]), 62.5e12);
    result->facts.type = NULL;
    device.peak_fp64 = device.peak_tensor_fp64 = 0.0; /* not known */
    cr_expect(!strstr(printed(result), "of peak"), "%s", text);
    free(result);
}

/* What failed or was not timed has no figures, and nothing is compared with it: the row before it
 * of the same step stands in. */
Test(figures, of_rows_without_a_time)
{
    struct lab_result *result = made_result();
    struct lab_row *padded = &result->rows[3];
    padded->time = (struct lab_times){0};
    padded->with_copies_ms = padded->energy.joules = 0.0;
    padded->kernel.known = false;
    padded->check.status = LAB_CHECK_WRONG;
    strcpy(padded->check.message, "C[0][0]: expected 1, got 2");
    result->rows[0].time = (struct lab_times){0};
    expect_table(result, "kernel            time ms  GFLOPS  of cuBLAS  of peak  vs parent  check\n"
                         "step01.coalesced                                                  ok\n"
                         "step03.values      0.1000   20000      40.0%    32.0%             ok\n"
                         "conflict          0.06400   31250      62.5%    50.0%      1.56x  ok\n"
                         "padded                                                            wrong\n"
                         "cublas            0.04000   50000     100.0%    80.0%             ok\n");
    cr_expect(strstr(text, "\nmedian of 5, "), "the first row has no time, others have: %s", text);
    cr_expect(strstr(text, "\npadded: wrong\n  C[0][0]: expected 1, got 2\n"), "%s", text);
    cr_expect_eq(lab_result_gflops(result, padded), 0.0);
    cr_expect_eq(lab_result_of_stage(result, lab_registry_stage("04")), &result->rows[2]);
    cr_expect_eq(lab_result_status(result), LAB_CHECK_WRONG);
    padded->is_baseline = true; /* a baseline's failure is no verdict on the target */
    cr_expect_eq(lab_result_status(result), LAB_CHECK_OK);
    free(result);
}

/* What this GPU cannot run is said, and fails nothing, unless that is all. */
Test(figures, of_skipped_rows)
{
    struct lab_result *result = made_result();
    struct lab_row *padded = &result->rows[3];
    padded->time = (struct lab_times){0};
    padded->check.status = LAB_CHECK_SKIPPED;
    strcpy(padded->check.message, "needs sm_100 or newer; this GPU is sm_90");
    cr_expect(strstr(printed(result), "skipped\n"), "%s", text);
    cr_expect(strstr(text, "\npadded: skipped\n  needs sm_100 or newer; this GPU is sm_90\n"), "%s",
              text);
    cr_expect_eq(lab_result_status(result), LAB_CHECK_OK);
    result->rows[2].check.status = LAB_CHECK_RACE;
    cr_expect_eq(lab_result_status(result), LAB_CHECK_RACE);
    result->rows[2].check.status = LAB_CHECK_SKIPPED;
    cr_expect_eq(lab_result_status(result), LAB_CHECK_SKIPPED);
    free(result);
}

/* A speedup is over the last row of a step, and shares are of the reference alone. */
Test(figures, baselines)
{
    struct lab_result *result = made_result();
    cr_expect_eq(lab_result_of_stage(result, lab_registry_stage("04")), &result->rows[3]);
    cr_expect_eq(lab_result_of_stage(result, lab_registry_stage("01")), &result->rows[0]);
    cr_expect_eq(lab_result_reference(result), &result->rows[4]);
    cr_expect_null(lab_result_of_stage(result, lab_registry_stage("05")));
    result->rows[4].is_reference = false;
    cr_expect_null(lab_result_reference(result));
    cr_expect(!strstr(printed(result), "of cuBLAS"), "%s", text);
    free(result);
}

Test(figures, of_a_modelled_row)
{
    struct lab_result *result = made_result();
    result->is_sim = true;
    result->row_count = 1;
    result->rows[0].time = (struct lab_times){
        .median = 0.02, .min = 0.02, .max = 0.02, .modelled = true, .limiter = "DRAM"};
    expect_table(result, "kernel            time ms  GFLOPS  of peak  vs first  limited by  "
                         "check\n"
                         "step01.coalesced  0.02000  100000   160.0%     1.00x  DRAM        "
                         "ok\n");
    cr_expect(
        strstr(text, "\n                  ------------------ modelled ------------------\nkernel"),
        "%s", text);
    cr_expect(strstr(text, "times are modelled from the counters, not measured"), "%s", text);
    cr_expect(!strstr(text, "median of") && !strstr(text, "was not counted"), "%s", text);
    result->rows[0].time.without_caches = true;
    cr_expect(strstr(printed(result), "the traffic of L2 and DRAM was not counted"), "%s", text);
    free(result);
}

/* What the energy model counts: each first one of a pair so often, the second half as often. */
static void add_counts(struct lab_counters *counters, double count)
{
    static const char *const names[] = {
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "dram__bytes_read.sum",
        "dram__bytes_write.sum",
    };
    for (int i = 0; i < 9; i++)
        lab_counters_set(counters, names[i], (i + 1) % 2 ? count : 0.5 * count);
}

Test(figures, energies)
{
    struct lab_result *result = made_result();
    add_counts(&result->rows[3].counters, 1e9);
    cr_expect(!strstr(printed(result), "modelled mJ"), "nobody asked");
    result->energy = true;
    /* On 7 nm with HBM, mJ. FMA 1, FADD 1/2, FMUL 1: 1.5 x 0.38 + 2 x 1.31 = 3.19; wavefronts 1.5 x
     * 128 x 8.5 / 8 = 204; sectors 1.5 x 32 x 14 / 8 = 84; bytes 1.5 x 8 x 3.92 = 47.04: 338.23. */
    const char *row = strstr(printed(result), "\npadded ");
    cr_expect(strstr(text, "modelled mJ") && strstr(row, "       12.5        338.2  "), "%s", text);
    cr_expect(!strstr(text, "no energies"), "%s", text);
    result->rows[3].counters.count = 0;
    result->rows[3].energy.joules = 0.0;
    cr_expect(strstr(printed(result), "no energies: this GPU or its driver"), "%s", text);
    free(result);
}

Test(figures, conditions)
{
    struct lab_result *result = made_result();
    result->conditions =
        (struct lab_conditions){.sm_mhz = 1980, .memory_mhz = 3201, .power_watts = 412.6};
    cr_expect(strstr(printed(result), "; 1980 MHz, 413 W while running\n"), "%s", text);
    cr_expect(!strstr(text, "warm"), "%s", text);
    result->warm = true;
    cr_expect(strstr(printed(result), "median of 5, L2 warm; 1980 MHz"), "%s", text);
    free(result);
}

/* --- JSON --------------------------------------------------------------------------------------*/

static cJSON *read_json(const char *path)
{
    FILE *stream = fopen(path, "r");
    cr_assert(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    unlink(path);
    cJSON *json = cJSON_Parse(text);
    cr_assert(json, "%s", text);
    return json;
}

static cJSON *json_of(const struct lab_result *result)
{
    char path[] = "/tmp/lab-figures-XXXXXX";
    close(mkstemp(path));
    cr_assert_eq(lab_json_write(result, path), LAB_EXIT_OK);
    return read_json(path);
}

static void expect_number(const cJSON *object, const char *name, double value)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    cr_assert(cJSON_IsNumber(item), "no %s in\n%s", name, text);
    cr_expect_float_eq(item->valuedouble, value, 1e-9 * fabs(value), "%s: %.10g, not %.10g", name,
                       item->valuedouble, value);
}

static void expect_none(const cJSON *object, const char *name)
{
    cr_expect_null(cJSON_GetObjectItem(object, name), "%s in\n%s", name, text);
}

static void expect_shape(const cJSON *object, const char *name, int x, int y, int z)
{
    const cJSON *list = cJSON_GetObjectItem(object, name);
    const int shape[] = {x, y, z};
    cr_assert_eq(cJSON_GetArraySize(list), 3);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(cJSON_GetArrayItem(list, i)->valueint, shape[i]);
}

/* The figures of the table, and those that it has no room for. */
Test(figures, json)
{
    struct lab_result *result = made_result();
    result->conditions =
        (struct lab_conditions){.sm_mhz = 1980, .memory_mhz = 3201, .power_watts = 412.5};
    add_counts(&result->rows[3].counters, 1e9);
    cJSON *json = json_of(result);
    const cJSON *rows = cJSON_GetObjectItem(json, "kernels"), *padded = cJSON_GetArrayItem(rows, 3);
    cr_assert_eq(cJSON_GetArraySize(rows), 5);
    const cJSON *time = cJSON_GetObjectItem(padded, "time_ms");
    expect_number(time, "median", 0.05);
    expect_number(time, "min", 0.025);
    expect_number(time, "max", 0.45);
    expect_number(time, "reps", 5);
    expect_number(padded, "gflops", 40000);
    expect_number(padded, "percent_of_reference", 80);
    expect_number(padded, "launches", 1);
    const cJSON *speedup = cJSON_GetObjectItem(padded, "speedup");
    expect_number(speedup, "over_first", 16);
    expect_number(speedup, "over_parent", 2);
    expect_number(speedup, "over_reference", 0.8);
    expect_number(padded, "time_with_copies_ms", 0.4);
    expect_number(padded, "gflops_with_copies", 5000);
    expect_number(padded, "percent_of_peak", 64);
    expect_number(padded, "registers", 127);
    expect_number(padded, "shared_bytes", 16640);
    expect_number(padded, "local_bytes", 8);
    expect_number(padded, "occupancy", 0.25);
    expect_shape(padded, "block", 256, 1, 1);
    expect_shape(padded, "grid", 16, 8, 1);
    const cJSON *energy = cJSON_GetObjectItem(padded, "energy");
    expect_number(energy, "joules", 0.0125);
    expect_number(energy, "watts", 250);
    expect_number(energy, "measured_seconds", 1.25);
    const cJSON *modelled = cJSON_GetObjectItem(padded, "modelled_energy");
    expect_number(modelled, "arithmetic", 3.19e-3);
    expect_number(modelled, "shared_memory", 204e-3);
    expect_number(modelled, "l2", 84e-3);
    expect_number(modelled, "dram", 47.04e-3);
    expect_number(modelled, "joules", 338.23e-3);
    const cJSON *counters = cJSON_GetObjectItem(padded, "counters");
    expect_number(counters, "dram__bytes_read.sum", 0.5e9);
    const cJSON *check = cJSON_GetObjectItem(padded, "check");
    expect_number(check, "max_error", 1e-6);
    expect_number(check, "tolerance", 4e-6);
    speedup = cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 0), "speedup");
    expect_number(speedup, "over_first", 1);
    expect_none(speedup, "over_parent");
    expect_none(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "speedup"), "over_parent");
    speedup = cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 2), "speedup");
    expect_number(speedup, "over_parent", 1.5625);
    expect_number(cJSON_GetArrayItem(rows, 4), "percent_of_reference", 100);
    expect_none(cJSON_GetArrayItem(rows, 4), "modelled_energy");
    const cJSON *problem = cJSON_GetObjectItem(json, "problem");
    expect_number(problem, "m", 2000);
    expect_number(problem, "k", 500);
    expect_number(problem, "alpha", 1);
    expect_number(problem, "flops", 2e9);
    expect_number(problem, "bytes", 14e6);
    expect_number(problem, "seed", 1);
    const cJSON *conditions = cJSON_GetObjectItem(json, "conditions");
    expect_number(conditions, "sm_mhz", 1980);
    expect_number(conditions, "memory_mhz", 3201);
    expect_number(conditions, "power_watts", 412.5);
    const cJSON *gpu = cJSON_GetObjectItem(json, "device");
    cr_expect_str_eq(cJSON_GetObjectItem(gpu, "driver")->valuestring, "13.0");
    cr_expect_str_eq(cJSON_GetObjectItem(gpu, "toolkit")->valuestring, "12.8");
    expect_number(gpu, "sm_count", 132);
    cr_expect_str_eq(cJSON_GetObjectItem(json, "runtime")->valuestring, "gpu");
    cr_expect_str_eq(cJSON_GetObjectItem(json, "status")->valuestring, "ok");
    cJSON_Delete(json);
    free(result);
}

/* A failed row has its verdict, and no time; NaN is no number of JSON. */
Test(figures, json_of_a_failed_row)
{
    struct lab_result *result = made_result();
    struct lab_row *padded = &result->rows[3];
    padded->time = (struct lab_times){0};
    padded->check.status = LAB_CHECK_NAN;
    padded->check.max_error = NAN;
    strcpy(padded->check.message, "say \"NaN\"\n");
    strcpy(padded->check.file, "a\\b.cu");
    padded->check.line = 7;
    cJSON *json = json_of(result);
    cr_expect_str_eq(cJSON_GetObjectItem(json, "status")->valuestring, "nan");
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "kernels"), 3);
    const cJSON *check = cJSON_GetObjectItem(row, "check");
    cr_expect_str_eq(cJSON_GetObjectItem(check, "status")->valuestring, "nan");
    cr_expect_str_eq(cJSON_GetObjectItem(check, "message")->valuestring, "say \"NaN\"\n");
    cr_expect_str_eq(cJSON_GetObjectItem(check, "file")->valuestring, "a\\b.cu");
    expect_number(check, "line", 7);
    expect_none(check, "max_error");
    expect_none(row, "time_ms");
    expect_none(row, "gflops");
    cJSON_Delete(json);
    free(result);
}

/* --- the study of kernel summation -------------------------------------------------------------*/

/* One size of the paper's; 4 10^9 operations on a peak of 10 TFLOP/s: 2 ms are 20 %. */
static struct lab_sweep made_study(void)
{
    static const struct {
        const char *name;
        double ms, joules, counts;
    } rows[] = {{"cublas_unfused", 2.0, 4e-3, 0.0},
                {"cublas_gemv", 4.0, 5e-3, 0.0},
                {"cuda_unfused", 3.0, 6e-3, 8e6},
                {"fused", 1.0, 3e-3, 2e6},
                {"fused_fast", 0.8, 2e-3, 1e6}};
    static struct lab_device gpu;
    struct lab_result *run = calloc(1, sizeof *run);
    gpu = device;
    gpu.peak_fp32 = 10e12;
    *run = (struct lab_result){
        .target = "step08",
        .device = &gpu,
        .family = lab_family_find("kernel_summation"),
        .facts = {.sizes = {{"m", 1024}, {"n", 1024}, {"k", 32}}, .size_count = 3, .flops = 4e9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lab_row *row = add_row(run, rows[i].name, "step08", rows[i].ms);
        row->energy.joules = rows[i].joules;
        if (rows[i].counts > 0.0)
            add_counts(&row->counters, rows[i].counts);
    }
    return (struct lab_sweep){.target = "step08", .device = &gpu, .runs = {run}, .count = 1};
}

/* The figures in the line of a table: behind its title, and behind K and M. */
static void expect_line(const char *title, int count, const double *values)
{
    const char *at = strstr(text, title), *end;
    int k = 0, m = 0, read = 0;
    cr_assert(at, "no '%s' in\n%s", title, text);
    while ((end = strchr(at, '\n')) && sscanf(end + 1, "%d %d%n", &k, &m, &read) != 2)
        at = end + 1;
    cr_assert(end && k == 32 && m == 1024, "%s", title);
    at = end + 1 + read;
    for (int i = 0; i < count; i++) {
        double value = 0.0;
        while (*at == ' ' || *at == '%' || *at == 'x')
            at++;
        cr_assert_eq(sscanf(at, "%lf%n", &value, &read), 1, "%s, figure %d: %s", title, i, at);
        cr_expect_float_eq(value, values[i], 1e-9, "%s, figure %d: %g, not %g", title, i, value,
                           values[i]);
        at += read;
    }
    at += strspn(at, " %x");
    cr_expect_eq(*at, '\n', "%s: more figures: %s", title, at);
}

#define EXPECT_LINE(title, ...)                                                                    \
    expect_line(title, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),                    \
                (double[]){__VA_ARGS__})

/* What a study's program prints. */
static void print(const char *study, const char *want, const struct lab_sweep *sweep)
{
    static const struct lab_options none;
    FILE *stream = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    cr_expect_eq(lab_study_print(study, want, &none, sweep, stream), LAB_EXIT_OK);
    fclose(stream);
}

static void print_study(const struct lab_sweep *sweep)
{
    print("microtiles", "tables", sweep);
}

Test(figures, study)
{
    struct lab_sweep sweep = made_study();
    print_study(&sweep);
    EXPECT_LINE("\ntime, ms", 2, 4, 3, 1, 0.8);
    EXPECT_LINE("FLOP efficiency", 20.0, 10.0, 13.3, 40.0, 50.0, 19.9, 33.1);
    /* fused over the three, fused_fast over the three, and the paper's 33.14 / 19.92 */
    EXPECT_LINE("speedup (", 2.0, 4.0, 3.0, 2.5, 5.0, 3.75, 1.66);
    EXPECT_LINE("energy measured", 4, 3, 25.0, 2, 50.0, 31.3);
    cr_expect(!strstr(text, "modelled from"), "the baseline has no counters: %s", text);
    free(sweep.runs[0]);
}

/* On the simulator cuda_unfused is what all is compared with; traffic and energies are a quarter
 * and an eighth. 1.5 x 8 10^6 sectors and bytes; 338.2 mJ of 10^9 counts are 2.706 of 8 10^6. */
Test(figures, study_on_the_simulator)
{
    struct lab_sweep sweep = made_study();
    sweep.is_sim = true;
    for (int i = 0; i < 5; i++)
        sweep.runs[0]->rows[i].energy.joules = 0.0;
    sweep.runs[0]->rows[0].time = sweep.runs[0]->rows[1].time = (struct lab_times){0};
    print_study(&sweep);
    EXPECT_LINE("L2 sectors, and per cent of that of cuda_unfused", 12000000, 25.0, 12.5);
    EXPECT_LINE("DRAM bytes, and per cent of that of cuda_unfused", 12000000, 25.0, 12.5);
    EXPECT_LINE("speedup (", 3.0, 3.75, 1.66);
    EXPECT_LINE("energy modelled", 2.706, 0.6765, 75.0, 0.3382, 87.5, 31.3);
    /* 3.19, 204, 84 and 47.04 of 338.23 */
    double share[4];
    const char *fused = strstr(strstr(text, "modelled energy by component"), "  fused ");
    cr_assert(fused && sscanf(fused, " fused %lf %lf %lf %lf", &share[0], &share[1], &share[2],
                              &share[3]) == 4);
    cr_expect_float_eq(share[0], 0.9, 1e-9);
    cr_expect_float_eq(share[1], 60.3, 1e-9);
    cr_expect_float_eq(share[2], 24.8, 1e-9);
    cr_expect_float_eq(share[3], 13.9, 1e-9);
    cr_expect(!strstr(text, "energy measured"), "%s", text);
    free(sweep.runs[0]);
}

/* Figure 7, what the layouts cost, and figure 2; the paper's tables have the paper's runs alone. */
Test(figures, study_of_products_and_layouts)
{
    struct lab_sweep sweep = made_study();
    struct lab_result *product = calloc(1, sizeof *product), *layouts = calloc(1, sizeof *layouts);
    *product = *layouts = *sweep.runs[0];
    product->row_count = layouts->row_count = 0;
    product->target = "step07.3";
    product->family = lab_family_find("gemm");
    add_row(product, "cublas", "step07", 2.0);
    add_row(product, "placed", "step07", 3.0);
    for (int i = 0; i < 2; i++) {
        struct lab_row *row =
            add_row(layouts, i ? "microtiles" : "in_order", "step08", i ? 1.0 : 4.0);
        row->stage = lab_registry_study("step08");
        row->kernel = (struct lab_kernel_facts){.known = true,
                                                .registers = 80,
                                                .local_bytes = 352,
                                                .block = {256, 1, 1},
                                                .occupancy = 0.375};
        lab_counters_set(&row->counters, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                         6400.0);
        lab_counters_set(&row->counters,
                         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 50.0);
        lab_counters_set(&row->counters, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                         20.0);
        lab_counters_set(&row->counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 100.0);
    }
    for (int i = 0; i < 5; i++) {
        add_counts(&sweep.runs[0]->rows[i].counters, 3.2e6 * (i + 1)); /* half of it read */
        lab_counters_set(&sweep.runs[0]->rows[i].counters, "smsp__inst_executed.sum", 1e6);
    }
    sweep.runs[sweep.count++] = product;
    sweep.runs[sweep.count++] = layouts;
    print_study(&sweep);
    EXPECT_LINE("the product alone", 3, 2, 1.5);
    EXPECT_LINE("L2 misses", 50, 100, 150, 200, 250);
    cr_expect(strstr(text, "\n  32    1024  in_order                 4    0.25x      256         80"
                           "      352        38%      0.2500      0.1000      0.5000\n"),
              "%s", text);
    cr_expect(strstr(text, "\n  32    1024  microtiles               1    1.00x"), "%s", text);
    char *again = strstr(strstr(text, "\ntime, ms"), "\n  32    1024");
    cr_expect_eq(strncmp(strchr(again + 1, '\n'), "\n\n", 2), 0, "one line, of the paper's run");
    free(product);
    free(layouts);
    free(sweep.runs[0]);
}

Test(figures, study_in_json)
{
    struct lab_sweep sweep = made_study();
    char path[] = "/tmp/lab-figures-XXXXXX";
    close(mkstemp(path));
    cr_assert_eq(lab_study_add("microtiles", &(struct lab_options){0}, &sweep), LAB_EXIT_OK);
    cr_assert_eq(lab_json_write_sweep(&sweep, path), LAB_EXIT_OK);
    free(sweep.more[0]);
    cJSON *json = read_json(path);
    const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "runs"), 0);
    const cJSON *paper = cJSON_GetObjectItem(run, "paper");
    expect_number(paper, "cublas_unfused_percent_of_peak", 19.92);
    expect_number(paper, "fused_percent_of_peak", 33.14);
    expect_number(paper, "percent_of_energy_saved", 31.3);
    const cJSON *fused = cJSON_GetArrayItem(cJSON_GetObjectItem(run, "kernels"), 3);
    expect_number(fused, "gflops", 4000);
    expect_number(fused, "percent_of_peak", 40);
    cJSON_Delete(json);
    free(sweep.runs[0]);
}

/* --- the study of shortest paths ---------------------------------------------------------------*/

/* 64 vertices at the three ratios: times of ours, of the host, and the paper's. */
static struct lab_sweep made_paths_study(struct lab_device *gpu)
{
    struct lab_sweep sweep = {.target = "step11", .device = gpu};
    for (int i = 0; i < 3; i++) {
        struct lab_result *run = calloc(1, sizeof *run);
        *run = (struct lab_result){.target = "step11",
                                   .device = gpu,
                                   .family = lab_family_find("apsp"),
                                   .facts = {.sizes = {{"n", 64}}, .size_count = 1},
                                   .conclusion = {.figures = {{"host_cores", 4},
                                                              {"host_dijkstra_ms", 11.0 + i},
                                                              {"host_floyd_warshall_ms", 21.0 + i}},
                                                  .figure_count = 3}};
        add_row(run, "floyd_warshall", "step11", 2.0 + i);
        add_row(run, "floyd_warshall_blocked", "step11", 5.0 + i);
        add_row(run, "min_plus", "step11", i == 2 ? 3.0 : 3.5 + i);
        sweep.runs[sweep.count++] = run;
    }
    return sweep;
}

Test(figures, study_of_paths)
{
    struct lab_sweep sweep = made_paths_study(&device);
    print("paths", "tables", &sweep);
    /* the faster of the two has a star: 2 and 3 against 3.5 and 4.5, then 4 against 3 */
    cr_expect(strstr(text, "    64   2.0000*   3.0000*    4.0000 |    3.5000    4.5000   3.0000* | "
                           "   1.2800    1.3000    1.4000 |   0.4900*   0.7200*   0.7400*\n"),
              "%s", text);
    cr_expect(strstr(text, "    64    5.0000    6.0000    7.0000 |      11.0      12.0      13.0 | "
                           "     21.0      22.0      23.0\n"),
              "%s", text);
    cr_expect(strstr(text, "and 4 cores of the host"), "%s", text);
    for (int i = 0; i < sweep.count; i++)
        free(sweep.runs[i]);
}

/* --- the study of the matrix product -----------------------------------------------------------*/

/* 500 and 1000, 0.25 and 2 10^9 operations: the library, the first stage, two rows, the last of
 * which is wrong at 500 and has no time at 1000. */
static struct lab_sweep made_sizes_study(struct lab_device *gpu)
{
    struct lab_sweep sweep = {.target = "step02", .device = gpu};
    for (int i = 0; i < 2; i++) {
        const double size = i ? 1000 : 500;
        struct lab_result *run = calloc(1, sizeof *run);
        *run = (struct lab_result){
            .target = "step02",
            .device = gpu,
            .family = lab_family_find("gemm"),
            .facts = {.sizes = {{"m", (long)size}, {"n", (long)size}, {"k", (long)size}},
                      .size_count = 3,
                      .factors = {{"alpha", 2.0}},
                      .factor_count = 1,
                      .flops = 2.0 * size * size * size}};
        struct lab_row *library = add_row(run, "cublas", "step01", i ? 1.0 : 0.25);
        library->stage = NULL;
        library->is_reference = library->is_baseline = true;
        add_row(run, "step01.coalesced", "step01", i ? 8.0 : 1.0)->is_baseline = true;
        add_row(run, "shared_a", "step02.1", i ? 4.0 : 0.5);
        add_row(run, "shared_ab", "step02.2", i ? 0.0 : 0.1)->check.status =
            i ? LAB_CHECK_OK : LAB_CHECK_WRONG;
        sweep.runs[sweep.count++] = run;
    }
    return sweep;
}

static void free_runs(struct lab_sweep *sweep)
{
    for (int i = 0; i < sweep->count; i++)
        free(sweep->runs[i]);
}

static void print_sizes(const struct lab_sweep *sweep)
{
    print("sizes", "tables", sweep);
}

Test(figures, study_of_sizes)
{
    struct lab_sweep sweep = made_sizes_study(&device);
    print_sizes(&sweep);
    cr_expect(strstr(text, "GFLOPS over size\nm = n = k     cublas  step01.coalesced   shared_a  "
                           "shared_ab\n"
                           "      500       1000               250        500           \n"
                           "     1000       2000               250        500           \n"),
              "%s", text);
    cr_expect(strstr(text, "times the speed of cublas\n"), "%s", text);
    cr_expect(strstr(text, "      500      1.00x             0.25x      0.50x           \n"
                           "     1000      1.00x             0.12x      0.25x           \n"),
              "%s", text);
    free_runs(&sweep);
}

/* No library there: the first stage takes its place, and times are marked. */
Test(figures, study_of_sizes_on_the_simulator)
{
    struct lab_sweep sweep = made_sizes_study(&device);
    sweep.is_sim = true;
    for (int r = 0; r < sweep.count; r++)
        sweep.runs[r]->rows[0].time = (struct lab_times){0};
    sweep.runs[0]->facts.sizes[2].value = sweep.runs[1]->facts.sizes[2].value = 30;
    sweep.runs[1]->rows[3].time.local_bytes = 16;
    sweep.runs[1]->rows[3].kernel.known = true;
    sweep.runs[1]->rows[3].kernel.local_bytes = 16;
    print_sizes(&sweep);
    cr_expect(strstr(text, "GFLOPS over size, modelled from the counters, not measured\n"), "%s",
              text);
    cr_expect(strstr(text, "times the speed of step01.coalesced\n       m x n x k "), "%s", text);
    cr_expect(strstr(text, "500 x 500 x 30                        1.00x      2.00x"), "%s", text);
    cr_expect(strstr(text, "no modelled time of shared_ab f32 at 1000 x 1000 x 30: its machine "
                           "code has 16 bytes of each thread"),
              "%s", text);
    cr_expect(!strstr(text, "not been validated"), "%s", text);
    sweep.target = "step12";
    print_sizes(&sweep);
    cr_expect(strstr(text, "have not been validated on a GPU\n"), "%s", text);
    free_runs(&sweep);
}

/* --- plots -------------------------------------------------------------------------------------*/

/* A folder for programs, which is looked into first. */
static char folder[] = "/tmp/lab-gnuplot-XXXXXX";

/* Without gnuplot nothing is plotted, and it is said why. */
Test(figures, plots_without_gnuplot)
{
    struct lab_sweep sweep = made_sizes_study(&device);
    char command[256];
    cr_assert(mkdtemp(folder));
    snprintf(command, sizeof command, "ln -s \"$(command -v awk)\" %s/awk", folder);
    cr_assert_eq(system(command), 0);
    setenv("PATH", folder, 1);
    print("sizes", "plots", &sweep);
    cr_expect_str_eq(text, "\nno plot: gnuplot is not here; install it, or take the figures from "
                           "--json\n");
    snprintf(command, sizeof command, "%s/awk", folder);
    unlink(command);
    rmdir(folder);
    free_runs(&sweep);
}

/* A gnuplot that keeps what it is told. What it was told; the file is gone then. */

static void stand_in_for_gnuplot(void)
{
    char path[128], search[4096];
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE *script = fopen(path, "w");
    fprintf(script, "#!/bin/sh\ncat >> '%s/told'\n", folder);
    fclose(script);
    chmod(path, 0755);
    snprintf(search, sizeof search, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", search, 1);
}

static void read_told(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/told", folder);
    FILE *stream = fopen(path, "r");
    cr_assert(stream, "nothing was plotted");
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    unlink(path);
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    unlink(path);
    rmdir(folder);
}

/* Speedups of fused and fused_fast, and the paper's; energies by component, cuda_unfused = 1. */
Test(figures, plots_of_the_study)
{
    struct lab_sweep sweep = made_study();
    stand_in_for_gnuplot();
    sweep.is_sim = true;
    print("microtiles", "plots", &sweep);
    read_told();
    cr_expect(strstr(text, "\n\"32, 1024\" 3 3.75 ? 1.664\nEND"), "%s", text);
    cr_expect(strstr(text, "'Speedup over cuda unfused (modelled)"), "%s", text);
    double of[4];
    const char *fused = strstr(text, "\n\"fused 32, 1024\" ");
    cr_assert(fused && sscanf(fused, "\n\"fused 32, 1024\" %lf %lf %lf %lf", &of[0], &of[1], &of[2],
                              &of[3]) == 4,
              "%s", text);
    cr_expect_float_eq(of[0], 0.25 * 3.19 / 338.23, 1e-6);
    cr_expect_float_eq(of[1], 0.25 * 204.0 / 338.23, 1e-6);
    cr_expect_float_eq(of[2], 0.25 * 84.0 / 338.23, 1e-6);
    cr_expect_float_eq(of[3], 0.25 * 47.04 / 338.23, 1e-6);
    free(sweep.runs[0]);
}

Test(figures, plot_of_measured_speedups)
{
    struct lab_sweep sweep = made_study();
    stand_in_for_gnuplot();
    sweep.runs[0]->rows[4].time = (struct lab_times){0};
    print("microtiles", "plots", &sweep);
    read_told();
    cr_expect(strstr(text, "\n\"32, 1024\" 2 ? ? 1.664\nEND"), "%s", text);
    cr_expect(strstr(text, "'Speedup over cublas unfused;"), "%s", text);
    free(sweep.runs[0]);
}

Test(figures, plot_of_sizes)
{
    struct lab_sweep sweep = made_sizes_study(&device);
    stand_in_for_gnuplot();
    print("sizes", "plots", &sweep);
    read_told();
    cr_expect(strstr(text, "\n500 1000 250 500 ?\n1000 2000 250 500 ?\nEND"), "%s", text);
    cr_expect(strstr(text, "using 1:3 with linespoints dashtype 2 title 'step01.coalesced', $data "
                           "using 1:4 with linespoints title 'shared_a'"),
              "%s", text);
    free_runs(&sweep);
}

Test(figures, plot_of_paths)
{
    struct lab_sweep sweep = made_paths_study(&device);
    stand_in_for_gnuplot();
    print("paths", "plots", &sweep);
    read_told();
    cr_expect(strstr(text, "\n64 4 7 3 1.4 0.74 13\nEND"), "%s", text);
    for (int i = 0; i < sweep.count; i++)
        free(sweep.runs[i]);
}
