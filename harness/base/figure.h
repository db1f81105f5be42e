/**
 * @file figure.h
 * @brief Figures as tables show them.
 */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

enum { LAB_FIGURE_BYTES = 32 };

/** 1234567 as "1,234,567". Whole numbers are exact; others get the places that tell them apart. */
void lab_figure_write(char text[LAB_FIGURE_BYTES], double value);

#endif
