/* Every step at awkward sizes, with several alpha and beta, on the runtime under test. */
#include "families/problem.h"
#include "series/registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

static void run_all(const char *number)
{
    char target[16];
    snprintf(target, sizeof target, "step%s", number);
    const struct lab_registry_entry *entry = lab_registry_target(target);
    cr_assert(entry, "no step %s", number);
    const struct lab_family *family = lab_family_find(entry->family);
    cr_assert(family, "no family %s", entry->family);
    char options[256];
    int tried = 0;
    while (lab_family_test(family, tried, false, options, sizeof options)) {
        run_lab(&result, "step%s --check-only %s", number, options);
        cr_expect_eq(result.status, 0, "step%s %s: %s%s", number, options, result.out, result.err);
        tried++;
    }
    cr_expect_geq(tried, 10, "step%s was tried on %d problems", number, tried);
}

enum { MOST_STEPS = 100, NUMBER_BYTES = 4 };

/* Every step of the registry: a new one needs no line here. */
static struct criterion_test_params every_step(void)
{
    static char numbers[MOST_STEPS][NUMBER_BYTES];
    int count;
    const struct lab_registry_entry *series = lab_registry(&count);
    for (int i = 0; i < count && i < MOST_STEPS; i++)
        snprintf(numbers[i], NUMBER_BYTES, "%s", series[i].number);
    return cr_make_param_array(char[NUMBER_BYTES], numbers, (size_t)count);
}

ParameterizedTestParameters(steps, awkward_sizes)
{
    return every_step();
}

ParameterizedTest(char number[NUMBER_BYTES], steps, awkward_sizes, .timeout = 900)
{
    run_all(number);
}

/* Forms of the problem that not all steps solve: those that do not, say so; how many do. */
static int solved_forms(const char *number)
{
    const struct lab_registry_entry *entry = NULL;
    char target[16], options[256];
    int solved = 0;
    snprintf(target, sizeof target, "step%s", number);
    cr_assert(entry = lab_registry_target(target), "no step %s", number);
    const struct lab_family *family = lab_family_find(entry->family);
    for (int i = 0; lab_family_form_test(family, i, options, sizeof options); i++) {
        run_lab(&result, "step%s --check-only %s", number, options);
        solved += result.status == 0;
        if (result.status != 0 && !(result.status == 2 && strstr(result.err, "no row of step")))
            cr_expect_fail("step%s %s: %s%s", number, options, result.out, result.err);
    }
    return solved;
}

ParameterizedTestParameters(steps, forms)
{
    return every_step();
}

/* A step solves all of them, or the plain one alone. */
ParameterizedTest(char number[NUMBER_BYTES], steps, forms, .timeout = 900)
{
    char target[16], options[256];
    snprintf(target, sizeof target, "step%s", number);
    const struct lab_family *family = lab_family_find(lab_registry_target(target)->family);
    int forms = 0;
    while (lab_family_form_test(family, forms, options, sizeof options))
        forms++;
    const int solved = solved_forms(number);
    cr_expect(solved == 0 || solved == forms, "step%s solves %d of %d", number, solved, forms);
    cr_expect(strcmp(number, "12") != 0 || solved > 100, "step12 solves %d", solved);
}

ParameterizedTestParameters(steps, on_a_slice)
{
    return every_step();
}

/* Launch code asks the device how many SMs there are: three of them must do as 132 do. */
ParameterizedTest(char number[NUMBER_BYTES], steps, on_a_slice, .timeout = 900)
{
    const char *runtime = getenv("LAB_TEST_RUNTIME");
    if (runtime && strcmp(runtime, "sim") != 0)
        cr_skip_test("a GPU has all of its SMs");
    run_lab(&result, "step%s --thorough --sms 3", number);
    cr_expect_eq(result.status, 0, "step%s: %s%s", number, result.out, result.err);
}

Test(steps, the_registry_is_not_empty)
{
    int count;
    lab_registry(&count);
    cr_expect_geq(count, 7);
}
