/* Opening problems and checking made outputs, through the same functions as a run. */
#include "tests/made_kernel.h"

#include "measure/launches/launches.h"
#include "series/registry.h"
#include "base/status.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 24 };

/* A target that solves problems of the family. */
static char *target_of(const char *family, char target[32])
{
    int count;
    const struct lab_registry_entry *entries = lab_registry(&count);
    target[0] = '\0';
    for (int i = count - 1; i >= 0; i--)
        if (strcmp(entries[i].family, family) == 0)
            snprintf(target, 32, "step%s", entries[i].number);
    entries = lab_registry_exercises(&count);
    for (int i = 0; !target[0] && i < count; i++)
        if (strcmp(entries[i].family, family) == 0)
            snprintf(target, 32, "solution%s", entries[i].number);
    return target;
}

int made_kernel_try(struct made_kernel *made, const char *family, const char *text)
{
    char target[32], *words[MOST_WORDS] = {"run", target_of(family, target)};
    int count = 2;
    *made = (struct made_kernel){.family = lab_family_find(family)};
    snprintf(made->words, sizeof made->words, "%s", text);
    for (char *word = strtok(made->words, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    cr_assert(made->family, "no family %s", family);
    cr_assert_eq(lab_options_parse(count, words, &made->options), LAB_EXIT_OK);
    cr_assert_eq(lab_launches_bind(), 0);
    cr_assert_eq(cudaStreamCreate(&made->stream), cudaSuccess);
    int status = lab_problem_open(made->family, &made->options, 32, made->stream, &made->problem);
    return status == LAB_EXIT_OK ? lab_problem_make_reference(made->problem) : status;
}

void made_kernel_open(struct made_kernel *made, const char *family, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cr_assert_eq(made_kernel_try(made, family, text), LAB_EXIT_OK, "%s %s", family, text);
}

void made_kernel_close(struct made_kernel *made)
{
    lab_problem_close(made->problem);
    cudaStreamDestroy(made->stream);
}

void made_kernel_variant(struct made_kernel *made, lab_launch *launch, lab_workspace *workspace)
{
    made->variant = (struct lab_variant){.name = "made", .launch = launch, .workspace = workspace};
    made->step = (struct lab_step){LAB_ABI, made->family->options->name,
                                   made->family->problem_bytes, 1, &made->variant};
}

struct lab_check made_kernel_check(struct made_kernel *made)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    cr_assert_eq(lab_problem_prepare(made->problem, &made->step, 0), cudaSuccess);
    cr_assert_eq(lab_problem_reset(made->problem), cudaSuccess);
    cr_assert_eq(lab_problem_launch(made->problem), cudaSuccess);
    cr_assert_eq(cudaStreamSynchronize(made->stream), cudaSuccess);
    cr_assert_eq(lab_problem_check_all(made->problem, &check), cudaSuccess);
    return check;
}

struct lab_check made_kernel_check_with(struct made_kernel *made, lab_launch *launch)
{
    made_kernel_variant(made, launch, NULL);
    return made_kernel_check(made);
}

static void *copy(const void *device, size_t bytes)
{
    void *values = malloc(bytes);
    cr_assert(values && cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
}

float *made_kernel_floats(const void *device, size_t count)
{
    return copy(device, count * sizeof(float));
}

double *made_kernel_doubles(const void *device, size_t count)
{
    return copy(device, count * sizeof(double));
}
