/* Recorded runs, read back: for the test of the timing model, and for the table on its page. */
#include "recorded.h"

#include "measure/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cJSON *lab_recorded_read(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *stream = fopen(path, "r");
    char *text = stream ? calloc(1, MOST) : NULL;
    cJSON *json = NULL;
    if (text && fread(text, 1, MOST - 1, stream) < MOST - 1)
        json = cJSON_Parse(text);
    if (stream)
        fclose(stream);
    free(text);
    if (!json)
        fprintf(stderr, "%s: %s\n", path, stream ? "not JSON, or too long" : "cannot be read");
    return json;
}

const cJSON *lab_recorded_row(const cJSON *result, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(
        row,
        cJSON_GetObjectItem(
            result, "kernels")) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(row, "name")),
                                           name) == 0) return row;
    return NULL;
}

void lab_recorded_counters(const cJSON *row, struct lab_counters *counters)
{
    const cJSON *counter;
    cJSON_ArrayForEach(counter, cJSON_GetObjectItem(row, "counters"))
        lab_counters_set(counters, counter->string, counter->valuedouble);
}

static bool read_shape(const cJSON *row, const char *name, unsigned shape[3])
{
    const cJSON *list = cJSON_GetObjectItem(row, name);
    for (int i = 0; i < 3; i++) {
        const cJSON *item = cJSON_GetArrayItem(list, i);
        if (!cJSON_IsNumber(item))
            return false;
        shape[i] = (unsigned)item->valuedouble;
    }
    return true;
}

bool lab_recorded_model(const cJSON *row, const struct lab_counters *counters,
                        const struct sim_gpu_profile *gpu, struct lab_model *model)
{
    struct lab_kernel_facts facts = {.launches = 1};
    const cJSON *occupancy = cJSON_GetObjectItem(row, "occupancy");
    if (!cJSON_IsNumber(occupancy) || !read_shape(row, "grid", facts.grid) ||
        !read_shape(row, "block", facts.block))
        return false;
    facts.occupancy = occupancy->valuedouble;
    struct lab_model_kernel kernel = lab_modelled_kernel(&facts, gpu);
    return lab_model_run(counters, &kernel, gpu, model);
}
