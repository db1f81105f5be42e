/**
 * @file judge.h
 * @brief One submission from file to outcome: compile, look at the object, trial.
 */
#ifndef LAB_JUDGE_H
#define LAB_JUDGE_H

#include "grade/exercise.h"
#include "grade/outcome.h"
#include "grade/submission.h"

/** The same for all submissions of a run. */
struct lab_judge {
    const struct lab_registry_entry *entry;
    const struct lab_exercise *exercise;
    struct lab_settings settings;
    bool isolate;
    const char *runtime; /**< "sim" or "gpu" */
    const char *folder;  /**< to work in; each submission has its own inside */
};

/** Fills *outcome, whatever the submission does. Removes what it wrote. */
void lab_judge(const struct lab_judge *judge, const struct lab_submission *submission,
               struct lab_outcome *outcome);

#endif
