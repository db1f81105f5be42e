/* Looking things up in the runs of a study. */
#include "report/sweep.h"

#include <string.h>

const struct lab_row *lab_sweep_row(const struct lab_result *run, const char *name)
{
    for (int i = 0; i < run->row_count; i++)
        if (strcmp(run->rows[i].name, name) == 0 && run->rows[i].check.status == LAB_CHECK_OK)
            return &run->rows[i];
    return NULL;
}

int lab_sweep_size(const struct lab_result *run, const char *name)
{
    for (int i = 0; i < run->facts.size_count; i++)
        if (strcmp(run->facts.sizes[i].name, name) == 0)
            return (int)run->facts.sizes[i].value;
    return 0;
}
