/* The series can be read: a stage changes little of the one that it builds on, a kernel file is
 * short, and a fifth of its lines have a comment. What counts as changed is what `make diffNN`
 * prints, added and removed. */
#include "series/registry.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CHANGED = 200,      /* lines of one stage */
    MEDIAN_CHANGED = 80,     /* lines, of all stages */
    MOST_LINES = 300,        /* of a kernel file */
    MOST_FIRST_LINES = 200,  /* of one that is read whole: the first of its problem */
    LINES_FOR_A_COMMENT = 5, /* at most, on average */
    MOST_STAGES = 128,
    PATH_BYTES = 4096,
};

static void path_of(const struct lab_stage *stage, char path[PATH_BYTES])
{
    const char *root = getenv("LAB_TEST_ROOT");
    snprintf(path, PATH_BYTES, "%s/steps/%s/%s.cu", root ? root : ".",
             lab_registry_entry_of(stage)->directory, stage->file);
}

static bool solve_the_same(const struct lab_stage *one, const struct lab_stage *other)
{
    return strcmp(lab_registry_entry_of(one)->family, lab_registry_entry_of(other)->family) == 0;
}

/* The stage that this one changes; NULL for the first of its problem. */
static const struct lab_stage *changed_by(const struct lab_stage *stage)
{
    const struct lab_stage *parent = lab_registry_stage(stage->parent);
    return parent && solve_the_same(stage, parent) ? parent : NULL;
}

static int changed_lines(const struct lab_stage *stage, const struct lab_stage *parent)
{
    char before[PATH_BYTES], after[PATH_BYTES], command[3 * PATH_BYTES], line[1024];
    int changed = 0;
    path_of(parent, before);
    path_of(stage, after);
    snprintf(command, sizeof command, "diff -u '%s' '%s' | tail -n +3", before, after);
    FILE *diff = popen(command, "r");
    cr_assert(diff);
    while (fgets(line, sizeof line, diff))
        changed += line[0] == '+' || line[0] == '-';
    cr_assert_eq(pclose(diff), 0);
    cr_assert_gt(changed, 0, "%s is as %s", stage->number, parent->number);
    return changed;
}

static void expect_short_and_explained(const struct lab_stage *stage)
{
    char path[PATH_BYTES], line[1024];
    int lines = 0, comments = 0;
    path_of(stage, path);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    for (; fgets(line, sizeof line, file); lines++)
        comments += strstr(line, "//") != NULL;
    fclose(file);
    const int most = changed_by(stage) ? MOST_LINES : MOST_FIRST_LINES;
    cr_expect_leq(lines, most, "%s has %d lines, at most %d are read", path, lines, most);
    cr_expect_geq(comments * LINES_FOR_A_COMMENT, lines, "%s: %d of %d lines have a comment", path,
                  comments, lines);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

Test(series, can_be_read)
{
    int step_count, changed[MOST_STAGES], count = 0;
    const struct lab_registry_entry *steps = lab_registry(&step_count);
    for (int i = 0; i < step_count; i++) {
        int stage_count;
        const struct lab_stage *stages = lab_registry_stages(steps[i].target, &stage_count);
        for (int s = 0; s < stage_count; s++) {
            const struct lab_stage *parent = changed_by(&stages[s]);
            expect_short_and_explained(&stages[s]);
            if (!parent)
                continue;
            cr_assert_lt(count, MOST_STAGES);
            changed[count] = changed_lines(&stages[s], parent);
            cr_expect_leq(changed[count], MOST_CHANGED, "%s changes %d lines of %s",
                          stages[s].number, changed[count], parent->number);
            count++;
        }
    }
    cr_assert_geq(count, step_count);
    qsort(changed, (size_t)count, sizeof *changed, ascending);
    const int median = (changed[(count - 1) / 2] + changed[count / 2] + 1) / 2;
    cr_expect_leq(median, MEDIAN_CHANGED, "half of the stages change more than %d lines", median);
}
