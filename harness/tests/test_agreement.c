/* What the simulator counts now against what docs/results holds: its own counts, which the page of
 * simulated and measured counters is made from, to the last one; a GPU's within 2 %. */
#include "tests/run_lab.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LIMIT = 0.02;

static const char *const counters[] = {
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
    "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
};
enum { COUNTERS = sizeof counters / sizeof counters[0], ROWS = 15 };

static cJSON *recorded(const char *device, int size)
{
    enum { MOST = 1 << 20 };
    char path[4096], *text = calloc(1, MOST);
    snprintf(path, sizeof path, "%s/docs/results/counters-%s-%d.json", getenv("LAB_TEST_ROOT"),
             device, size);
    FILE *stream = fopen(path, "r");
    cr_assert(stream != NULL, "%s cannot be read", path);
    cr_assert(fread(text, 1, MOST - 1, stream) < MOST - 1);
    fclose(stream);
    cJSON *json = cJSON_Parse(text);
    free(text);
    cr_assert(json != NULL, "%s is no JSON", path);
    return json;
}

/* A share of nothing is left out by the simulator, and 0 in Nsight Compute. */
static bool is_left_out(const cJSON *row, const char *name)
{
    return strstr(name, ".pct") && !cJSON_HasObjectItem(row, name);
}

/* The counters of a row; `target` and a dot come before its name in a comparison. */
static const cJSON *counters_of(const cJSON *run, const char *target, const char *name)
{
    char whole[256];
    const cJSON *row;
    snprintf(whole, sizeof whole, "%s%s%s", target, *target ? "." : "", name);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(run, "kernels"))
    {
        const cJSON *there = cJSON_GetObjectItemCaseSensitive(row, "name");
        if (strcmp(there->valuestring, whole) == 0)
            return cJSON_GetObjectItemCaseSensitive(row, "counters");
    }
    cr_assert_fail("no row %s", whole);
    return NULL;
}

static double counter(const cJSON *row, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);
    cr_assert(cJSON_IsNumber(item), "no counter %s", name);
    return item->valuedouble;
}

static struct run_lab run;

static void counts_as_recorded(const char *target, int expected)
{
    cJSON *before = recorded("sim", 512);
    const cJSON *row;
    int rows = 0;
    run_lab(&run, "%s -n 512 --runtime sim --profile --check-only --json -", target);
    cr_assert_eq(run.status, 0, "%s", run.err);
    cJSON *now = cJSON_Parse(run.out);
    cr_assert(now != NULL, "no JSON: %s", run.out);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(now, "kernels"))
    {
        const char *name = cJSON_GetObjectItemCaseSensitive(row, "name")->valuestring;
        const cJSON *counted = cJSON_GetObjectItemCaseSensitive(row, "counters");
        for (int i = 0; i < COUNTERS; i++)
            cr_expect_eq(counter(counted, counters[i]),
                         counter(counters_of(before, target, name), counters[i]),
                         "%s.%s: %s is %.0f now: record again", target, name, counters[i],
                         counter(counted, counters[i]));
        rows++;
    }
    cr_expect_eq(rows, expected);
    cJSON_Delete(before);
    cJSON_Delete(now);
}

Test(agreement, the_simulator_counts_as_recorded)
{
    counts_as_recorded("step05", 3);
    counts_as_recorded("step07", 3);
}

static void agrees(int size)
{
    cJSON *simulated = recorded("sim", size), *measured = recorded("h200", size);
    const cJSON *row;
    int rows = 0;
    cr_expect_str_eq(cJSON_GetObjectItemCaseSensitive(simulated, "runtime")->valuestring, "sim");
    cr_expect_str_eq(cJSON_GetObjectItemCaseSensitive(measured, "runtime")->valuestring, "gpu");
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(simulated, "kernels"))
    {
        const char *name = cJSON_GetObjectItemCaseSensitive(row, "name")->valuestring;
        const cJSON *simulation = cJSON_GetObjectItemCaseSensitive(row, "counters");
        for (int i = 0; i < COUNTERS; i++) {
            double ours =
                is_left_out(simulation, counters[i]) ? 0.0 : counter(simulation, counters[i]);
            double theirs = counter(counters_of(measured, "", name), counters[i]);
            cr_expect(fabs(ours - theirs) <= LIMIT * theirs, "%s at %d: %s: %.2f, measured %.2f",
                      name, size, counters[i], ours, theirs);
        }
        rows++;
    }
    cr_expect_eq(rows, ROWS);
    cJSON_Delete(simulated);
    cJSON_Delete(measured);
}

Test(agreement, recorded_counters_are_those_of_a_gpu)
{
    agrees(512);
    agrees(1024);
}
