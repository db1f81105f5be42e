/**
 * @file numbers.h
 * @brief Numbers: sorted, their median, and as tables show them.
 */
#ifndef LAB_BASE_NUMBERS_H
#define LAB_BASE_NUMBERS_H

/* --- order -------------------------------------------------------------------------------------*/

/** Sorts numbers, the least first. */
void lab_sort(double *values, int count);

/** The median of sorted numbers: the middle one, or the mean of the two in the middle. */
double lab_median(const double *sorted, int count);

/** The lesser of two numbers. */
static inline int lab_least(int a, int b)
{
    return a < b ? a : b;
}

/* --- figures -----------------------------------------------------------------------------------*/

enum { LAB_FIGURE_BYTES = 32 };

/** 1234567 as "1,234,567". Whole numbers are exact; others get the places that tell them apart. */
void lab_figure_write(char text[LAB_FIGURE_BYTES], double value);

#endif
