/**
 * @file study_file.h
 * @brief What the comments of a study's awk program say: its runs, and what it prints of them.
 */
#ifndef LAB_RUN_STUDY_FILE_H
#define LAB_RUN_STUDY_FILE_H

#include <stdbool.h>

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

#endif
