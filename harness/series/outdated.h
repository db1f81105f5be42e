/**
 * @file outdated.h
 * @brief Whether what runs is what was written last.
 */
#ifndef LAB_SERIES_OUTDATED_H
#define LAB_SERIES_OUTDATED_H

#include <stdbool.h>

/** The first: more than there are, of all stages, exercises and solutions. */
enum { LAB_OUTDATED_MOST = 150, LAB_OUTDATED_BYTES = 64 };

/** Objects of the build folder that are older than what they are built of. */
struct lab_outdated {
    char objects[LAB_OUTDATED_MOST][LAB_OUTDATED_BYTES]; /**< "exercise/05.so" */
    int count;
    char source[256]; /**< what was changed, of the first: "exercises/05_register_4x16/kernel.cu" */
};

/** Adds what is outdated of a target, and of what it is compared with: a kernel file, or a header
 *  of common/, was changed after it was built. What is not built is not outdated. */
void lab_outdated_find(const char *target, struct lab_outdated *outdated);

#endif
