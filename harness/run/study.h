/**
 * @file study.h
 * @brief The studies of `run sweep` and `run plan`. Each is an awk program in harness/studies/,
 * whose comments also say which runs it is of; see the README there.
 */
#ifndef LAB_RUN_STUDY_H
#define LAB_RUN_STUDY_H

#include "options/options.h"
#include "report/json.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdio.h>

/** The name of the study that the options ask for: "forms". */
const char *lab_study_of(const struct lab_options *options);

/**
 * @brief Makes every run of the study and reports them together.
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when a row failed its check; another exit status after
 *         complaining
 */
int lab_study_run(const char *study, const struct lab_options *options,
                  const struct lab_device *device, const struct lab_run_plan *plan);

/**
 * @brief Gives the runs to the study's program, and copies what it prints.
 * @param want  "tables", "plots", or another word that the program knows
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining
 */
int lab_study_print(const char *study, const char *want, const struct lab_options *options,
                    const struct lab_sweep *sweep, FILE *stream);

/** Adds what the study says beside a run in JSON, such as a paper's figures. An exit status. */
int lab_study_add(const char *study, const struct lab_options *options, struct lab_sweep *sweep);

/* What the comments of a study's awk program say: its runs, and what it prints of them. */

enum { LAB_STUDY_LINES = 16, LAB_STUDY_WORDS = 12, LAB_STUDY_VALUES = 24 };

/** A word of a line, "k=32/64" or "study"; a word without values has one that is empty. */
struct lab_study_word {
    char *name, *values[LAB_STUDY_VALUES];
    int value_count;
};

/** "#run", or "#show": what is printed of the runs before. */
struct lab_study_line {
    bool shows;
    struct lab_study_word words[LAB_STUDY_WORDS];
    int word_count;
};

/** A study's file, read. */
struct lab_study_file {
    const char *name;
    char uses[64];            /**< files of programs that this one adds to; "": none */
    bool has_plots, has_more; /**< draws plots; adds to JSON */
    bool is_of_own_kernels;   /**< all of its runs are of the study's own kernels */
    struct lab_study_line lines[LAB_STUDY_LINES];
    int line_count;
    char *text; /**< what words point into */
};

/** Reads harness/studies/NAME.awk, for the words that hold on this runtime and for this family.
 *  False after complaining. */
bool lab_study_file_read(const char *name, bool is_sim, const char *family,
                         struct lab_study_file *file);

/** Frees the text. */
void lab_study_file_release(struct lab_study_file *file);

/* --- the runs of a study as text, for the awk programs in harness/studies/ ---------------------*/

/**
 * @brief Writes one figure on each line, with tabs between its parts: "sweep NAME VALUE", "run RUN
 * NAME VALUE" or "row RUN ROW NAME VALUE".
 *
 * Runs and rows are counted from 1. What is not known or was not measured is left out.
 */
void lab_records_write(const struct lab_sweep *sweep, const struct lab_options *options,
                       FILE *stream);

#endif
