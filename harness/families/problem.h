/**
 * @file problem.h
 * @brief A problem family: its data, its reference, its checks, and how to launch a row of it.
 *
 * One folder per family implements `struct lab_family`. Everything above it (measurement, report,
 * commands) is the same for all families.
 */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include "measure/device.h"
#include "options.h"
#include "families/argument.h"
#include "families/check.h"
#include "step.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

/** One problem instance of some family, with its buffers on the device. */
struct lab_problem;

/** A named whole number that describes a problem, such as {"m", 4096}. */
struct lab_size {
    const char *name;
    long value;
};

/** A named factor that describes a problem, such as {"alpha", 1.0}. */
struct lab_factor {
    const char *name;
    double value;
};

enum { LAB_MAX_SIZES = 8, LAB_MAX_FIGURES = 12, LAB_REFERENCE_ROW = -1, LAB_ALSO_ROW = -2 };

/** A row's form without atomic additions of floats has the row's number and this bit. */
enum { LAB_DETERMINISTIC_FORM = 1 << 16 };

/** What the report says of a problem. */
struct lab_problem_facts {
    const char *type; /**< where the family has several; NULL: the family's own */
    struct lab_size sizes[LAB_MAX_SIZES];
    int size_count;
    struct lab_factor factors[LAB_MAX_SIZES];
    int factor_count;
    double flops;        /**< operations of one launch */
    double bytes;        /**< least traffic: each input read once, each output written once */
    size_t device_bytes; /**< device bytes of inputs and outputs */
    const char *note;    /**< what else one must know of the problem; NULL: nothing */
};

/** What a run says of the problem's solution, where that is of interest. All zero: nothing. */
struct lab_conclusion {
    char *text; /**< lines for people, owned; NULL: none */
    size_t length;
    struct lab_factor figures[LAB_MAX_FIGURES];
    int figure_count;
};

/**
 * @brief A problem family.
 *
 * Row LAB_REFERENCE_ROW is the reference implementation.
 */
struct lab_family {
    const char *name;      /**< as kernel files export it: "kernel_summation" */
    const char *title;     /**< as it is shown: "kernel summation" */
    size_t problem_bytes;  /**< of the struct that a launch function is given */
    const char *type;      /**< "f32" */
    const char *reference; /**< name of the reference row, "cublas" */
    /** The reference is that row of the step; else the family launches it as LAB_REFERENCE_ROW. */
    bool reference_in_step;
    /** Names of other library rows shown beside the reference, up to a NULL; NULL: none. The i-th
     *  is launched as LAB_ALSO_ROW - i. They may solve a slightly lesser problem, which the checks
     *  know of. */
    const char *const *also;

    int default_size; /**< on a GPU */
    /** Problems that every row is tried on, as one would type them, up to a NULL: 1, primes, a tile
     *  and one less and more, thin, tall. */
    const char *const *test_sizes;
    /** Other options that these are tried with, up to a NULL; NULL: none. Each size is tried
     * without and with one of them in turn. */
    const char *const *test_options;
    bool test_all_options; /**< on a GPU each size is tried with all of them */
    /** Problems besides, that only a GPU solves in reasonable time; options included. */
    const char *const *gpu_test_sizes;
    bool work_varies; /**< how many operations it takes depends on the algorithm */
    /** Makes inputs and the reference result. Sizes that the options leave open are
     *  `default_size`. LAB_EXIT_OK, or an exit status after complaining. *problem is to be closed
     *  in either case. */
    int (*open)(const struct lab_options *options, int default_size, cudaStream_t stream,
                struct lab_problem **problem);
    /** Makes the reference result where open() has not: what takes long comes after all that may
     *  be refused. An exit status; NULL: nothing left to do. */
    int (*make_reference)(struct lab_problem *problem);
    void (*close)(struct lab_problem *problem);
    void (*facts)(const struct lab_problem *problem, struct lab_problem_facts *facts);

    /** True when a row solves what the options ask for; NULL: every row does. */
    bool (*row_fits)(const struct lab_options *options, const struct lab_step *step, int row);
    /** Lists the device pointers of a problem's struct; how many. */
    int (*pointers)(const void *problem, struct lab_pointer list[LAB_MAX_POINTERS]);
    /** Device bytes of a row's scratch memory. */
    size_t (*row_bytes)(struct lab_problem *problem, const struct lab_step *step, int row);
    /** Gives a row its scratch memory, poisoned. */
    cudaError_t (*prepare_row)(struct lab_problem *problem, const struct lab_step *step, int row);
    /** Puts the output back to its state before a launch: poison, or the old C. */
    cudaError_t (*reset)(struct lab_problem *problem);
    /** Launches a row; the status of the launch alone. */
    cudaError_t (*launch)(struct lab_problem *problem, const struct lab_step *step, int row);
    /** Copies the inputs to the device, and its output from it, in order with the stream,
     *  for times with copies. NULL: the family has none. */
    cudaError_t (*copy_in)(struct lab_problem *problem);
    cudaError_t (*copy_out)(struct lab_problem *problem);
    /** True when the row prepared last has called a library since: what that does is not seen.
     *  NULL: rows call none. */
    bool (*used_library)(const struct lab_problem *problem);
    /** Every element of the output against the reference. */
    cudaError_t (*check_output)(struct lab_problem *problem, struct lab_check *check);
    /** Guard zones and inputs, then the output. The first thing that is wrong is the verdict. */
    cudaError_t (*check_all)(struct lab_problem *problem, struct lab_check *check);
    /** What the solution says, after all rows were right; an exit status. NULL: nothing. */
    int (*conclude)(struct lab_problem *problem, struct lab_conclusion *conclusion);
};

/**
 * @brief The problems that every row of a family is tried on, one by one.
 * @param number   which, from 0 on
 * @param on_gpu   with those that take a GPU
 * @param text     receives the options
 * @return false behind the last
 */
bool lab_family_test(const struct lab_family *family, int number, bool on_gpu, char *text,
                     size_t size);

/** The family of that name, or NULL. */
const struct lab_family *lab_family_find(const char *name);

/** A row of a step by its number; that of its deterministic form, too. */
const struct lab_step_row *lab_row_of(const struct lab_step *step, int row);

#endif
