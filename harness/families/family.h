/**
 * @file family.h
 * @brief A family: what generic code must know of a problem that several kernels solve.
 *
 * One folder per family defines a `struct lab_family`. Its data says what is the same for all
 * problems of the family; its functions, what only the family knows. Memory, launches and what is
 * compared with what stood there before are the same for all of them: see problem.h.
 */
#ifndef LAB_FAMILY_H
#define LAB_FAMILY_H

#include "base/array.h"
#include "diagnose/check.h"
#include "options/family.h"
#include "step.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

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

enum {
    LAB_MAX_SIZES = 8,
    LAB_MAX_FIGURES = 12,
    LAB_MAX_COUNTED = 3,
    LAB_REFERENCE = -1,
    LAB_FURTHER_REFERENCE = -2
};

/** A variant's form without atomic additions of floats: the variant's number with this bit set. */
enum { LAB_DETERMINISTIC_FORM = 1 << 16 };

/** What the report says of a problem. */
struct lab_problem_facts {
    const char *type;   /**< if the family has several types; NULL: the family's own */
    const char *form;   /**< if the problem has several forms, such as "nt"; NULL: the plain form */
    const char *values; /**< what the inputs look like, such as "spread"; NULL: plain */
    struct lab_size sizes[LAB_MAX_SIZES];
    int size_count;
    struct lab_factor factors[LAB_MAX_SIZES];
    int factor_count;
    double flops;        /**< operations of one launch; 0: only bytes count, speeds are in GB/s */
    double bytes;        /**< least traffic: each input read once, each output written once */
    size_t device_bytes; /**< device bytes of inputs and outputs; not set by the family */
    const char *note;    /**< what else one must know of the problem; NULL: nothing */
};

/** A figure that is counted on the simulator and tells kernels apart. */
struct lab_counted {
    const char *title;   /**< of its column */
    const char *counter; /**< as Nsight Compute names it */
    const char *per;     /**< counter that it is divided by; NULL: none */
};

/** What is known of a variant's launch when its kernel is asked. */
struct lab_launched {
    double ms;
    bool has_tile; /**< it uses shared memory */
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
 * Functions that are NULL have nothing to do. Exit statuses come after a complaint.
 */
struct lab_family {
    const struct lab_family_options *options; /**< its name, sizes, options */
    size_t problem_bytes;                     /**< of the struct that a launch function is given */
    size_t state_bytes;                       /**< of what else the family keeps of a problem */
    const char *type;                         /**< "f32" */
    const char *reference;                    /**< name of the reference, "cublas" */
    /** The reference is a variant of the step, or the host where host_ms is set. False: the
     * family launches the reference as LAB_REFERENCE. */
    bool reference_in_step;
    /** Names of further library calls that are shown beside the reference, up to a NULL; NULL:
     * none. The i-th is launched as LAB_FURTHER_REFERENCE - i. They may solve a slightly smaller
     * problem, which the checks allow for. */
    const char *const *also;
    bool uses_cublas;     /**< problem->cublas is opened for it */
    bool work_varies;     /**< the number of operations depends on the algorithm */
    const char *look_at;  /**< where a write past the end is most often made: "the last tiles" */
    const char *of_blank; /**< why an output holds nothing before a launch; NULL: it is obvious */
    int default_size;     /**< on a GPU */
    int scaled;           /**< the array that --values is about, see values.h */
    /** Changes more than the seed in the other problem of second launches, so that each branch of a
     * kernel counts in one of the two. Returns what is changed, for a message, or NULL: nothing. */
    const char *(*vary)(struct lab_options *options);

    /** Operations that the simulator does in a second when it counts nothing, averaged over
     * variants (run/foretell.c); 0: as many as for a matrix product. */
    double simulated;

    /** What the table shows in place of modelled times, if the problem's are not proved. */
    struct lab_counted counted[LAB_MAX_COUNTED];

    /** Problems that every variant is tried on, as one types them, up to a NULL: 1, primes, a tile,
     * one less and one more than a tile, thin, tall. */
    const char *const *test_sizes;
    /** Other options to try these with, up to a NULL; NULL: none. Each size is tried without
     * options and with one of them in turn. */
    const char *const *test_options;
    bool test_all_options; /**< on a GPU each size is tried with every one of them */
    /** Further problems, with options, that only a GPU solves in reasonable time. */
    const char *const *gpu_test_sizes;
    /** Forms of the problem that only some steps solve, as one types them, up to a NULL, and the
     * sizes that each form is tried on; NULL: there is only one form. */
    const char *const *test_forms, *const *test_form_sizes;
    /** Some ten small awkward problems for `--thorough`, up to a NULL: odd, thin, beyond 65535
     *  rows, a multiple of 4 in one size alone, and the family's other options. */
    const char *const *thorough;

