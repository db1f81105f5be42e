/**
 * @file outdated.h
 * @brief Whether what runs is what was written last.
 */
#ifndef LAB_SERIES_OUTDATED_H
#define LAB_SERIES_OUTDATED_H

#include <stdbool.h>

struct lab_stage;

/** The first: more than there are, of all stages, exercises and solutions. */
enum { LAB_OUTDATED_MOST = 150, LAB_OUTDATED_BYTES = 64 };

/** Objects of the build folder that are older than what they are built of. */
struct lab_outdated {
    char objects[LAB_OUTDATED_MOST][LAB_OUTDATED_BYTES]; /**< "exercise/05.so" */
    int count;
    bool is_missing;  /**< the first was never built */
    char source[256]; /**< what was changed, of the first: "exercises/05_register_4x16/kernel.cu" */
};

/** Adds what is outdated of a target, and of what it is compared with: a kernel file, or a header
 *  of common/, was changed after it was built. What is not built is not outdated. */
void lab_outdated_find(const char *target, struct lab_outdated *outdated);

/** The same of the kernels of a study, which are outdated where they are not built, too. */
void lab_outdated_find_study(const char *target, const struct lab_stage *study,
                             struct lab_outdated *outdated);

#endif
