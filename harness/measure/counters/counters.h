/**
 * @file counters.h
 * @brief Counters of a row as plain data: Nsight Compute's names and values, from a GPU or from the
 * simulator, and the catalogue with the meaning and the older name of each.
 */
#ifndef LAB_COUNTERS_H
#define LAB_COUNTERS_H

#include <stdbool.h>

enum { LAB_MAX_COUNTERS = 128, LAB_COUNTER_NAME_BYTES = 88 };

/** One counter. */
struct lab_counter {
    char name[LAB_COUNTER_NAME_BYTES]; /**< as Nsight Compute names it */
    double value;
};

/** Counters of one row; count 0: none were taken. */
struct lab_counters {
    struct lab_counter list[LAB_MAX_COUNTERS];
    int count;
};

/** Sets a counter, new or not. Names that are too long, and more than fit, are left out: false. */
bool lab_counters_set(struct lab_counters *counters, const char *name, double value);

/** True, and *value, when the counter was taken. */
bool lab_counters_get(const struct lab_counters *counters, const char *name, double *value);

/** Adds the counters of a further launch: sums are added, ratios stay those of the first. */
void lab_counters_add(struct lab_counters *counters, const struct lab_counters *more);

/** What the table puts under one heading. */
enum lab_counter_group {
    LAB_COUNTERS_INSTRUCTIONS,
    LAB_COUNTERS_GLOBAL,
    LAB_COUNTERS_SHARED,
    LAB_COUNTERS_CACHES,
    LAB_COUNTERS_OCCUPANCY,
    LAB_COUNTERS_GROUPS,
};

/** The figure of LAB_COUNTER_MISSES as JSON names it. */
#define LAB_COUNTER_MISSES_NAME "lab__l2_sectors_missed_per_1000_inst.ratio"

/** Bytes of shared memory that a block of the main kernel has. */
#define LAB_COUNTER_SHARED_BYTES "lab__shared_bytes_per_block"
/** Kernels that one launch of a row starts. */
#define LAB_COUNTER_LAUNCHES "lab__kernel_launches"

/** How a derived figure follows from two counters. */
enum lab_counter_rule {
    LAB_COUNTER_PLAIN,  /**< a counter itself */
    LAB_COUNTER_RATIO,  /**< `name` divided by `by` */
    LAB_COUNTER_SHARED, /**< per cent of all shared wavefronts that are not conflicts */
    LAB_COUNTER_MISSES, /**< sectors that L2 had read from DRAM for 1000 warp instructions */
};

/** One line of the table. */
struct lab_counter_kind {
    enum lab_counter_group group;
    const char *label; /**< its meaning in a few words */
    const char *name;  /**< name in Nsight Compute */
    const char *older; /**< name in nvprof, as in older papers; "": none */
    enum lab_counter_rule rule;
    const char *by; /**< divisor of a ratio */
    bool percent;
    bool optional; /**< shown only where it is not 0 */
    bool asked;    /**< Nsight Compute is asked for it */
};

/** All lines in the order of the table. */
const struct lab_counter_kind *lab_counter_kinds(int *count);

/** Heading of a group. */
const char *lab_counter_group_name(enum lab_counter_group group);

/** The figure of one line; false where the counters that it needs were not taken. */
bool lab_counter_figure(const struct lab_counter_kind *kind, const struct lab_counters *counters,
                        double *value);

/**
 * @brief L2 misses per thousand warp instructions; false where the counters were not taken.
 *
 * A miss is a sector of 32 bytes that was read from DRAM. An instruction is one of a warp, as
 * nvprof's inst_executed counts them: of the machine code on a GPU, of the PTX on the simulator.
 */
bool lab_counters_misses(const struct lab_counters *counters, double *value);

/** True when the catalogue has a line for this counter itself. */
bool lab_counter_known(const char *name);

#endif
