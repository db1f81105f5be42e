/**
 * @file judge.h
 * @brief One submission from file to outcome: compile, look at the object, trial.
 */
#ifndef LAB_GRADE_JUDGE_H
#define LAB_GRADE_JUDGE_H

#include "exercise/goal_file.h"
#include "grade/outcome/outcome.h"
#include "grade/recorded_launches/object.h"
#include "grade/sandbox/sandbox.h"
#include "grade/submission.h"

/** Where the outcome of a program is kept for all files that are the same program. */
struct lab_judge_equal {
    struct lab_source plain; /**< of the file, see lab_source_plain() */
    char path[LAB_PATH_BYTES];
};

/** The same for all submissions of a run, but `equal`. */
struct lab_judge {
    const struct lab_registry_entry *entry;
    const struct lab_exercise *exercise;
    struct lab_settings settings;
    bool isolate;
    struct lab_account account; /**< without bubblewrap: the user for compiler and recorder */
    const char *runtime;        /**< "sim", or "gpu" where submissions are timed, too */
    struct lab_plan_timing timing;
    const struct lab_outcome *solution; /**< of the same tests and goals; NULL: not tried yet */
    const struct lab_outcome *given;    /**< likewise of the file as it was given to students */
    const char *device;                 /**< the name of the GPU that they are timed on; "": none */
    const char *lock;   /**< of the GPU that they are timed on, see lab_gpu_lock() */
    const char *folder; /**< to work in; each submission has its own folder inside */
    const struct lab_judge_equal *equal; /**< NULL: the submission is judged by itself */
};

/** Compiles a submission to kernel.o and kernel.o.so in a folder, and checks what the object holds;
 * false, with the outcome set, if one of these fails. */
bool lab_judge_build(const struct lab_judge *judge, const struct lab_source *source,
                     const char *folder, struct lab_outcome *outcome);

/** Fills *outcome, whatever the submission does, and removes what the submission wrote.
 * LAB_CHECK_NOT_RUN is no verdict: this machine could not grade it, and the message says why. */
void lab_judge(const struct lab_judge *judge, const struct lab_submission *submission,
               const struct lab_source *source, struct lab_outcome *outcome);

/* Compiling a submission, confined and with the flags of the steps, into an object and a shared
 * object. */

/** How the compiler is run. */
struct lab_build_terms {
    bool isolate;               /**< through bubblewrap */
    struct lab_account account; /**< or as this user, who owns the folder */
    double seconds;             /**< that it may take */
};

/**
 * @brief Compiles FOLDER/kernel.cu into FOLDER/kernel.o; nothing of it is executed.
 * @return false after setting the outcome's status and what the compiler said
 */
bool lab_build_object(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome);

/** Links FOLDER/kernel.o, which must have been checked, into FOLDER/kernel.o.so. */
bool lab_build_shared(const struct lab_build_terms *terms, const char *folder,
                      struct lab_outcome *outcome);

#endif
