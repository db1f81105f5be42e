/* The cache model against recorded runs: what Nsight Compute counted on an H200 for the rows of
 * steps 02 to 07 at 512. The bounds are those that docs/pages/memory.md states. */
#include "run_lab.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 512, NAME_BYTES = 64 };

#define L1_HITS   "l1tex__t_sector_hit_rate.pct"
#define L2_READS  "lts__t_sectors_op_read.sum"
#define L2_WRITES "lts__t_sectors_op_write.sum"
#define DRAM_READ "dram__bytes_read.sum"

/* A GPU reads the instructions from DRAM, too, and the model does not: 63 KB in step 06. */
static const double CODE_BYTES = 65536;
static const double READS_WITHIN = 0.25, WRITES_WITHIN = 0.05, DRAM_WITHIN = 0.01,
                    HITS_WITHIN = 12.0; /* of 100 */

static cJSON *recorded_rows(void)
{
    char path[4096];
    enum { MOST = 1 << 20 };
    snprintf(path, sizeof path, "%s/docs/results/counters-h200-%d.json", getenv("LAB_TEST_ROOT"),
             SIZE);
    FILE *const stream = fopen(path, "r");
    cr_assert(stream != NULL, "%s cannot be read", path);
    char *const text = calloc(1, MOST);
    cr_assert(fread(text, 1, MOST - 1, stream) < MOST - 1);
    fclose(stream);
    cJSON *const json = cJSON_Parse(text);
    free(text);
    cr_assert(json != NULL, "%s is no JSON", path);
    return json;
}

/* The counters of a row by its name. */
static const cJSON *counters_of(const cJSON *result, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(result, "kernels"))
    {
        if (strcmp(cJSON_GetObjectItem(row, "name")->valuestring, name) == 0)
            return cJSON_GetObjectItem(row, "counters");
    }
    return NULL;
}

static double value(const cJSON *counters, const char *name)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(counters, name);
    cr_assert(cJSON_IsNumber(item), "no counter %s", name);
    return item->valuedouble;
}

static void compare(const char *row, const cJSON *model, const cJSON *real)
{
    static const struct {
        const char *name;
        double within;
    } sums[] = {{L2_READS, READS_WITHIN}, {L2_WRITES, WRITES_WITHIN}};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        const double ratio = value(model, sums[i].name) / value(real, sums[i].name);
        cr_expect(fabs(ratio - 1) <= sums[i].within, "%s: %s is %.3f of the recorded one", row,
                  sums[i].name, ratio);
    }
    const double dram = value(model, DRAM_READ), real_dram = value(real, DRAM_READ);
    cr_expect(dram <= (1 + DRAM_WITHIN) * real_dram &&
                  dram + CODE_BYTES >= (1 - DRAM_WITHIN) * real_dram,
              "%s: %.0f bytes are read from DRAM, recorded are %.0f", row, dram, real_dram);
    const double hits = value(model, L1_HITS), real_hits = value(real, L1_HITS);
    cr_expect(fabs(hits - real_hits) <= HITS_WITHIN, "%s: %.1f%% hit L1, recorded are %.1f%%", row,
              hits, real_hits);
}

ParameterizedTestParameters(cache_model, near_what_an_h200_counted)
{
    static const char *const steps[] = {"step02", "step03", "step04", "step05", "step06", "step07"};
    enum { COUNT = sizeof steps / sizeof steps[0] };
    static char names[COUNT][NAME_BYTES];
    size_t taken = 0;
    for (int i = 0; i < COUNT; i++)
        if (run_lab_takes(i, 3))
            snprintf(names[taken++], NAME_BYTES, "%s", steps[i]);
    return cr_make_param_array(char[NAME_BYTES], names, taken);
}

ParameterizedTest(char (*step)[NAME_BYTES], cache_model, near_what_an_h200_counted)
{
    static struct run_lab run;
    int compared = 0, rows = 0;
    cJSON *const recorded = recorded_rows();
    run_lab(&run, "%s -m %d -n %d -k %d --runtime sim --check-only --fast --profile --json -",
            *step, SIZE, SIZE, SIZE);
    cr_assert_eq(run.status, 0, "%s", run.err);
    cJSON *const modelled = cJSON_Parse(run.out);
    cr_assert(modelled, "%s", run.out);
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(modelled, "kernels"))
    {
        char name[2 * NAME_BYTES];
        const cJSON *const counters = cJSON_GetObjectItem(row, "counters");
        snprintf(name, sizeof name, "%s.%s", *step, cJSON_GetObjectItem(row, "name")->valuestring);
        const cJSON *const real = counters_of(recorded, name);
        if (!counters || strchr(cJSON_GetObjectItem(row, "name")->valuestring, '.'))
            continue; /* cuBLAS, or a row of another step */
        rows++;
        if (!real)
            continue;
        compare(name, counters, real);
        compared++;
    }
    cr_expect(compared > 0 && compared == rows, "%s: %d of %d rows are recorded", *step, compared,
              rows);
    cJSON_Delete(modelled);
    cJSON_Delete(recorded);
}

/* Sums, whatever the number of threads that recorded the blocks and the order that they took. */
Test(cache_model, says_the_same_each_time)
{
    static struct run_lab first, second;
    const char *const command = "step02 -n 200 --runtime sim --check-only --profile --json -";
    run_lab(&first, "%s", command);
    run_lab(&second, "%s", command);
    cJSON *const one = cJSON_Parse(first.out), *const two = cJSON_Parse(second.out);
    cr_assert(one && two, "%s", first.err);
    for (int row = 0; row < 3; row++) {
        const cJSON *const a = cJSON_GetObjectItem(
            cJSON_GetArrayItem(cJSON_GetObjectItem(one, "kernels"), row), "counters");
        const cJSON *const b = cJSON_GetObjectItem(
            cJSON_GetArrayItem(cJSON_GetObjectItem(two, "kernels"), row), "counters");
        if (!a)
            continue;
        cr_expect(cJSON_HasObjectItem(a, L2_READS));
        cr_expect(cJSON_Compare(a, b, true), "row %d", row);
    }
    cJSON_Delete(one);
    cJSON_Delete(two);
}

/* Another GPU has other caches. */
Test(cache_model, the_gpu_decides)
{
    static struct run_lab run;
    double reads[2];
    const char *const gpus[] = {"h200", "t4"};
    for (int i = 0; i < 2; i++) {
        run_lab(&run, "step02 -n 200 --runtime sim --arch %s --check-only --profile --json -",
                gpus[i]);
        cJSON *const json = cJSON_Parse(run.out);
        cr_assert(json, "%s", run.err);
        const cJSON *const counters = counters_of(json, "shared_a");
        cr_assert(counters);
        reads[i] = value(counters, L2_READS);
        cJSON_Delete(json);
    }
    cr_expect_neq(reads[0], reads[1]);
}
