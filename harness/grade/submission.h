/**
 * @file submission.h
 * @brief Finding submissions: files, or folders with one file or one folder per student.
 */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "grade/outcome/outcome.h"
#include "base/paths.h"

enum { LAB_SUBMISSION_FILE = 256 };

/** One student's kernel file. */
struct lab_submission {
    char student[LAB_OUTCOME_NAME]; /**< as it can be shown */
    char entry[LAB_PATH_BYTES];     /**< what stands for the student: a file or a folder */
    char path[LAB_PATH_BYTES];      /**< "" when the student's folder has none */
    char place[LAB_PATH_BYTES];     /**< where the entry lies, however it was named */
    bool shares_name;               /**< another one is called the same: it goes by its entry */
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

/**
 * @brief Sorts by student, drops what was named twice, and tells those of one name apart: sections
 * with an `alice` each, or a file and a folder, go by their paths.
 * @return LAB_EXIT_OK or LAB_EXIT_USAGE after complaining
 */
int lab_submissions_settle(struct lab_submissions *submissions);

/**
 * @brief The name of a student's file, such as "alice.json": like `student`, but for slashes,
 * percent signs and a leading dot, and cut where that is too long for a file.
 * @param number  of the submission: no two cut ones are alike
 */
void lab_submission_file(const char *student, int number, const char *ending,
                         char name[LAB_SUBMISSION_FILE]);

#endif
