/**
 * @file problem.h
 * @brief One problem of any family with its arrays on the device: guarded, poisoned, filled again
 * before each launch, and compared with what was there.
 */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include "base/progress.h"
#include "families/buffer.h"
#include "diagnose/pattern.h"
#include "families/family.h"

#include <stdint.h>

struct cublasContext;

/** Bytes of lab_problem.staging. */
enum { LAB_STAGING_BYTES = 1 << 22 };

/** The outputs of a variant that promises the same bits in every launch, on the host. */
struct lab_first_result {
    const struct lab_step *step;
    int variant;
    char *outputs[LAB_MAX_ARRAYS];
    struct lab_first_result *next;
};

/** One problem. Families only read it, except for `state`, `expected_share` and, before the arrays
 * are made, `argument`. */
struct lab_problem {
    const struct lab_family *family;
    const struct lab_options *options; /**< not owned; outlive the problem */
    cudaStream_t stream;
    void *argument;           /**< the struct that a launch function is given */
    void *state;              /**< the family's own */
    lab_share expected_share; /**< the part of the reference that is computed */
    struct cublasContext *cublas;
    struct lab_array arrays[LAB_MAX_ARRAYS];
    int array_count;
    struct lab_buffer
        buffers[LAB_MAX_ARRAYS]; /**< of the arrays; scratch: of the variant prepared */
    struct lab_buffer before[LAB_MAX_ARRAYS]; /**< outputs before a launch, if they count */
    void *staging;                            /**< to move and compare in pieces; pinned */
    const struct lab_step *step;              /**< of the variant prepared last */
    int variant;
    struct lab_grid grid;  /**< of the last launch, if it was one kernel of one dimension */
    cudaGraphExec_t graph; /**< of the variant prepared last; NULL: it is not captured */
    bool takes_errors;     /**< LAB_SHOWS_ERROR and LAB_CUTS_TO_TF32 are heeded */
    bool is_right;         /**< the outputs were checked since they were reset, and are right */
    struct lab_first_result *first_results; /**< of variants that give the same bits every time */
    struct lab_problem *other;              /**< this problem with another seed; NULL: none */
    struct lab_options *other_options;      /**< of `other` */
    bool is_other;                          /**< this problem is another's `other` */
    const char *varied;                     /**< in an `other`: what differs besides the seed */
    void *host[LAB_MAX_ARRAYS];             /**< for times with copies: what is copied in */
    void *host_result[LAB_MAX_ARRAYS];      /**< what is copied out */
};

/**
 * @brief Makes a problem: its arrays on the device, guarded and filled.
 * @param size     for sizes that the options leave open
 * @param problem  to be closed in either case
 * @return LAB_EXIT_OK, or an exit status after complaining
 */
int lab_problem_open(const struct lab_family *family, const struct lab_options *options, int size,
                     cudaStream_t stream, struct lab_problem **problem);

/** Computes the reference; an exit status. Checks need it. */
int lab_problem_make_reference(struct lab_problem *problem);

/** Makes `other` for second launches: the same problem with another seed, and its reference.
 * Silently makes none if there is no memory for it, or it takes too many operations. */
void lab_problem_open_other(struct lab_problem *problem, int size, double most_flops);

/** Frees `other`. */
void lab_problem_close_other(struct lab_problem *problem);

/** Frees the problem; NULL is allowed. */
void lab_problem_close(struct lab_problem *problem);

/** Sizes, operations, bytes. */
void lab_problem_facts(const struct lab_problem *problem, struct lab_problem_facts *facts);

/** Writes elements `first` .. `first + count - 1` of an array as they are before a launch. Elements
 * of an input that do not count are NaN. */
void lab_problem_fill(const struct lab_problem *problem, int which, void *values, size_t first,
                      size_t count);

/** `fill` for a family whose arrays all hold floats or doubles as inputs.h makes them. */
void lab_problem_fill_numbers(const struct lab_problem *problem, int which, void *values,
                              size_t first, size_t count);

/** Device bytes of a variant's scratch memory. `step` is NULL for a library call. */
size_t lab_problem_variant_bytes(const struct lab_problem *problem, const struct lab_step *step,
                                 int variant);

/** Gives a variant its scratch memory, poisoned. From now on this variant is launched. */
cudaError_t lab_problem_prepare(struct lab_problem *problem, const struct lab_step *step,
                                int variant);

/** Resets the outputs to their state before a launch, and poisons scratch memory, in order with the
 * stream. */
cudaError_t lab_problem_reset(struct lab_problem *problem);

/** Fills an input again, after something else was put there. */
cudaError_t lab_problem_refill(struct lab_problem *problem, int which);

/** Moves all arrays to other addresses, so that a kernel that kept an old address is found. Arrays
 * stay if there is no memory for them. Outputs must be reset afterwards. */
cudaError_t lab_problem_move(struct lab_problem *problem);

/** Exchanges both problems' inputs and workspaces that have the same size: a variant that knows a
 * problem by its addresses takes one for the other. Outputs stay: a result may still be asked for.
 * Both problems have been prepared for the same variant. */
cudaError_t lab_problem_swap(struct lab_problem *problem, struct lab_problem *other);

/** Captures the variant prepared last, if its flags have LAB_GRAPH: launches replay its graph until
 * another variant is prepared, arrays are moved or the graph is dropped. Other variants are not
 * captured. */
cudaError_t lab_problem_capture(struct lab_problem *problem);
void lab_problem_drop_graph(struct lab_problem *problem);

/** Launches the variant prepared last; returns the status of the launch alone. */
cudaError_t lab_problem_launch(struct lab_problem *problem);

/** Copies the inputs to the device, and the outputs from it, in order with the stream. */
cudaError_t lab_problem_copy_in(struct lab_problem *problem);
cudaError_t lab_problem_copy_out(struct lab_problem *problem);

/** Where the scratch memory of the variant prepared last is; NULL: it has none. */
void *lab_problem_scratch(const struct lab_problem *problem);

/** Compares every element of the outputs with what is expected. If a variant promises the same bits
 * every time, compares with its first result, too. */
cudaError_t lab_problem_check_output(struct lab_problem *problem, struct lab_check *check);

/** Checks guard zones and inputs, then the output. The first thing that is wrong is the verdict. */
cudaError_t lab_problem_check_all(struct lab_problem *problem, struct lab_check *check);

/** The same for a second launch, after a right first launch. If only the second is wrong, so is the
 * variant, and `is_of_second` is set unless the message says which launch. */
cudaError_t lab_problem_check_second(struct lab_problem *problem, struct lab_check *check);

/** Puts words before a verdict's message, and after it. */
void lab_check_put_around(struct lab_check *check, const char *before, const char *behind);

/** Says in its message that a verdict is of the second launch, after a right first one. */
void lab_check_note_second(struct lab_check *check);

/** The same for a launch with other inputs, after two right launches. */
void lab_check_note_other(const struct lab_problem *other, struct lab_check *check);

/** Says in its message that a verdict depends on the order of the blocks. */
void lab_check_note_order(struct lab_check *check);

/** True when the variant prepared last promises the same bits in every launch. */
bool lab_problem_promises_the_same(const struct lab_problem *problem);

/** True when the variant prepared last has called a library since. */
bool lab_problem_used_library(const struct lab_problem *problem);

#endif
