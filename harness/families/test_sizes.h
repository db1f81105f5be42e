/**
 * @file test_sizes.h
 * @brief Awkward sizes that several families are tried on.
 */
#ifndef LAB_TEST_SIZES_H
#define LAB_TEST_SIZES_H

/** For problems of three sizes, up to a NULL: 1, primes, one less and one more than the tiles in
 * use, thin and tall; and sizes that only a GPU solves in reasonable time. */
extern const char *const lab_test_products[];
extern const char *const lab_gpu_test_products[];

/** The same for problems of n elements in a row: around a warp, a block, four elements at a time,
 * and a grid that is not filled. The last list is for --thorough. */
extern const char *const lab_test_lengths[];
extern const char *const lab_gpu_test_lengths[];
extern const char *const lab_thorough_lengths[];

#endif
