/* Warnings are said once for a kernel and a pair of lines, whoever finds them how often. */
#include "sim/check/tags.h"
#include "sim/memory/warning.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 100 };

/* A kernel with one instruction on each line; number i + 1 of the allocation cache is on line i. */
static struct ptx_instruction sources[LINES + 1];
static struct instruction code[LINES + 1];
static struct ptx_function ptx = {.instructions = sources, .instruction_count = LINES + 1};
static struct function function = {.ptx = &ptx, .code = code, .code_count = LINES};
static struct function *functions[] = {&function};
static const struct ptx_instruction *places[LINES + 1];
static struct program program = {
    .functions = functions, .function_count = 1, .sources = places, .cache_count = LINES + 1};
static struct sim_kernel kernel = {.title = "gemm(int)", .program = &program};
static struct sim_launch request = {.kernel = &kernel};
static struct launch launch = {.request = &request, .program = &program};
static struct sim_checks checks[2];
static struct worker workers[2];

static bool warn(int worker, int line, int earlier)
{
    const struct warp warp = {.worker = &workers[worker], .function = &function};
    const bool is_new = sim_warning_is_new(&warp, &code[line], earlier ? code[earlier].cache : 0);
    if (is_new)
        sim_warn(&warp, &code[line], SIM_RACE, "the same value as at line %d", earlier);
    return is_new;
}

static void set_up(void)
{
    for (int i = 0; i < LINES; i++) {
        sources[i] = (struct ptx_instruction){.file = "kernel.cu", .line = i};
        places[i + 1] = &sources[i];
        code[i] = (struct instruction){.source = (uint32_t)i, .cache = (uint32_t)i + 1};
    }
    for (int i = 0; i < 2; i++)
        workers[i] = (struct worker){.launch = &launch, .checks = &checks[i]};
    cr_redirect_stderr();
}

Test(sim_warning, is_said_once, .init = set_up)
{
    cr_expect(warn(0, 12, 10));
    cr_expect_not(warn(0, 12, 10), "the same worker");
    cr_expect_not(warn(1, 12, 10), "another one");
    cr_expect_not(warn(0, 12, 10));
    sources[13].line = 12;
    cr_expect_not(warn(0, 13, 10), "another instruction of the line");
    fflush(stderr);
    cr_expect_stderr_eq_str(
        "warning: kernel gemm(int) at kernel.cu:12: the same value as at line 10\n");
}

Test(sim_warning, differ_by_line_and_kernel, .init = set_up)
{
    cr_expect(warn(0, 12, 10));
    cr_expect(warn(0, 12, 11));
    cr_expect(warn(0, 14, 10));
    cr_expect(warn(0, 14, 0));
    cr_expect_not(warn(0, 12, 10));
    kernel.title = "other(int)";
    cr_expect(warn(1, 12, 10));
}

Test(sim_warning, do_not_flood, .init = set_up)
{
    int count = 0;
    for (int i = 1; i < LINES; i++)
        count += warn(0, i, 1);
    cr_expect_eq(count, 64);
}
