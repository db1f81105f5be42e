/**
 * @file counting.h
 * @brief Counting around one launch: by the simulator, or by a profiler that watches this process.
 */
#ifndef LAB_COUNTING_H
#define LAB_COUNTING_H

#include "measure/counters/counters.h"
#include "sim/lab_sim.h"

/** Counts of the instructions that belong to one source line. */
struct lab_line {
    char *file; /**< as the compiler wrote it down; owned by the list */
    int line;
    double warp_instructions;
    double global_requests, global_sectors;
    double global_needed; /**< sectors that would hold the bytes that each request asks for */
    double shared_requests, shared_wavefronts, shared_conflicts;
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

#endif
