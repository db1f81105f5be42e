/* `--thorough`: every row on its family's awkward problems. */
#include "families/problem.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct run_lab result;

static int times(const char *text, const char *part)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        found++;
    return found;
}

Test(thorough, every_family_has_some_ten_problems)
{
    const struct lab_family_options *const *all = lab_families_options();
    cr_assert(*all);
    for (; *all; all++) {
        const struct lab_family *family = lab_family_find((*all)->name);
        int count = 0;
        cr_assert(family, "%s", (*all)->name);
        while (family->thorough && family->thorough[count])
            count++;
        const bool has_forms = strcmp((*all)->name, "gemm") == 0; /* step 12's */
        cr_expect(count >= 8 && count <= (has_forms ? 24 : 13), "%s: %d", (*all)->name, count);
    }
}

Test(thorough, right_rows_pass_all)
{
    run_lab(&result, "step04 --thorough");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(times(result.out, "\n  ok  "), 13, "%s", result.out);
    cr_expect(strstr(result.out, "13 of 13 problems solved by all variants\n11 more are for other"),
              "%s", result.out);
}

/* What is right at every even size is not at these. */
Test(thorough, a_wrong_row_fails_with_its_verdict)
{
    run_lab(&result, "step01 --source .built/tests/kernels/broken/grid_rounded_down.cu "
                     "--thorough");
    cr_expect_eq(result.status, 1, "%s", result.err);
    cr_expect(strstr(result.out, "failed  -m 66 -n 68 -k 7 --alpha 0.3 (1 of 1 variants)"), "%s",
              result.out);
    cr_expect(strstr(result.out, "grid_rounded_down: unwritten\n"), "%s", result.out);
    cr_expect(strstr(result.out, "problems solved by all variants"), "%s", result.out);
}

Test(thorough, a_fault_is_the_last_thing_that_is_tried)
{
    run_lab(&result, "step01 --source %s --thorough",
            run_lab_source("broken/no_edge_test_of_a.cu"));
    cr_expect_eq(result.status, 1, "%s", result.err);
    cr_expect(strstr(result.out, "the problems after it were not tried"), "%s", result.out);
    cr_expect(strstr(result.out, "0 of 1 problems solved"), "%s", result.out);
}

Test(thorough, rows_that_promise_the_same_bits_are_held_to_it)
{
    run_lab(&result, "step08 --source %s --thorough",
            run_lab_source("broken/summation_sums_of_many.cu"));
    cr_expect_eq(result.status, 1, "%s", result.err);
    cr_expect(strstr(result.out, "  failed  -m 33 -n 301 -k 17 --weights mixed --deterministic"),
              "%s", result.out);
}

Test(thorough, what_no_row_solves_is_left_out)
{
    run_lab(&result, "step11.6 --thorough"); /* of unsigned shorts alone */
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(!strstr(result.out, "--type s32"), "%s", result.out);
    cr_expect(strstr(result.out, "\n1 of 1 problems solved by all variants\n8 more are for other"),
              "%s", result.out);
}

Test(thorough, json_has_a_run_for_each_problem)
{
    run_lab(&result, "step03 --variant block_16x16 --thorough --json -");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect_eq(times(result.out, "\"problem\": {"), 13, "%s", result.out);
    cr_expect_eq(times(result.out, "\"status\": \"ok\""), 27, "of all, each run and its row: %s",
                 result.out);
}

Test(thorough, goes_with_what_makes_sense)
{
    static const char *const refused[][2] = {
        {"step01 --thorough -m 5", "--thorough brings its own problems"},
        {"step01 --thorough --alpha 2", "--thorough brings its own problems"},
        {"compare step01 step02 --thorough", "--thorough is for ./run TARGET"},
        {"step01 --thorough --profile", "--thorough only checks"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        run_lab(&result, "%s", refused[i][0]);
        cr_expect_eq(result.status, 2, "%s", refused[i][0]);
        cr_expect(strstr(result.err, refused[i][1]), "%s: %s", refused[i][0], result.err);
    }
}
