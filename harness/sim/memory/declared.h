/**
 * @file declared.h
 * @brief How the source declares an array in shared memory, and how a line of it uses the array.
 */
#ifndef SIM_DECLARED_H
#define SIM_DECLARED_H

#include <stdbool.h>

enum { SIM_MOST_INDICES = 3, SIM_INDEX_BYTES = 48 };

/** Texts between brackets, as the source has them: extents or indices. */
struct sim_indices {
    int count;
    char text[SIM_MOST_INDICES][SIM_INDEX_BYTES];
};

/** Messages quote the source from now on, or not: it may be somebody else's. */
void sim_declared_allow(bool allowed);

/**
 * @brief Finds the extents of array `name` in the last `__shared__` declaration before `line`, and
 * its indices on that line.
 * @return false unless both are known and as many, and all uses on the line are alike
 */
bool sim_declared_find(const char *file, int line, const char *name, struct sim_indices *extents,
                       struct sim_indices *indices);

#endif
