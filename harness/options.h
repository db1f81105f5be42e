/**
 * @file options.h
 * @brief The command line, parsed.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "families/apsp/graph/graph.h"
#include "families/apsp.h"

#include <stdbool.h>
#include <stdint.h>

/** What is to be done. */
enum lab_command {
    LAB_COMMAND_RUN,
    LAB_COMMAND_COMPARE,
    LAB_COMMAND_SWEEP,
    LAB_COMMAND_TRIAL,    /**< one submission, run by the grader itself */
    LAB_COMMAND_EXERCISE, /**< the tests and goals of an exercise or of its solution */
    LAB_COMMAND_LIST,
    LAB_COMMAND_DOCTOR,
};

/** Whose counters are asked for. */
enum lab_profile {
    LAB_PROFILE_NONE,
    LAB_PROFILE_AUTO, /**< those of the runtime that runs */
    LAB_PROFILE_GPU,
    LAB_PROFILE_SIM,
    LAB_PROFILE_BOTH,
};

enum lab_runtime_choice { LAB_RUNTIME_AUTO, LAB_RUNTIME_GPU, LAB_RUNTIME_SIM };

/** Weights of a kernel summation. */
enum lab_weights {
    LAB_WEIGHTS_POSITIVE, /**< all positive: nothing cancels, a relative error says something */
    LAB_WEIGHTS_MIXED,    /**< of both signs, and some 0 */
};

/** What the inputs of family gemm look like. */
enum lab_values {
    LAB_VALUES_PLAIN,  /**< magnitudes from 1/2 to 1 */
    LAB_VALUES_SPREAD, /**< each row of A and column of B scaled by a power of two, 2^-20 to 2^20 */
    LAB_VALUES_SPECIAL, /**< here and there an infinity or a NaN */
};

/** The last: default size on the simulator of kernel files that no target limits. */
enum { LAB_MAX_TARGETS = 32, LAB_MAX_REPS = 10000, LAB_SOURCES_SIM_SIZE = 256 };

struct lab_step;

/** Options of shortest paths. */
struct lab_apsp_options {
    enum lab_apsp_type type;
    const char *graph; /**< file; NULL: generate */
    enum lab_generator generator;
    double degree;         /**< arcs for each vertex */
    long long arcs;        /**< in all; -1: by the degree */
    double probability;    /**< of G(n, p) */
    int low, high;         /**< generated weights */
    int products;          /**< 0: as many as it takes */
    bool paths;            /**< find them */
    bool has_ends;         /**< print the one from `from` to `to` */
    long long from, to;    /**< as the file numbers vertices */
    const char *out;       /**< file for the distances; NULL: none */
    const char *next;      /**< file for the vertices after the first; NULL: none */
    const char *generates; /**< name of an option that only generating heeds; NULL: none given */
    bool has_degree, has_probability;
    int ends_given; /**< 1: --from, 2: --to */
};

/** What the user asked for. Strings belong to argv. */
struct lab_options {
    enum lab_command command;
    const char *targets[LAB_MAX_TARGETS]; /**< as typed, known to exist */
    int target_count;
    int m, n, k;       /**< 0: the family's default for the runtime */
    int p, q;          /**< of family syr2k; 0 likewise */
    float alpha, beta; /**< of family gemm */
    float bandwidth;   /**< h of a kernel summation, above 0 */
    float offset;      /**< added to all its coordinates */
    enum lab_weights weights;
    struct lab_apsp_options apsp;
    bool deterministic;        /**< also the rows' forms without float atomics */
    const char *of_family;     /**< family that an option given belongs to; NULL: none did */
    const char *family_option; /**< that option, without its dashes, for a message */
    enum lab_values values;    /**< of the inputs of family gemm */
    uint64_t seed;
    const char *variant; /**< only the row of this name; NULL: all rows */
    const char *source;  /**< kernel file in place of the target's own; NULL: none */
    const char *sources[LAB_MAX_TARGETS]; /**< of `compare`: kernel files beside the targets */
    int source_count;
    const struct lab_step
        *step;        /**< rows in place of the target's own, already there; NULL: none */
    const char *plan; /**< of a trial: the file that says what to run; NULL: none */
    enum lab_runtime_choice runtime;
    const char *arch; /**< GPU profile of the simulator; NULL: what LAB_SIM_GPU says */
    int reps;         /**< timed launches; 0: chosen by how long one takes */
    bool check_only, warm;
    bool fast; /**< no checks on the simulator beyond addresses and barriers */
    enum lab_profile profile;
    bool lines, sanitize;
    bool energy;             /**< measure it, on a GPU */
    bool with_copies;        /**< also time each row with the copies to and from the GPU */
    bool under_tool;         /**< run by this program itself under a tool: launch, report nothing */
    const char *counters_to; /**< where the simulator's counters go for the parent; NULL: nowhere */
    const char *json;        /**< "-" for standard output; NULL: none */
};

/**
 * @brief Parses the command line.
 *
 * Unknown targets, sizes and numbers that make no sense are refused here with one line that says
 * what to do.
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining. --help and --usage exit by themselves.
 */
int lab_options_parse(int argc, char **argv, struct lab_options *options);

#endif
