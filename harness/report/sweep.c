/* The runs of a study: finding rows and sizes in them, and freeing them. */
#include "report/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lab_sweep_release(struct lab_sweep *sweep)
{
    for (int i = 0; i < sweep->count; i++) {
        lab_result_release(sweep->runs[i]);
        free(sweep->runs[i]);
    }
    sweep->count = 0;
}

const struct lab_row *lab_sweep_row(const struct lab_result *run, const char *name)
{
    for (int i = 0; i < run->row_count; i++)
        if (strcmp(run->rows[i].name, name) == 0 && run->rows[i].check.status == LAB_CHECK_OK)
            return &run->rows[i];
    return NULL;
}

void lab_sweep_put_head(const struct lab_sweep *sweep, FILE *stream)
{
    const int sms = sweep->device->properties.multiProcessorCount;
    char slice[32] = "";
    if (sweep->device->whole_sms > sms)
        snprintf(slice, sizeof slice, " of %d", sweep->device->whole_sms);
    fprintf(stream, "sweep %s on %s (%s, %d%s SMs)", sweep->target,
            sweep->is_sim ? "the simulator" : sweep->device->properties.name, sweep->device->arch,
            sms, slice);
}

void lab_sweep_put_cell(FILE *stream, int width, const char *format, double value)
{
    char cell[48] = "";
    if (!isnan(value))
        snprintf(cell, sizeof cell, format, value);
    fprintf(stream, "  %*s", width, cell);
}

int lab_sweep_size(const struct lab_result *run, const char *name)
{
    for (int i = 0; i < run->facts.size_count; i++)
        if (strcmp(run->facts.sizes[i].name, name) == 0)
            return (int)run->facts.sizes[i].value;
    return 0;
}
