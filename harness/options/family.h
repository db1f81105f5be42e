/**
 * @file family.h
 * @brief What the command line may say of a family's problem, as data. Needs no CUDA.
 */
#ifndef LAB_OPTIONS_FAMILY_H
#define LAB_OPTIONS_FAMILY_H

#include "options/options.h"

#include <argp.h>

/** A size of a family's problems. */
struct lab_size_option {
    char letter;         /**< 'm'; 0 behind the last */
    const char *meaning; /**< "rows of C (and of A)" */
    int otherwise;       /**< what it is when not given; 0: the default of the target and runtime */
};

/** The options of a family. Functions that are NULL have nothing to do. */
struct lab_family_options {
    const char *name;    /**< the family's, as steps/steps.def has it */
    const char *title;   /**< the problem's, as it is shown */
    const char *heading; /**< in --help */
    struct lab_size_option sizes[LAB_FAMILY_SIZES + 1];
    bool alike; /**< one size that is given stands for those that are not */
    const struct argp_option
        *table;           /**< of its own: long names only, keys from 256 on; NULL: none */
    const void *defaults; /**< of its own */
    size_t own_bytes;     /**< of these */
    /** Takes one of them; ends the program after a complaint. */
    void (*parse)(int key, const char *text, void *own);
    /** Whether sizes and options go together; an exit status. */
    int (*check)(const struct lab_options *options, const void *own);
    /** On a slice of LAB_SLICE_SMS SMs the size that fills it as the default does a GPU, from which
     *  the model's shares of the peak, or of the bandwidth, were compared with measured ones; 0:
     *  they were not. */
    int slice_size;
    bool has_study;           /**< `sweep` */
    bool has_plan;            /**< `plan` */
    bool study_of_stages;     /**< of a stage alone, too */
    const char *study_target; /**< another target whose rows the study takes as well; NULL: none */
    /** Whether the study takes these options; an exit status. */
    int (*check_study)(const struct lab_options *options, const void *own);
    bool times_with_copies; /**< --with-copies */
};

/** Members `defaults` and `own_bytes`; does not compile where there is no room for them. */
#define LAB_OWN(values)                                                                            \
    .defaults = &(values),                                                                         \
    .own_bytes = sizeof(values) + 0 * sizeof(char[sizeof(values) <= LAB_OWN_BYTES ? 1 : -1])

/** The options of every family, up to a NULL, in the order of families.def. */
const struct lab_family_options *const *lab_families_options(void);

/** Those of the family of that name; NULL: there is none. */
const struct lab_family_options *lab_family_options_find(const char *name);

/** A family's own options: as given, or its defaults. Valid as long as `options`. */
const void *lab_own_options(const struct lab_options *options,
                            const struct lab_family_options *family);

/** The option that made it count by line, as it is written: "--lines". */
const char *lab_options_lines(const struct lab_options *options);

/** Whether any size was given. */
bool lab_options_have_sizes(const struct lab_options *options);

/** A size: as given, or what it is then; `size`: the default of target and runtime. */
int lab_size_of(const struct lab_options *options, const struct lab_family_options *family,
                char letter, int size);

/** Whether an option of a family's own was given, with another word than this one. */
bool lab_option_is_other(const struct lab_options *options, const char *name, const char *word);

/** Takes an option of a family's own, as if it had been given: `text` must outlive `options`. */
void lab_give_own_option(struct lab_options *options, const struct lab_family_options *family,
                         const char *name, const char *text);

/** Whether a problem of this family has the sizes and options that were given; an exit status.
 *  `target`: who solves it, for a message. */
int lab_problem_options_check(const struct lab_options *options,
                              const struct lab_family_options *family, const char *target);

#endif
