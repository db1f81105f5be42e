/**
 * @file result.h
 * @brief What a run found out: plain data, filled by the measurement, read by the reports.
 */
#ifndef LAB_RESULT_H
#define LAB_RESULT_H

#include "measure/counters/counters.h"
#include "machine/device.h"
#include "measure/launches/launches.h"
#include "families/family.h"
#include "families/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAB_MAX_ROWS = 192, LAB_NAME_BYTES = 96, LAB_MAX_SAMPLES = 64 };

/** Times of one launch in milliseconds, over `reps` timed launches. */
struct lab_times {
    double median, min, max;
    int reps;            /**< 0: not timed */
    bool without_caches; /**< of a modelled time: L2 and DRAM were left out */
    bool modelled;       /**< by the timing model: `reps` is 0, and all three are the same */
    const char *limiter; /**< of a modelled time: the unit that the model says is full */
    size_t local_bytes; /**< not 0: no time was modelled, since the machine code keeps these of each
                             thread in local memory, which the model does not see */
    double modelled_ms; /**< by the model, also if local memory makes it too short; 0: none */
    double samples[LAB_MAX_SAMPLES]; /**< the first of them as they were taken, in turn with those
                                        of the other rows: the i-th of each make a pair */
    int sample_count;
};

/** Measured energy of a launch, of the whole board; 0: not measured. */
struct lab_energy {
    double joules;
    double watts, seconds; /**< of the many launches over which it was measured */
};

/** One row of the result. */
struct lab_row {
    const struct lab_step *step;   /**< NULL for the reference */
    int index;                     /**< in the step; LAB_REFERENCE for the reference */
    const char *target;            /**< "step07"; "" for the reference */
    const struct lab_stage *stage; /**< stage that it belongs to or replaces; NULL: none */
    const char *source;            /**< kernel file given in place of the stage; NULL: none */
    char name[LAB_NAME_BYTES];     /**< as shown, also in JSON */
    bool is_baseline;              /**< only there for comparison */
    bool is_reference;             /**< shares of the reference are relative to this row */
    bool shows_error;              /**< its step is about accuracy (LAB_SHOWS_ERROR) */
    bool has_tensor_doubles;       /**< multiplies doubles on tensor cores (LAB_TENSOR_DOUBLES) */
    bool used_library;             /**< part of the work is launched by a library */
    struct lab_check check;
    double checked_ms; /**< of the checked launch, by the host's clock; 0: it did not end well */
    double warm_up_ms; /**< of the last warm-up launch; 0: not timed */
    struct lab_times time;
    double with_copies_ms; /**< median with the copies to and from the GPU; 0: not taken */
    struct lab_energy energy;
    struct lab_kernel_facts kernel;
    double launch_ms[LAB_MAX_NAMED]; /**< of each launch, where there are several, by events in the
                                          row's own stream; 0: not taken */
    uint64_t instructions;           /**< warp instructions; 0: the runtime does not count them */
    double simulation_seconds; /**< time of the simulator for them; says nothing about a GPU */
    double counted[LAB_MAX_COUNTED];  /**< figures that the family names; NaN: none */
    struct lab_counters counters;     /**< from the runtime that ran the row */
    struct lab_counters simulated;    /**< from the simulator, beside a GPU's counters */
    struct lab_per_launch per_launch; /**< on the simulator, if counters are taken */
    struct lab_lines lines;           /**< on the simulator, with --lines; timeline also of a GPU */
};

/** Clocks and power noted while timing; 0: not known. */
struct lab_conditions {
    int sm_mhz, memory_mhz;
    double power_watts;
};

/** A whole run. */
struct lab_result {
    const char *target; /**< "step07", or "compare" */
    bool is_sim;
    const struct lab_device *device;
    const struct lab_family *family;
    int default_size; /**< for sizes that were not given */
    struct lab_problem_facts facts;
    uint64_t seed;
    bool warm;
    bool energy;   /**< energies are wanted */
    bool beside;   /**< shows recorded speeds beside the rows: the problem has no other options */
    bool counted;  /**< rows have the figures that the family names */
    bool measured; /**< the rows were checked, and timed if that was wanted */
    struct lab_row rows[LAB_MAX_ROWS];
    int row_count;
    struct lab_conditions conditions;
    struct lab_conclusion conclusion;
};

/** Median, least, greatest and the first LAB_MAX_SAMPLES of `count` samples, at least one. */
void lab_times_summarise(struct lab_times *time, const double *samples, int count);

/** True when the row has a time, measured or modelled. */
bool lab_result_timed(const struct lab_row *row);

/** Whether some row is of a step about accuracy (LAB_SHOWS_ERROR). */
bool lab_result_shows_errors(const struct lab_result *result);

/** GFLOP/s of a timed row; 0 when it was not timed. */
double lab_result_gflops(const struct lab_result *result, const struct lab_row *row);

/** GB/s of a timed row whose problem counts no operations, by its least traffic; else 0. */
double lab_result_gbytes(const struct lab_result *result, const struct lab_row *row);

/** FLOP/s that the device reaches at most in the problem's type; 0 when unknown. In double a row
 * that multiplies on tensor cores, as a GPU's library does, has their peak, any other, and NULL,
 * that of the lanes. */
double lab_result_peak(const struct lab_result *result, const struct lab_row *row);

/** The row that shares of the reference are relative to; NULL: no reference was timed. */
const struct lab_row *lab_result_reference(const struct lab_result *result);

/** The row that a speedup over a stage is relative to: its last row; NULL: none was timed. */
const struct lab_row *lab_result_of_stage(const struct lab_result *result,
                                          const struct lab_stage *stage);

/** The same for the stage that a row's stage builds on, and for the first stage of the problem, or
 * the first that has a row here. */
const struct lab_row *lab_result_parent(const struct lab_result *result, const struct lab_row *row);
const struct lab_row *lab_result_first(const struct lab_result *result);

/** Frees what the rows own. */
void lab_result_release(struct lab_result *result);

/** LAB_CHECK_OK, or the status of the first row of the target that failed; LAB_CHECK_SKIPPED if
 *  this GPU can run none of its rows. */
enum lab_check_status lab_result_status(const struct lab_result *result);

#endif
