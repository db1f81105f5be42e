/**
 * @file submission.h
 * @brief Finding submissions: files, or folders with one file or one folder per student.
 */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "grade/outcome/outcome.h"
#include "base/paths.h"

/** One student's kernel file. */
struct lab_submission {
    char student[LAB_OUTCOME_NAME];
    char path[LAB_PATH_BYTES]; /**< "" when the student's folder has none */
};

/** What was read of a submission, once: the file may change or vanish while it is graded. */
struct lab_source {
    char *bytes;
    size_t size;
    /** ok; LAB_CHECK_BUILD_ERROR: not what a student may hand in; LAB_CHECK_NOT_RUN: this machine
     * could not read it, which is no verdict */
    enum lab_check_status status;
    char message[256]; /**< where it is not ok */
};

/** Reads a submission; release with lab_source_free(). */
void lab_source_read(struct lab_source *source, const char *path);

/** Frees it. */
void lab_source_free(struct lab_source *source);

/** A list that grows. */
struct lab_submissions {
    struct lab_submission *list;
    int count;
};

/** Adds what a path of the command line stands for; LAB_EXIT_OK or LAB_EXIT_USAGE after
 * complaining. */
int lab_submissions_add(struct lab_submissions *submissions, const char *path);

/** Sorts by student. */
void lab_submissions_sort(struct lab_submissions *submissions);

#endif
