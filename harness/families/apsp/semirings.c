/* The semirings of family apsp. To add one, add a line here, and a number, a name and a struct in
 * common/semirings.h. */
#include "families/apsp/apsp.h"

#include <math.h>

static double lesser(double x, double y)
{
    return y < x ? y : x;
}

static double greater(double x, double y)
{
    return y > x ? y : x;
}

static double sum(double x, double y)
{
    return x + y;
}

static double same(double x)
{
    return x;
}

static double none(double x)
{
    (void)x;
    return 0.0;
}

/* 0 becomes 0, not -0. */
static double negated(double x)
{
    return 0.0 - x;
}

/* For truth values any path has length 0. A value other than 0 and 1 is less than any length. */
static double length_of_truth(double x)
{
    return x == 0.0 ? (double)INFINITY : x == 1.0 ? 0.0 : -x;
}

static double truth_of_length(double x)
{
    return isinf(x) ? 0.0 : x == 0.0 ? 1.0 : -x;
}

enum { F32 = 1 << LAB_APSP_F32, S32 = 1 << LAB_APSP_S32, U16 = 1 << LAB_APSP_U16 };

const struct apsp_semiring apsp_semirings[LAB_APSP_SEMIRINGS] = {
    [LAB_APSP_MIN_PLUS] = {.name = "min-plus",
                           .types = F32 | S32 | U16,
                           .type = LAB_APSP_F32,
                           .operation = "+",
                           .zero = (double)INFINITY,
                           .one = 0.0,
                           .add = lesser,
                           .multiply = sum,
                           .is_of_paths = true,
                           .of_weight = same,
                           .to_length = same,
                           .of_length = same},
    [LAB_APSP_MAX_PLUS] = {.name = "max-plus",
                           .types = F32,
                           .type = LAB_APSP_F32,
                           .takes = "f32",
                           .shown = "max-plus f32",
                           .operation = "+",
                           .zero = -(double)INFINITY,
                           .one = 0.0,
                           .add = greater,
                           .multiply = sum,
                           .is_of_paths = true,
                           .of_weight = negated,
                           .to_length = negated,
                           .of_length = negated},
    [LAB_APSP_OR_AND] = {.name = "or-and",
                         .types = U16,
                         .type = LAB_APSP_U16,
                         .takes = "u16: 0 and 1",
                         .shown = "or-and u16",
                         .operation = "and",
                         .zero = 0.0,
                         .one = 1.0,
                         .add = greater,
                         .multiply = lesser,
                         .is_of_paths = true,
                         .of_weight = none,
                         .to_length = length_of_truth,
                         .of_length = truth_of_length},
};
