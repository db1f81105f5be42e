/* The series can be read: a stage changes something in the one that it builds on, and a fifth of
 * the lines of a kernel file, and of what it includes of earlier steps, have a comment. */
#include "series/registry.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_FOR_A_COMMENT = 5, /* at most, on average */
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
    return changed;
}

/* Counts the lines of a file, and those with a comment, and of what it includes of what earlier
 * steps have taught: the explanations moved there with the code. */
static void count_comments(const char *path, int *lines, int *comments)
{
    char line[1024], taught[64], header[PATH_BYTES];
    const char *root = getenv("LAB_TEST_ROOT");
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    for (; fgets(line, sizeof line, file); ++*lines) {
        *comments += strstr(line, "//") || strstr(line, "/*") || strncmp(line, " *", 2) == 0;
        if (sscanf(line, "#include \"%63[^\"]\"", taught) == 1 &&
            strncmp(taught, "families/", 9) != 0) {
            snprintf(header, sizeof header, "%s/common/%s", root ? root : ".", taught);
            count_comments(header, lines, comments);
        }
    }
    fclose(file);
}

static void expect_explained(const struct lab_stage *stage)
{
    char path[PATH_BYTES];
    int lines = 0, comments = 0;
    path_of(stage, path);
    count_comments(path, &lines, &comments);
    cr_expect_geq(comments * LINES_FOR_A_COMMENT, lines, "%s: %d of %d lines have a comment", path,
                  comments, lines);
}

Test(series, can_be_read)
{
    int step_count, stage_count, compared = 0;
    const struct lab_registry_entry *steps = lab_registry(&step_count);
    for (int i = 0; i < step_count; i++) {
        const struct lab_stage *stages = lab_registry_stages(steps[i].target, &stage_count);
        for (int s = 0; s < stage_count; s++) {
            const struct lab_stage *parent = changed_by(&stages[s]);
            expect_explained(&stages[s]);
            if (parent)
                cr_expect_gt(changed_lines(&stages[s], parent), 0, "%s is as %s", stages[s].number,
                             parent->number);
            compared += parent != NULL;
        }
    }
    cr_expect_geq(compared, step_count);
}
