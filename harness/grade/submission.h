/**
 * @file submission.h
 * @brief Finding submissions: files, or folders with one file or one folder per student.
 */
#ifndef LAB_SUBMISSION_H
#define LAB_SUBMISSION_H

#include "grade/outcome/outcome.h"
#include "base/files.h"

enum { LAB_SUBMISSION_FILE = 256 };

/** One student's kernel file. */
struct lab_submission {
    char student[LAB_OUTCOME_NAME]; /**< as it can be shown */
    char entry[LAB_PATH_BYTES];     /**< the student's file or folder */
    char path[LAB_PATH_BYTES];      /**< "": none, and `fault` says why */
    char fault[192];                /**< what is wrong with it before it is read, and what to do */
    char place[LAB_PATH_BYTES];     /**< the entry's resolved path */
    bool shares_name; /**< another student has the same name: this one is named by its entry */
};

/** The text of a submission. It is read only once, because the file may change or vanish while it
 * is graded. */
struct lab_source {
    char *bytes;
    size_t size;
    /** ok; LAB_CHECK_BUILD_ERROR: a student may not hand this in; LAB_CHECK_NOT_RUN: this machine
     * could not read it, which is no verdict */
    enum lab_check_status status;
    char message[256]; /**< where it is not ok */
};

/** Reads a submission; release with lab_source_free(). */
void lab_source_read(struct lab_source *source, const struct lab_submission *submission);

/**
 * @brief The text without what the compiler passes over: each comment, and each run of blanks and
 * ends of lines, is one blank. Directives keep their lines, and literals all that is in them. A
 * text in which it could matter where something stands, such as one with __LINE__, is copied as it
 * is. Texts that have the same plain text are the same program.
 * @param plain  receives it; release with lab_source_free(), in either case
 * @return false: out of memory
 */
bool lab_source_plain(struct lab_source *plain, const struct lab_source *source);

/** Frees it. */
void lab_source_free(struct lab_source *source);

/** A list that grows. */
struct lab_submissions {
    struct lab_submission *list;
    int count;
};

/** Adds the submissions of a path from the command line; LAB_EXIT_OK or LAB_EXIT_USAGE after
 * complaining. */
int lab_submissions_add(struct lab_submissions *submissions, const char *path);

/** Adds a folder that one student handed in, whatever is in it; in the same way. */
int lab_submissions_add_one(struct lab_submissions *submissions, const char *folder);

/**
 * @brief Sorts by student and drops what was named twice. Students with one name, such as an
 * `alice` in each of two sections, or a file and a folder, are named by their paths.
 * @return LAB_EXIT_OK or LAB_EXIT_USAGE after complaining
 */
int lab_submissions_settle(struct lab_submissions *submissions);

/**
 * @brief The name of a student's file, such as "alice.json": `student` with slashes, percent signs
 * and a leading dot replaced, and cut if it is too long for a file.
 * @param number  of the submission, which keeps cut names apart
 */
void lab_submission_file(const char *student, int number, const char *ending,
                         char name[LAB_SUBMISSION_FILE]);

#endif
