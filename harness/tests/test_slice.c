/* The timing model on a slice of the GPU against what a whole H200 needed: every stage of the
 * matrix product, counted at 512 on three SMs, by its share of the peak at 4096, and those of the
 * sum and of the histogram by their share of the bandwidth. */
#include "recorded.h"
#include "run_lab.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 7,
    QUICK_FROM = 5,
    ROWS = 15,
    MEASURED_AT = 4096,
    WARM_UP_ROWS = 9,
    SMS = 132,
    SLICE_SMS = 3
};

static const double LARGEST_ERROR = 0.20, LARGEST_MEAN_ERROR = 0.12, APART = 1.05;

/* Pairs whose order the model turns round, as a run says. */
static const struct {
    const char *faster, *slower;
    double times;
} turned[] = {
#define LAB_TURNED(faster, slower, times) {faster, slower, times},
#include "measure/model/turned.def"
#undef LAB_TURNED
};
enum { TURNED = sizeof turned / sizeof turned[0] };

struct share {
    char name[64];
    double measured, modelled; /* of the peak */
};

static void read_measured(int step, struct share *shares, int *count)
{
    char path[4096], file[64];
    snprintf(file, sizeof file, "step%02d-h200-%d.json", step, MEASURED_AT);
    snprintf(path, sizeof path, "%s/docs/results/%s", getenv("LAB_TEST_ROOT"), file);
    cJSON *json = lab_recorded_read(path);
    const cJSON *row;
    cr_assert(json != NULL, "%s", path);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "kernels"))
    {
        const char *name = cJSON_GetObjectItem(row, "name")->valuestring;
        if (strcmp(name, "cublas") == 0 || strchr(name, '.'))
            continue; /* what it is compared with */
        cr_assert_lt(*count, ROWS);
        struct share *share = &shares[(*count)++];
        snprintf(share->name, sizeof share->name, "step%02d.%s", step, name);
        share->measured = cJSON_GetObjectItem(row, "percent_of_peak")->valuedouble / 100.0;
    }
    cJSON_Delete(json);
}

static void read_modelled(const cJSON *json, struct share *share)
{
    const cJSON *row = lab_recorded_row(json, share->name);
    cr_assert(row != NULL, "%s was not run", share->name);
    cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(row, "modelled")), "%s has no time", share->name);
    share->modelled = cJSON_GetObjectItem(row, "percent_of_peak")->valuedouble / 100.0;
}

/* What is kept for the page, or a part of it, is what comes out now. */
static void expect_kept(const char *list, const struct share *shares, int count, bool is_part)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/results/slice-h200.json", getenv("LAB_TEST_ROOT"));
    cJSON *kept = lab_recorded_read(path);
    cr_assert(kept != NULL);
    const cJSON *rows = cJSON_GetObjectItem(kept, list), *row;
    cr_expect(is_part || cJSON_GetArraySize(rows) == count);
    for (int i = 0; i < count; i++) {
        double there = 0.0;
        cJSON_ArrayForEach(row, rows)
        {
            if (strcmp(cJSON_GetObjectItem(row, "name")->valuestring, shares[i].name) == 0)
                there = cJSON_GetObjectItem(row, "modelled")->valuedouble;
        }
        cr_expect(fabs(there / shares[i].modelled - 1.0) < 1e-3,
                  "%s: kept %g, now %g: docs/compare_model.py --slice", shares[i].name, there,
                  shares[i].modelled);
    }
    cJSON_Delete(kept);
}

/* So many times as fast was the one; 0: the model does not turn them round. */
static double turned_times(const char *slower, const char *faster)
{
    for (int i = 0; i < TURNED; i++)
        if (strcmp(slower, turned[i].slower) == 0 && strcmp(faster, turned[i].faster) == 0)
            return turned[i].times;
    return 0.0;
}

static void expect_order(const struct share *slower, const struct share *faster)
{
    const bool is_kept = slower->modelled < faster->modelled;
    if (faster->measured < APART * slower->measured)
        return;
    const double times = turned_times(slower->name, faster->name);
    if (times > 0.0) {
        cr_expect(!is_kept, "%s and %s come in their order: no exception is needed", slower->name,
                  faster->name);
        cr_expect_float_eq(times, faster->measured / slower->measured, 0.005, "%s and %s",
                           slower->name, faster->name);
    } else
        cr_expect(is_kept, "%s (%.3f, measured %.3f) comes before %s (%.3f, measured %.3f)",
                  slower->name, slower->modelled, slower->measured, faster->name, faster->modelled,
                  faster->measured);
}

