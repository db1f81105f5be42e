/**
 * @file test_sizes.h
 * @brief Awkward sizes that several families are tried on.
 */
#ifndef LAB_TEST_SIZES_H
#define LAB_TEST_SIZES_H

/** Of problems of three sizes, up to a NULL: 1, primes, one less and more than the tiles in use,
 * thin and tall; and those that only a GPU solves in reasonable time. */
extern const char *const lab_test_products[];
extern const char *const lab_gpu_test_products[];

#endif
