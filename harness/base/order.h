/**
 * @file order.h
 * @brief Numbers in their order.
 */
#ifndef LAB_BASE_ORDER_H
#define LAB_BASE_ORDER_H

/** Sorts them, the least first. */
void lab_sort(double *values, int count);

/** The middle one of numbers that are sorted, or the mean of the two in the middle. */
double lab_median(const double *sorted, int count);

/** The lesser of two. */
static inline int lab_least(int a, int b)
{
    return a < b ? a : b;
}

#endif
