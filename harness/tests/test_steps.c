/* Every step at awkward sizes, with several alpha and beta, on the runtime under test: one process
 * takes a step's whole list of problems. `make test` takes those of --thorough, of the families
 * that no other test is of, and one size of each form; `make test-all` every problem of each
 * family, and those of --thorough on a slice of the GPU. */
#include "families/family.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

enum { MOST_STEPS = 100, NUMBER_BYTES = 4 };

static const struct lab_family *family_of(const char *number)
{
    char target[16];
    snprintf(target, sizeof target, "step%s", number);
    const struct lab_registry_entry *entry = lab_registry_target(target);
    cr_assert(entry && lab_family_find(entry->family), "step%s", number);
    return lab_family_find(entry->family);
}

/* Every step of the registry: a new one needs no line here. */
static struct criterion_test_params every_step(void)
{
    static char numbers[MOST_STEPS][NUMBER_BYTES];
    int count;
    size_t wanted = 0;
    const struct lab_registry_entry *series = lab_registry(&count);
    for (int i = 0; i < count && wanted < MOST_STEPS; i++)
        if (run_lab_wants(series[i].family))
            snprintf(numbers[wanted++], NUMBER_BYTES, "%s", series[i].number);
    return cr_make_param_array(char[NUMBER_BYTES], numbers, wanted);
}

/* Forms of the problem that only some steps solve. */
static int form_count(const struct lab_family *family)
{
    char text[256];
    int count = 0;
    while (lab_family_form_test(family, count, text, sizeof text))
        count++;
    return count;
}

/* Of large tiles: what --thorough has, without the tall and thin problems. */
Test(steps, awkward_problems_of_large_tiles)
{
    static const char *const steps[] = {"09", "15"}, *const families[] = {"trmm", "gemm"};
    int solved = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !run_lab_tries_all(); i++) {
        const struct lab_family *family = family_of(steps[i]);
        for (const char *const *problem = family->thorough; *problem; problem++) {
            if (!run_lab_wants(families[i]) || strstr(*problem, "65601") ||
                strstr(*problem, "1100") || strstr(*problem, "--lda") || strstr(*problem, "f64") ||
                strstr(*problem, "--trans"))
                continue;
            run_lab(&result, "step%s --check-only %s", steps[i], *problem);
            cr_expect_eq(result.status, 0, "step%s %s: %s", steps[i], *problem, result.out);
            solved++;
        }
    }
    cr_expect(solved >= 12 || run_lab_tries_all() || getenv("LAB_TEST_ONLY"), "%d", solved);
}

ParameterizedTestParameters(steps, awkward_problems)
{
    return every_step();
}

ParameterizedTest(char number[NUMBER_BYTES], steps, awkward_problems)
{
    /* Tests of their own solve other awkward problems of these. */
    static const char *const tested[] = {"kernel_summation", "apsp", "md"};
    int solved = 0, of = 0, others = 0;
    for (size_t i = 0; i < sizeof tested / sizeof *tested; i++)
        if (lab_family_find(tested[i]) == family_of(number))
            run_lab_leave_to_test_all();
    /* Tall and thin ones take these, of large tiles, ten seconds and more. */
    if (strcmp(number, "09") == 0 || strcmp(number, "15") == 0)
        run_lab_leave_to_test_all();
    run_lab(&result, "step%s --thorough%s", number, run_lab_tries_all() ? "=all" : "");
    cr_expect_eq(result.status, 0, "step%s: %s%s", number, result.out, result.err);
    const char *last = strstr(result.out, " problems solved by all variants");
    while (last && last > result.out && last[-1] != '\n')
        last--;
    cr_assert(last && sscanf(last, "%d of %d problems solved by all variants\n%d more are", &solved,
                             &of, &others) >= 2,
              "step%s: %s", number, result.out);
    cr_expect(solved >= 8 && solved == of, "step%s: %d of %d", number, solved, of);
    /* A step solves all forms of its problem, or the plain one alone. */
    const int forms = form_count(family_of(number));
    cr_expect(others == 0 || others == forms || !run_lab_tries_all(),
              "step%s leaves out %d of %d forms", number, others, forms);
    cr_expect(!run_lab_tries_all() || strcmp(number, "12") != 0 || (forms && !others),
              "step12 solves %d of %d forms", forms - others, forms);
}

