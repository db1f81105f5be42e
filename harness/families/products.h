/**
 * @file products.h
 * @brief Which elements a wrong kernel multiplies, asked of the kernel itself: it is launched again
 * with inputs that show it.
 */
#ifndef LAB_PRODUCTS_H
#define LAB_PRODUCTS_H

#include "diagnose/operands.h"
#include "families/problem.h"

/**
 * @brief Says which elements a wrong variant multiplies, and how they lie relative to the right
 * ones, in place of the advice.
 *
 * There are two times k launches. In each, one column of A, or one row of B, is 1 and the rest of
 * that operand is 0, and the other operand's elements are numbers that tell their places. If that
 * would take long, the message asks for a small problem. The problem's factors are 1 and 0
 * meanwhile. The inputs are as before when it returns.
 * @param launched  of the variant's launch
 * @param check     of a wrong variant, with its first wrong element; its outputs are lost
 */
cudaError_t lab_products_ask(struct lab_problem *problem, const struct lab_products *products,
                             const struct lab_launched *launched, struct lab_check *check);

#endif
