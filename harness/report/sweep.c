/* The runs of a study, freed. */
#include "report/json.h"

#include <stdlib.h>

void lab_sweep_release(struct lab_sweep *sweep)
{
    for (int i = 0; i < sweep->count; i++) {
        lab_result_release(sweep->runs[i]);
        free(sweep->runs[i]);
        free(sweep->more[i]);
    }
    sweep->count = 0;
}
