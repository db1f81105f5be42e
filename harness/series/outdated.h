/**
 * @file outdated.h
 * @brief Whether built objects are up to date with their sources.
 */
#ifndef LAB_SERIES_OUTDATED_H
#define LAB_SERIES_OUTDATED_H

#include <stdbool.h>

struct lab_stage;

/** How many outdated objects are kept: more than there are stages, exercises and solutions. */
enum { LAB_OUTDATED_MOST = 200, LAB_OUTDATED_BYTES = 64 };

/** What is wrong with an object. */
enum lab_outdated_why {
    LAB_OUTDATED_CHANGED,
    LAB_OUTDATED_UNBUILT,
    LAB_OUTDATED_GONE,
    LAB_OUTDATED_CUT, /**< empty or cut off, for example by a full disk */
};

/** Objects of the build folder that are not what their sources say. */
struct lab_outdated {
    char objects[LAB_OUTDATED_MOST][LAB_OUTDATED_BYTES]; /**< "exercise/05.so" */
    bool is_cut[LAB_OUTDATED_MOST]; /**< make takes a cut object for built, so it must be removed */
    int count;
    enum lab_outdated_why why; /**< what is wrong with the first */
    char source[256];          /**< source of the first: "exercises/05_register_4x16/kernel.cu" */
};

/** Adds outdated objects of a target, and of what it is compared with: the kernel file, or a header
 *  of common/, was changed after the build; the file is there and was never built; the source is
 *  gone; or the object is cut off. */
void lab_outdated_find(const char *target, struct lab_outdated *outdated);

/** The same for one kernel file alone, of a stage or of a study. */
void lab_outdated_find_kernels(const char *target, const struct lab_stage *stage,
                               struct lab_outdated *outdated);

#endif