Test(slice, shares_of_the_peak_are_those_of_the_whole_gpu_at_4096)
{
    static struct run_lab result;
    static struct share shares[ROWS];
    int count = 0;
    double sum = 0.0;
    const int first = run_lab_tries_all() ? 1 : QUICK_FROM;
    for (int step = first; step <= STEPS; step++)
        read_measured(step, shares, &count);
    cr_assert(first > 1 || count == ROWS, "%d", count);
    run_lab(&result,
            "compare%s step05 step06 step07 --runtime sim --sms 3 -m 512 --profile --json -",
            first == 1 ? " step01 step02 step03 step04" : "");
    cr_assert_eq(result.status, 0, "%s", result.err);
    cJSON *json = cJSON_Parse(result.out);
    cr_assert(json != NULL);
    for (int i = 0; i < count; i++) {
        read_modelled(json, &shares[i]);
        const double error = shares[i].modelled / shares[i].measured - 1.0;
        sum += fabs(error);
        printf("%-24s %.3f measured %.3f %+6.1f%%\n", shares[i].name, shares[i].modelled,
               shares[i].measured, 100.0 * error);
        cr_expect(fabs(error) <= LARGEST_ERROR, "%s: %.3f, measured %.3f", shares[i].name,
                  shares[i].modelled, shares[i].measured);
    }
    cr_expect(sum / count <= LARGEST_MEAN_ERROR, "mean error %.3f", sum / count);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            expect_order(&shares[i], &shares[j]);
    expect_kept("kernels", shares, count, first > 1);
    cJSON_Delete(json);
}

/* The rows of a warm-up as a GPU was measured, and as `run` has them without being asked for more.
 */
static void read_warm_up(const char *step, struct share *shares, int *count)
{
    static struct run_lab result;
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/results/%s-h200.json", getenv("LAB_TEST_ROOT"), step);
    cJSON *measured = lab_recorded_read(path);
    run_lab(&result, "%s --runtime sim --json -", step);
    cr_assert_eq(result.status, 0, "%s", result.err);
    cJSON *json = cJSON_Parse(result.out);
    const cJSON *row;
    cr_assert(json && measured, "%s", path);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(measured, "kernels"))
    {
        const char *name = cJSON_GetObjectItem(row, "name")->valuestring;
        const cJSON *modelled = lab_recorded_row(json, name);
        cr_assert(modelled && cJSON_IsTrue(cJSON_GetObjectItem(modelled, "modelled")),
                  "%s has no time", name);
        cr_assert_lt(*count, WARM_UP_ROWS);
        struct share *share = &shares[(*count)++];
        snprintf(share->name, sizeof share->name, "%s.%s", step, name);
        share->measured = cJSON_GetObjectItem(row, "gb_per_s")->valuedouble;
        share->modelled = cJSON_GetObjectItem(modelled, "gb_per_s")->valuedouble * SMS / SLICE_SMS;
    }
    cJSON_Delete(json);
    cJSON_Delete(measured);
}

/* From 0.1% of the bandwidth to all of it: what decides between is how atomics queue. */
Test(slice, sums_and_histograms_come_at_the_whole_gpus_share_of_its_bandwidth)
{
    static struct share shares[WARM_UP_ROWS];
    int count = 0;
    read_warm_up("step00c", shares, &count);
    const int sums = count;
    read_warm_up("step00d", shares, &count);
    cr_assert_eq(count, WARM_UP_ROWS);
    for (int i = 0; i < count; i++) {
        const double error = shares[i].modelled / shares[i].measured - 1.0;
        printf("%-24s %9.2f GB/s, measured %9.2f %+6.1f%%\n", shares[i].name, shares[i].modelled,
               shares[i].measured, 100.0 * error);
        cr_expect(fabs(error) <= LARGEST_ERROR, "%s: %.3f, measured %.3f", shares[i].name,
                  shares[i].modelled, shares[i].measured);
        for (int j = 0; j < count; j++)
            if ((i < sums) == (j < sums))
                expect_order(&shares[i], &shares[j]);
    }
    expect_kept("warm_ups", shares, count, false);
}
