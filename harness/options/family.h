/**
 * @file family.h
 * @brief What the command line can say about a family's problem, as data. Needs no CUDA.
 */
#ifndef LAB_OPTIONS_FAMILY_H
#define LAB_OPTIONS_FAMILY_H

#include "options/options.h"
#include "options/values.h"

#include <argp.h>

/** A size of a family's problems. */
struct lab_size_option {
    char letter;         /**< 'm'; 0: after the last size */
    const char *meaning; /**< "rows of C (and of A)" */
    int otherwise;       /**< value if not given; 0: the default of the target and runtime */
};

/** The options of a family. A function that is NULL has nothing to do. */
struct lab_family_options {
    const char *name;    /**< name of the family in steps/steps.def */
    const char *title;   /**< name of the problem for people */
    const char *heading; /**< heading in --help */
    struct lab_size_option sizes[LAB_FAMILY_SIZES + 1];
    bool alike;                     /**< one size that is given is also the value of the others */
    const struct lab_option *table; /**< its own options, up to {0}; NULL: none */
    const void *defaults;           /**< values of its own options */
    size_t own_bytes;               /**< bytes of these values */
    /** What else follows when one of these has been stored; ends the program after a complaint. */
    void (*follow)(const char *name, const char *text, void *own);
    /** Whether sizes and options go together; an exit status. */
    int (*check)(const struct lab_options *options, const void *own);
    /** The size that fills a slice of LAB_SLICE_SMS SMs as the default size fills a GPU. From this
     *  size, the model's shares of the peak, or of the bandwidth, were compared with measured
     *  shares. 0: they were not compared. */
    int slice_size;
    const char *study;        /**< for `sweep`, see run/study.h; NULL: there is none */
    const char *plan;         /**< for `plan`; NULL: there is none */
    bool study_of_stages;     /**< a single stage has the study, too */
    const char *study_target; /**< another target whose rows the study runs, too; NULL: none */
    /** Whether the study takes these options; an exit status. */
    int (*check_study)(const struct lab_options *options, const void *own);
    /** Draws sizes by lot, as the options ask: those of the i-th problem of a study, from 0. False:
     *  there is no such problem. */
    bool (*draw)(const struct lab_options *options, bool is_sim, int i, int sizes[LAB_LETTERS]);
    bool times_with_copies; /**< has --with-copies */
};

/** Sets `defaults` and `own_bytes`. Does not compile if the values are too large. */
#define LAB_OWN(values)                                                                            \
    .defaults = &(values),                                                                         \
    .own_bytes = sizeof(values) + 0 * sizeof(char[sizeof(values) <= LAB_OWN_BYTES ? 1 : -1])

/** The options of every family, up to a NULL, in the order of families.def. */
const struct lab_family_options *const *lab_families_options(void);

/** The options of the family with this name; NULL: there is none. */
const struct lab_family_options *lab_family_options_find(const char *name);

/** A family's own options: as given, or its defaults. Valid as long as `options`. */
const void *lab_own_options(const struct lab_options *options,
                            const struct lab_family_options *family);

/** Whether a family's own options, if any was given, have their default values. */
bool lab_own_options_are_usual(const struct lab_options *options);

/** The option that asked for counts by line, as it is typed: "--lines". */
const char *lab_options_lines(const struct lab_options *options);

/** Whether any size was given. */
bool lab_options_have_sizes(const struct lab_options *options);

/** A size: as given, or its default; `size`: the default of the target and runtime. */
int lab_size_of(const struct lab_options *options, const struct lab_family_options *family,
                char letter, int size);

/** Whether an option of a family's own was given with another word than this one. */
bool lab_option_is_other(const struct lab_options *options, const char *name, const char *word);

/** Sets an option of a family's own as if it had been given. `text` must outlive `options`. */
void lab_give_own_option(struct lab_options *options, const struct lab_family_options *family,
                         const char *name, const char *text);

/** Checks that a problem of this family has the given sizes and options; an exit status.
 *  `target`: the target that solves it, for a message. */
int lab_problem_options_check(const struct lab_options *options,
                              const struct lab_family_options *family, const char *target);

#endif
