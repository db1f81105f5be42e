/* Opening problems and checking made outputs, through the same functions as a run. */
#include "tests/made_kernel.h"

#include "launches.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>

struct lab_options made_kernel_options(void)
{
    static char program[] = "run", target[] = "step01";
    char *words[] = {program, target, NULL};
    struct lab_options options;
    cr_assert_eq(lab_options_parse(2, words, &options), LAB_EXIT_OK);
    return options;
}

void made_kernel_open(struct made_kernel *made, const char *family,
                      const struct lab_options *options)
{
    *made = (struct made_kernel){.family = lab_family_find(family), .options = *options};
    cr_assert(made->family, "no family %s", family);
    cr_assert_eq(lab_launches_bind(dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD)), 0);
    cr_assert_eq(cudaStreamCreate(&made->stream), cudaSuccess);
    cr_assert_eq(made->family->open(&made->options, 32, made->stream, &made->problem), LAB_EXIT_OK);
    if (made->family->make_reference)
        cr_assert_eq(made->family->make_reference(made->problem), LAB_EXIT_OK);
}

void made_kernel_close(struct made_kernel *made)
{
    made->family->close(made->problem);
    cudaStreamDestroy(made->stream);
}

void made_kernel_row(struct made_kernel *made, lab_launch *launch, lab_workspace *workspace)
{
    made->row = (struct lab_step_row){.name = "made", .launch = launch, .workspace = workspace};
    made->step =
        (struct lab_step){LAB_ABI, made->family->name, made->family->problem_bytes, 1, &made->row};
}

struct lab_check made_kernel_check(struct made_kernel *made)
{
    struct lab_check check = {.status = LAB_CHECK_OK};
    cr_assert_eq(made->family->prepare_row(made->problem, &made->step, 0), cudaSuccess);
    cr_assert_eq(made->family->reset(made->problem), cudaSuccess);
    cr_assert_eq(made->family->launch(made->problem, &made->step, 0), cudaSuccess);
    cr_assert_eq(cudaStreamSynchronize(made->stream), cudaSuccess);
    cr_assert_eq(made->family->check_all(made->problem, &check), cudaSuccess);
    return check;
}

struct lab_check made_kernel_check_with(struct made_kernel *made, lab_launch *launch)
{
    made_kernel_row(made, launch, NULL);
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