    /** Fills the problem's struct, except for its pointers, and the family's state. Sizes that the
     * options leave open are `size`. A pointer that is not always wanted is set to LAB_WANTED if it
     * is. An exit status; end() is called in either case. */
    int (*begin)(struct lab_problem *problem, const struct lab_options *options, int size);
    /** Lists the arrays of a problem's struct; returns how many. The grader calls it, too. */
    int (*arrays)(const void *argument, struct lab_array list[LAB_MAX_ARRAYS]);
    /** Writes elements `first` .. `first + count - 1` of array `which` as they are before a launch;
     * they are the same every time. */
    void (*fill)(const struct lab_problem *problem, int which, void *values, size_t first,
                 size_t count);
    /** Computes the reference. Whatever may be refused is checked before anything takes long. An
     * exit status. */
    int (*make_reference)(struct lab_problem *problem);
    /** Frees what the state owns. */
    void (*end)(struct lab_problem *problem);
    void (*facts)(const struct lab_problem *problem, struct lab_problem_facts *facts);

    /** True when a variant solves what the options ask for. */
    bool (*variant_fits)(const struct lab_options *options, const struct lab_step *step,
                         int variant);
    /** Options of the problem that a variant solves; "" if it solves the plain problem. */
    void (*variant_options)(const struct lab_step *step, int variant, char *text, size_t size);
    /** Sets in the struct what only some variants are asked for. */
    void (*for_variant)(void *argument, int variant);
    /** Called before a variant's first launch. */
    void (*prepare)(struct lab_problem *problem);
    /** For a library call: its bytes of scratch memory, and its launch. */
    size_t (*library_bytes)(const struct lab_problem *problem, int variant);
    cudaError_t (*launch_library)(struct lab_problem *problem, int variant);
    /** Shows the progress of a launch that takes long. */
    cudaError_t (*follow)(struct lab_problem *problem, const char *variant);
    /** True when the variant prepared last has called a library since: the library's work is not
     * seen. */
    bool (*used_library)(const struct lab_problem *problem);
    /** Compares every element of the output with the reference. */
    cudaError_t (*check_output)(struct lab_problem *problem, struct lab_check *check);
    /** For a variant that is wrong for no reason that its values tell: launches it with inputs that
     * show what it does, and says that in place of the advice. Restores the inputs before it
     * returns. */
    cudaError_t (*ask)(struct lab_problem *problem, const struct lab_launched *launched,
                       struct lab_check *check);
    /** After a launch that ended in a race on array `which`, which now holds `values`: says what
     * else is wrong and why that made the race. False: nothing else is wrong. */
    bool (*race_cause)(const struct lab_problem *problem, int which, const void *values, char *text,
                       size_t size);
    /** If no library of the GPU solves the problem: milliseconds that the host takes, with all of
     * its cores and by its best method; 0: longer than a user waits. */
    double (*host_ms)(const struct lab_problem *problem);
    /** Times the host for a study, and adds what it finds to the figures. */
    void (*note_host)(const struct lab_options *options, struct lab_conclusion *conclusion);
    /** Checks that take longer; made once, on an output that is right so far. */
    cudaError_t (*check_more)(struct lab_problem *problem, struct lab_check *check);
    /** What the solution says, after all variants were right; an exit status. */
    int (*conclude)(struct lab_problem *problem, struct lab_conclusion *conclusion);
};

/** Set by begin() in place of an optional pointer, if it is wanted. */
#define LAB_WANTED ((void *)-1)

/** The family of that name, or NULL. */
const struct lab_family *lab_family_find(const char *name);

/**
 * @brief The problems that every variant of a family is tried on, one by one.
 * @param number   which, from 0 on
 * @param on_gpu   include problems that only a GPU solves
 * @param text     receives the options
 * @return false after the last
 */
bool lab_family_test(const struct lab_family *family, int number, bool on_gpu, char *text,
                     size_t size);

/** The same for the forms that only some steps solve: each form with each of its sizes. */
bool lab_family_form_test(const struct lab_family *family, int number, char *text, size_t size);

/** A variant of a step by its number, which may be the number of its deterministic form. */
const struct lab_variant *lab_variant_of(const struct lab_step *step, int variant);

/* --- awkward sizes that several families are tried on ------------------------------------------*/

/** For problems of three sizes, up to a NULL: 1, primes, one less and one more than the tiles in
 * use, thin and tall; and sizes that only a GPU solves in reasonable time. */
extern const char *const lab_test_products[];
extern const char *const lab_gpu_test_products[];

/** The same for problems of n elements in a row: around a warp, a block, four elements at a time,
 * and a grid that is not filled. */
extern const char *const lab_test_lengths[];
extern const char *const lab_gpu_test_lengths[];

#endif