/* One size of each form; a step that does not solve it says so. */
Test(steps, forms)
{
    const struct lab_family *gemm = lab_family_find("gemm");
    char text[256];
    int forms = form_count(gemm), sizes = 0, tried = 0;
    while (gemm->test_form_sizes[sizes])
        sizes++;
    for (int i = 0; i < forms && run_lab_wants("gemm"); i += sizes + 1, tried++) {
        lab_family_form_test(gemm, i, text, sizeof text);
        run_lab(&result, "step12 --check-only %s", text);
        cr_expect_eq(result.status, 0, "step12 %s: %s%s", text, result.out, result.err);
    }
    cr_expect(tried >= 8 || !run_lab_wants("gemm"), "%d forms", tried);
    run_lab_expect_error(2, "no variant of step01 does what these options ask for",
                         "step01 --check-only -m 3 --trans nt");
    run_lab_expect_error(2, "; tt_by_index takes --trans tt", "step12.3 --check-only -m 3");
    run_lab_expect_error(2, "; doubles_async takes --trans nn --type f64",
                         "step12.8 --check-only -m 3 --trans tt");
}

/* Each array has the row that was given for it, down to a row of one. */
Test(steps, leading_dimensions)
{
    run_lab(&result, "step12 --check-only --variant any -m 3 -n 5 -k 2 --lda 7 --ldb 9 --ldc 11");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "  lda=7  ldb=9  ldc=11  "), "%s", result.out);
    run_lab(&result, "step12 --check-only --variant any -m 1 -n 1 -k 1 --lda 1 --ldb 1 --ldc 1");
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
}

/* On one SM a second wave begins at three tiles of floats, so that few rows and columns are peeled.
 */
Test(steps, what_is_past_the_last_tile_is_peeled_off)
{
    static const char *const forms[] = {"nn", "nt", "tn", "tt"};
    static const char *const sizes[] = {"-m 257 -n 259 -k 70 --ldc 261",
                                        "-m 264 -n 130 -k 9 --beta 0.75",
                                        "-m 129 -n 256 -k 33 --alpha -2", "-m 136 -n 136 -k 1"};
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (runtime && strcmp(runtime, "sim") != 0)
        cr_skip_test("a GPU has too many SMs for small sizes");
    for (int i = 0; i < 16 && run_lab_wants("gemm"); i++) {
        const char *const form = forms[i % 4], *const size = sizes[i / 4];
        static const char *const rows[] = {"--type f64 --variant doubles_async",
                                           "--variant any_async",
                                           "--type f64 --variant doubles_tensor"};
        if (i % 4 != i / 4 && !run_lab_tries_all())
            continue;
        run_lab(&result, "step12 --sms 1 --trans %s %s --check-only --json - %s", form, size,
                rows[i % 3]);
        cr_expect_eq(result.status, 0, "%s %s: %s%s", form, size, result.out, result.err);
        cr_expect(strstr(result.out, "\"launches\": 2"), "%s %s: peeled: %s", form, size,
                  result.out);
    }
}

ParameterizedTestParameters(steps, on_a_slice)
{
    return every_step();
}

/* Launch code asks the device how many SMs there are: three of them must do as 132 do. */
ParameterizedTest(char number[NUMBER_BYTES], steps, on_a_slice)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (!run_lab_tries_all() || (runtime && strcmp(runtime, "sim") != 0))
        cr_skip_test("of make test-all, on the simulator");
    run_lab(&result, "step%s --thorough --sms 3", number);
    cr_expect_eq(result.status, 0, "step%s: %s%s", number, result.out, result.err);
}

Test(steps, the_registry_is_not_empty)
{
    int count;
    lab_registry(&count);
    cr_expect_geq(count, 7);
}
