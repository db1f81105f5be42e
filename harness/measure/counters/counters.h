/**
 * @file counters.h
 * @brief Counters of a row as plain data: Nsight Compute's names and values, from a GPU or from the
 * simulator, and the catalogue with the meaning and the older name of each.
 */
#ifndef LAB_MEASURE_COUNTERS_COUNTERS_H
#define LAB_MEASURE_COUNTERS_COUNTERS_H

#include "machine/device.h"
#include "measure/launches/launches.h"
#include "sim/lab_sim.h"

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

/** True where instructions of tensor cores were counted, on a GPU or on the simulator. */
bool lab_counters_use_tensor_cores(const struct lab_counters *counters);

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
/** Blocks of the main kernel. */
#define LAB_COUNTER_BLOCKS "launch__grid_size"
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

/* Counting around one launch: by the simulator, or by a profiler that watches this process. */

/** Counts of the instructions that belong to one source line. */
struct lab_line {
    char *file; /**< as the compiler wrote it down; owned by the list */
    int line;
    double warp_instructions;
    double global_requests, global_sectors;
    double global_needed; /**< sectors that would hold the bytes that each request asks for */
    double shared_requests, shared_wavefronts, shared_conflicts;
    int box_rows, box_row_bytes, box_swizzle; /**< see struct lab_sim_line */
};

/** The accesses of a line to one array; the counts have no instructions. */
struct lab_operand {
    char *name; /**< "A", "a_tile"; owned by the list */
    struct lab_line counts;
};

/** Counts of all lines of a launch. */
struct lab_lines {
    struct lab_line *list;
    int count;
    struct lab_operand *operands; /**< of all lines, by line */
    int operand_count;
    struct lab_sim_opcode *opcodes; /**< likewise */
    int opcode_count;
    struct lab_sim_access *accesses; /**< accesses of the watched warp */
    int access_count;
    struct lab_sim_step *steps; /**< what the watched warp executed */
    int step_count;
    unsigned long long block; /**< of the watched warp, with its number in it */
    unsigned warp;
    struct lab_sim_timeline timeline; /**< of the watched block; no spans: none */
    char *clocked; /**< file whose clock reads gave the timeline; owned; NULL: the model did */
};

/** Whether the operand is one of several that the line has in the same memory. */
bool lab_lines_tell_apart(const struct lab_lines *lines, const struct lab_line *line,
                          const struct lab_operand *operand);

/** What to take around a launch. */
struct lab_counting {
    bool counters;            /**< from the simulator */
    bool lines;               /**< from the simulator */
    bool accesses;            /**< accesses of one warp, with the lines */
    unsigned long long block; /**< of that warp */
    unsigned warp;
    bool range; /**< tells a profiler when the launch begins and ends */
};

/** Call before a launch. */
void lab_counting_begin(const struct lab_counting *counting);

/** Call when the launch is done: copies what was counted. */
void lab_counting_end(const struct lab_counting *counting, struct lab_counters *counters,
                      struct lab_lines *lines);

/** The simulator's counters so far, of all launches since counting began. */
void lab_counting_read(struct lab_counters *counters);

/** Frees a list. */
void lab_lines_free(struct lab_lines *lines);

/* The launches of a row one by one. Kernels that follow each other do not overlap: while one waits
 * for memory, the next one's arithmetic does not run. So a row of several kernels is modelled
 * launch by launch, not from its counters as a whole, and launches of several streams are modelled
 * beside each other. */

/** One launch of a row, on the simulator. */
struct lab_one_launch {
    struct lab_counters counters; /**< its own sums; no ratios */
    struct lab_kernel_facts kernel;
    struct lab_sim_order order; /**< among the work of all streams */
};

/** All of them. */
struct lab_per_launch {
    struct lab_one_launch *list;
    int count;
};

/** To be called after each launch, from the first on: adds the launch, if the launch recorder keeps
 * it. */
void lab_per_launch_add(struct lab_per_launch *launches);

/** After the last launch: gives each launch its own facts and counters. */
void lab_per_launch_end(struct lab_per_launch *launches, const struct lab_device *device);

/** Whether streams and events make a launch wait for an earlier one, also on a GPU. */
bool lab_launch_follows(const struct lab_one_launch *launch, const struct lab_one_launch *earlier);

/** Frees the list. */
void lab_per_launch_free(struct lab_per_launch *launches);

/* --- which lines of a kernel cost most, and why, in a sentence each ----------------------------*/

enum { LAB_WORST_LINES = 5, LAB_WORST_BYTES = 384 };

/** A line that stands out. */
struct lab_worst_line {
    int index; /**< in the list of lines */
    char reason[LAB_WORST_BYTES];
};

/** Warp instructions of all lines together. */
double lab_lines_instructions(const struct lab_lines *lines);

/** Fills `worst` with up to LAB_WORST_LINES lines: uncoalesced accesses, bank conflicts, and the
 *  line with the most instructions; returns how many. */
int lab_worst_lines(const struct lab_lines *lines, struct lab_worst_line worst[LAB_WORST_LINES]);

#endif
