/**
 * @file products.h
 * @brief Which elements a wrong kernel multiplies, asked of the kernel itself: it is launched again
 * with inputs that show it.
 */
#ifndef LAB_PRODUCTS_H
#define LAB_PRODUCTS_H

#include "families/meeting.h"

/**
 * @brief Says in the place of a wrong row's advice which elements it multiplies, and how they lie
 * to those that belong there.
 *
 * There are as many launches as two times k: in each one column of A, or one row of B, is 1 and the
 * rest of it 0, and the other operand's elements are numbers that tell where they come from.
 * Nothing is said where that would take long, or shows nothing. The problem's factors are 1 and 0
 * meanwhile; the inputs are as before when it returns.
 * @param launched  of the row's launch
 * @param check     of a row that is wrong, with the first wrong element; its outputs are lost
 */
cudaError_t lab_products_ask(struct lab_problem *problem, const struct lab_products *products,
                             const struct lab_launched *launched, struct lab_check *check);

#endif
