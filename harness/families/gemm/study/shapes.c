/* Shapes by their names, and the loads that follow from a shape. */
#include "families/gemm/study/shapes.h"

#include <stdio.h>
#include <string.h>

enum { WARP = 32, TOGETHER = 4 };

const struct gemm_shape gemm_study_blocks[] = {
    {.width = 8, .height = 8},   {.width = 16, .height = 8},  {.width = 16, .height = 16},
    {.width = 32, .height = 16}, {.width = 32, .height = 32}, {.width = 0}};

const int gemm_study_values[] = {1, 4, 16, 36, 64, 100, 144, 0};

bool gemm_shape_of(const char *row, struct gemm_shape *shape)
{
    char name[64];
    *shape = (struct gemm_shape){.inner = GEMM_SHAPE_INNER};
    if (sscanf(row, "b%dx%d_v%d_k%d", &shape->width, &shape->height, &shape->values,
               &shape->inner) < 3)
        return false;
    while (shape->side * shape->side < shape->values)
        shape->side++;
    gemm_shape_name(shape, name, sizeof name);
    return shape->side * shape->side == shape->values && strcmp(name, row) == 0;
}

void gemm_shape_name(const struct gemm_shape *shape, char *name, int size)
{
    const int length =
        snprintf(name, (size_t)size, "b%dx%d_v%d", shape->width, shape->height, shape->values);
    if (shape->inner != GEMM_SHAPE_INNER && length < size)
        snprintf(name + length, (size_t)(size - length), "_k%d", shape->inner);
}

static double whole(int length, int piece)
{
    return (length - 1) / piece + 1;
}

struct gemm_loads gemm_predict_loads(const struct gemm_shape *shape, int m, int n, int k)
{
    const int rows = shape->height * shape->side, columns = shape->width * shape->side;
    const double panels = whole(m, rows) * whole(n, columns) * whole(k, shape->inner);
    const double warps = (double)shape->width * shape->height / WARP;
    const double reads = shape->side + (double)shape->side / TOGETHER;
    return (struct gemm_loads){.global = panels * (rows + columns) * shape->inner / WARP,
                               .shared = panels * warps * shape->inner * reads};
}
