/**
 * @file order.h
 * @brief Sorting numbers, and their median.
 */
#ifndef LAB_BASE_ORDER_H
#define LAB_BASE_ORDER_H

/** Sorts numbers, the least first. */
void lab_sort(double *values, int count);

/** The median of sorted numbers: the middle one, or the mean of the two in the middle. */
double lab_median(const double *sorted, int count);

/** The lesser of two numbers. */
static inline int lab_least(int a, int b)
{
    return a < b ? a : b;
}

#endif
