/* Prints the modelled time of each row of recorded counters: what docs/compare_model.py asks. The
 * rows are those of a JSON file that `run --profile` wrote, or that the script extrapolated. */
#include "recorded.h"

#include <stdio.h>

static void print_row(const cJSON *row, const struct sim_gpu_profile *gpu)
{
    static struct lab_counters counters;
    struct lab_model model;
    counters.count = 0;
    lab_recorded_counters(row, &counters);
    if (lab_recorded_model(row, &counters, gpu, &model))
        printf("%s %.6g %s\n", cJSON_GetStringValue(cJSON_GetObjectItem(row, "name")),
               model.milliseconds, lab_model_unit_name(model.limiter));
}

int main(int argc, char **argv)
{
    struct sim_gpu_profile gpu;
    char error[256];
    const cJSON *row;
    if (argc != 3 || !lab_sim_gpu_read(argv[1], &gpu, error, sizeof error)) {
        fprintf(stderr, "%s\n", argc == 3 ? error : "usage: model_times GPU COUNTERS.json");
        return 2;
    }
    cJSON *result = lab_recorded_read(argv[2]);
    if (!result)
        return 2;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(result, "kernels")) print_row(row, &gpu);
    cJSON_Delete(result);
    return 0;
}
