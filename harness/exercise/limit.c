/* A missed speed has a cause, which the model names in one word. */
#include "exercise/results.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *unit, *words;
} limits[] = {
    {"issue", "issue slots: fewer instructions for the same work"},
    {"FMA", "the lanes for multiply-adds, as it should be: only fewer operations help"},
    {"FP64", "the lanes for doubles, as it should be: only fewer operations help"},
    {"MUFU", "the unit for exp, square roots and divisions: fewer of them"},
    {"integer", "integer arithmetic: fewer computations of indices"},
    {"LSU", "LSU, the unit for loads and stores: fewer wavefronts of shared and global memory"},
    {"L2", "L2: fewer sectors from there, by more reuse in shared memory or registers"},
    {"DRAM", "DRAM: fewer bytes, each read once"},
    {"atomics", "atomic operations on one word: fewer of them, or on more words"},
    {"latency", "latency, the time that warps wait: more warps, or more loads on their way"},
};

const char *lab_limit_words(const char *unit)
{
    for (size_t i = 0; unit && i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].unit, unit) == 0)
            return limits[i].words;
    return "";
}
