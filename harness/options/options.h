/**
 * @file options.h
 * @brief The parsed command line, by owner: the command, the problem, the run, the report.
 */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "machine/runtime.h"

#include <stdbool.h>
#include <stdint.h>

/** What is to be done. */
enum lab_command {
    LAB_COMMAND_RUN,
    LAB_COMMAND_COMPARE,
    LAB_COMMAND_SWEEP,
    LAB_COMMAND_PLAN,     /**< predicts, then measures what designs of a step take */
    LAB_COMMAND_TRIAL,    /**< one submission, run by the grader itself */
    LAB_COMMAND_EXERCISE, /**< the tests and goals of an exercise or of its solution */
    LAB_COMMAND_LIST,
    LAB_COMMAND_DOCTOR,
};

/** Whose counters are asked for. */
enum lab_profile {
    LAB_PROFILE_NONE,
    LAB_PROFILE_AUTO, /**< of the runtime that runs */
    LAB_PROFILE_GPU,
    LAB_PROFILE_SIM,
    LAB_PROFILE_BOTH,
};

enum { LAB_SMS_ALL = -1, LAB_MAX_SMS = 10000, LAB_SLICE_SMS = 3 };

enum { LAB_MAX_TARGETS = 32, LAB_MAX_REPS = 10000 };

struct lab_stage;
struct lab_step;

struct lab_family_options;

/** An option of a family's own as it was given, to hand to child processes. */
struct lab_given_option {
    const char *name; /**< "alpha" */
    const char *text; /**< NULL: it takes none */
};

enum { LAB_LETTERS = 26, LAB_MAX_GIVEN = 32, LAB_OWN_BYTES = 192, LAB_FAMILY_SIZES = 5 };

/** The problem. */
struct lab_problem_options {
    int sizes[LAB_LETTERS]; /**< by letter, 'm' - 'a'; 0: not given */
    uint64_t seed;
    const struct lab_family_options *family; /**< family whose own options were given; NULL: none */
    struct lab_given_option given[LAB_MAX_GIVEN];
    int given_count;
    _Alignas(16) unsigned char own[LAB_OWN_BYTES]; /**< the values of these options, see family.h */
};

/** What the user asked for. Strings belong to argv. */
struct lab_options {
    /* the command */
    enum lab_command command;
    const char *targets[LAB_MAX_TARGETS]; /**< full names, whatever was typed */
    int target_count;
    const char *variant; /**< only rows with these names, with commas between; NULL: all */
    const char *source;  /**< kernel file in place of the target's own; NULL: none */
    const char *sources[LAB_MAX_TARGETS]; /**< for `compare`: kernel files beside the targets */
    int source_count;
    const struct lab_step *step; /**< rows in place of the target's own, or of the one source that
                                    is compared; NULL: none */
    const char *plan;            /**< for a trial: the file that says what to run; NULL: none */
    /** More was given than what to run and where, so an exercise is an ordinary target rather than
     *  its tests. */
    bool is_detailed;

    struct lab_problem_options problem;

    /* the run */
    enum lab_runtime_choice runtime;
    const char *arch; /**< GPU profile of the simulator; NULL: as LAB_SIM_GPU says */
    int sms;          /**< size of a slice of that GPU; 0: not given, LAB_SMS_ALL: the whole GPU */
    int reps;         /**< timed launches; 0: chosen by the time of a launch */
    bool check_only, warm;
    bool fast;          /**< no checks on the simulator beyond addresses and barriers */
    bool study;         /**< the kernels of the step's study in place of its stages */
    bool thorough;      /**< check on the family's awkward problems, in place of one of its own */
    bool every_problem; /**< and on all other problems that the tests try */
    bool deterministic; /**< adds the rows' forms without float atomics */
    int default_size;   /**< default for sizes, from a parent; 0: see run/plan.h */
    bool without_host;  /**< set by a study, which times the host itself */
    bool without_cause; /**< set by a trial: no launches that look for a wrong result's cause */
    bool under_tool;    /**< started under a tool by this program: launches, reports nothing */

    /* the report, and what is taken for it */
    enum lab_profile profile;
    bool lines, sanitize, roofline;
    bool beside; /**< shows recorded speeds, too */
    int banks;   /**< shows how a warp's lanes access memory at this source line; 0: none */
    unsigned long long watched_block; /**< block of that warp */
    unsigned watched_warp;
    bool watches;              /**< --warp has given these two */
    bool clocks;               /**< on a GPU: measures its block over time */
    bool traces;               /**< shows what that warp executes */
    bool energy;               /**< measures energy on a GPU */
    bool with_copies;          /**< also times rows with the copies to and from the GPU */
    const char *counters_to;   /**< file of the simulator's counters, for a parent; NULL: none */
    const char *figures_to;    /**< file of a solution's figures, for a hand-out; NULL: none */
    bool plots_text;           /**< for a study: plots as text even if not on a terminal */
    const char *json;          /**< "-" for standard output; NULL: none */
    const char *html;          /**< a page for a browser; NULL: none */
    const char *forecast;      /**< for `plan`: file of the forecast; NULL: none */
    int fit_rows, fit_columns; /**< window that an exercise must fit in; 0: any */
};

/**
 * @brief Parses the command line.
 *
 * Unknown targets, and sizes and numbers that make no sense, are refused here with one line that
 * says what to do.
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining. --help and --usage exit by themselves.
 */
int lab_options_parse(int argc, char **argv, struct lab_options *options);

enum { LAB_OPTION_TEXT_BYTES = 256 };

/** Memory for a parsed line. The options point into it, so it must outlive them. */
struct lab_option_text {
    char words[LAB_OPTION_TEXT_BYTES];
};

/** Parses a line of options for `run TARGET` as if it were typed, so that whatever a file says can
 *  be typed: tests and goals of exercises, and a family's problems. An exit status. */
int lab_options_parse_text(const char *target, const char *text, struct lab_option_text *line,
                           struct lab_options *options);

/** Whether these targets are a lesson on the simulator: they have the default size, or a slice was
 *  asked for. The rows of a lesson have modelled times without --profile. */
bool lab_targets_are_lesson(const struct lab_options *options);

/** Whether a slice is simulated: it was asked for, or the targets are a lesson, or an exercise,
 * whose speed is modelled. */
bool lab_targets_take_slice(const struct lab_options *options);

/** The kernels of a study that a target runs in place of its stages; NULL: it runs its stages.
 */
const struct lab_stage *lab_targets_study(const struct lab_options *options);

#endif
