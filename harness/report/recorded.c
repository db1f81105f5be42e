/* `make results` writes the table from what was recorded, so no JSON is read to show it. */
#include "report/recorded.h"

#include <string.h>

static const struct lab_recorded rows[] = {
#define LAB_RECORDED(target, row, type, sizes, gpu, speed) {target, row, type, sizes, gpu, speed},
#include "report/recorded.def"
#undef LAB_RECORDED
};

const struct lab_recorded *lab_recorded_find(const struct lab_result *result,
                                             const struct lab_row *row)
{
    const char *const type = result->facts.type ? result->facts.type : result->family->type;
    const char *const dot = strchr(row->name, '.');
    for (size_t i = 0; i < sizeof rows / sizeof *rows && row->step && !result->facts.form; i++)
        if (strcmp(rows[i].target, row->target) == 0 && strcmp(rows[i].type, type) == 0 &&
            strcmp(rows[i].row, dot ? dot + 1 : row->name) == 0)
            return &rows[i];
    return NULL;
}
