/**
 * @file settings.h
 * @brief What an instructor may choose: points, limits, what students see.
 */
#ifndef LAB_GRADE_OUTCOME_SETTINGS_H
#define LAB_GRADE_OUTCOME_SETTINGS_H

#include "base/json_writer.h"

#include <stdbool.h>

enum { LAB_SETTING_TEXT = 64 };

/** Read from a file in TOML's form: sections, `name = value`, comments. */
struct lab_settings {
    double points;                 /**< of the whole exercise */
    double shown, hidden, goals;   /**< shares of the points, in any unit */
    char secret[LAB_SETTING_TEXT]; /**< hidden tests are drawn from it; "": from the state folder's
                                    */
    bool hidden_feedback;    /**< students see how a hidden test failed, not only that it did */
    double compile_seconds;  /**< limits */
    double trial_seconds;    /**< all tests of a submission */
    double launch_seconds;   /**< one call of its launch function */
    double memory_mb;        /**< of the process that runs its kernels */
    double gpu_seconds;      /**< all timed items of a submission */
    double call_seconds;     /**< one call of its kernels */
    double speed_share;      /**< of the solution's speed that is asked on a GPU, where the
                                  exercise asks for none itself; 0: none */
    double speed_confidence; /**< of its interval */
    double speed_pairs;      /**< pairs of launches before the first look */
    bool leaderboard;        /**< of Gradescope */
    char visibility[LAB_SETTING_TEXT];        /**< of the tests that students know */
    char hidden_visibility[LAB_SETTING_TEXT]; /**< of the others */
};

/** The defaults. */
struct lab_settings lab_settings_default(void);

/** Writes all settings but the secret as one JSON object with this name. */
void lab_settings_put(const struct lab_settings *settings, struct lab_json_writer *w,
                      const char *name);

/** Reads a file over the defaults; LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining with the line.
 */
int lab_settings_read(struct lab_settings *settings, const char *path);

#endif
