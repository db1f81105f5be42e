/* Every step at awkward sizes, with several alpha and beta, on the runtime under test. */
#include "registry.h"
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

static struct run_lab result;

/* 1, primes, tile - 1 and tile + 1 of the tiles in use, thin and tall. */
static const char *const sizes[] = {"-m 1",
                                    "-m 2",
                                    "-m 7",
                                    "-m 17",
                                    "-m 31",
                                    "-m 33",
                                    "-m 63",
                                    "-m 65",
                                    "-m 127",
                                    "-m 128",
                                    "-m 129",
                                    "-m 257",
                                    "-m 1 -n 4096 -k 3",
                                    "-m 4096 -n 1 -k 64",
                                    "-m 3 -n 5 -k 4099",
                                    "-m 130 -n 260 -k 1",
                                    "-m 256 -n 128 -k 36",
                                    "-m 132 -n 124 -k 20"};

static const char *const scalars[] = {"", "--alpha -1.5 --beta 0.75", "--alpha 0 --beta 1",
                                      "--alpha 0.25 --beta 1"};

static const char *const summations[] = {"", "--weights mixed --deterministic", "--bandwidth 0.3",
                                         "--offset 100 --bandwidth 20"};

/* n x n triangles and n x m B, in FP64: 1, primes, tile - 1 and + 1, wide, tall. */
static const char *const triangles[] = {
    "-n 1",        "-n 2",         "-n 7",        "-n 31",        "-n 33",         "-n 63",
    "-n 65",       "-n 127",       "-n 128",      "-n 129",       "-n 8 -m 64",    "-n 1 -m 4099",
    "-n 521 -m 1", "-n 3 -m 1031", "-n 257 -m 5", "-n 130 -m 66", "-n 200 -m 127", "-n 34 -m 129"};

/* n x n C of long and short sums. */
static const char *const sums[] = {"-n 1",
                                   "-n 2",
                                   "-n 7",
                                   "-n 15",
                                   "-n 17 -p 17 -q 33",
                                   "-n 31",
                                   "-n 33",
                                   "-n 63 -p 3",
                                   "-n 64 -p 2",
                                   "-n 65 -p 3 -q 5",
                                   "-n 127 -p 3",
                                   "-n 129 -p 1",
                                   "-n 1 -p 4099",
                                   "-n 1 -q 4099",
                                   "-n 257 -p 1 -q 1",
                                   "-n 2 -p 8190",
                                   "-n 5 -p 3 -q 7",
                                   "-n 130 -p 2 -q 17"};

enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, SCALAR_COUNT = sizeof scalars / sizeof *scalars };
_Static_assert(sizeof summations == sizeof scalars, "as many of each family");

static void run_sizes(const char *number, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        run_lab(&result, "step%s --check-only %s", number, list[i]);
        cr_expect_eq(result.status, 0, "step%s %s: %s%s", number, list[i], result.out, result.err);
    }
}

static void run_all(const char *number)
{
    const struct lab_registry_entry *step = lab_registry_find(number);
    cr_assert(step, "no step %s", number);
    if (strcmp(step->family, "trmm") == 0) {
        run_sizes(number, triangles, sizeof triangles / sizeof *triangles);
        return;
    }
    if (strcmp(step->family, "syr2k") == 0) {
        run_sizes(number, sums, sizeof sums / sizeof *sums);
        return;
    }
    if (strcmp(step->family, "apsp") == 0)
        return; /* one size: test_apsp.c */
    const char *const *options = strcmp(step->family, "gemm") == 0 ? scalars : summations;
    for (int i = 0; i < SIZE_COUNT; i++)
        for (int j = 0; j < SCALAR_COUNT; j++) {
            /* every size once with the plain problem, and once with one of the others */
            if (j != 0 && j != 1 + i % (SCALAR_COUNT - 1))
                continue;
            run_lab(&result, "step%s --check-only %s %s", number, sizes[i], options[j]);
            cr_expect_eq(result.status, 0, "step%s %s %s: %s%s", number, sizes[i], options[j],
                         result.out, result.err);
        }
}

enum { MOST_STEPS = 100, NUMBER_BYTES = 4 };

/* Every step of the registry: a new one needs no line here. */
ParameterizedTestParameters(steps, awkward_sizes)
{
    static char numbers[MOST_STEPS][NUMBER_BYTES];
    int count;
    const struct lab_registry_entry *series = lab_registry(&count);
    for (int i = 0; i < count && i < MOST_STEPS; i++)
        snprintf(numbers[i], NUMBER_BYTES, "%s", series[i].number);
    return cr_make_param_array(char[NUMBER_BYTES], numbers, (size_t)count);
}

ParameterizedTest(char number[NUMBER_BYTES], steps, awkward_sizes, .timeout = 300)
{
    run_all(number);
}

Test(steps, the_registry_is_not_empty)
{
    int count;
    lab_registry(&count);
    cr_expect_geq(count, 7);
}
