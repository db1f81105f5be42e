/**
 * @file registry.h
 * @brief The list of steps and exercises, and the names that a user gives them.
 */
#ifndef LAB_REGISTRY_H
#define LAB_REGISTRY_H

#include <stdbool.h>

/* --- the list ----------------------------------------------------------------------------------*/

/** One stage of a step: a kernel file. A step of one file is its own stage, with the same number;
 *  so is an exercise. */
struct lab_stage {
    const char *number; /**< "08.2"; "07" for a step of one file, or an exercise */
    const char *target; /**< "step08.2", "exercise07" */
    const char *file;   /**< name of the kernel file without .cu: "2_fused", "kernel" */
    const char *parent; /**< number of the stage that it builds on, "" for none */
    const char *arch;   /**< least GPU architecture, "80" or "90a"; "" for any */
    const char *title;  /**< the idea in a few words; "": the step's title */
};

/** One step of the series, or one exercise. */
struct lab_registry_entry {
    const char *number;    /**< "07" */
    const char *target;    /**< "step07", "exercise07" */
    const char *solution;  /**< "solution07" of an exercise; NULL: a step */
    const char *directory; /**< "07_float4" */
    const char *family;    /**< "gemm" */
    int sim_size;          /**< default size on the simulator */
    const char *title;     /**< the idea in a few words */
    int level;             /**< of an exercise, from 1 to 3; 0: a step */
    int minutes;           /**< what an exercise takes, about; 0: a step */
};

/** All steps in order; *count receives how many. */
const struct lab_registry_entry *lab_registry(int *count);

/** All exercises in order; *count receives how many. */
const struct lab_registry_entry *lab_registry_exercises(int *count);

/** Whether this is a hand-out (harness/course/handout.sh): the exercises' solutions are not there,
 * but figures that were recorded of them (exercise/recorded.h). */
bool lab_registry_is_handout(void);

/** The exercise that a target ("exercise07" or "solution07") names, or NULL. */
const struct lab_registry_entry *lab_registry_exercise(const char *target);

/** The step or exercise that a target names ("step08", "step08.2", "exercise07", "solution07"), or
 *  NULL. */
const struct lab_registry_entry *lab_registry_target(const char *target);

/** The stages that a target names, in order: all of a step, one for "step08.2", the exercise
 *  itself; *count receives how many, 0 for no target. */
const struct lab_stage *lab_registry_stages(const char *target, int *count);

/** The stage of the series with this number ("08.2"), or NULL. */
const struct lab_stage *lab_registry_stage(const char *number);

/** The files with kernels of a whole step's parameter study ("step05"), in order, if the study has
 *  kernels of its own; else NULL. They are no stages of the step. */
const struct lab_stage *lab_registry_study(const char *target);

/** The next file of the same study; NULL after the last. */
const struct lab_stage *lab_registry_study_next(const struct lab_stage *file);

/** Whether this is a file of a study; NULL is none. */
bool lab_registry_is_study(const struct lab_stage *stage);

/** The step or exercise that a stage belongs to. */
const struct lab_registry_entry *lab_registry_entry_of(const struct lab_stage *stage);

/** The first stage of the series that solves problems of this family; NULL when none does. */
const struct lab_stage *lab_registry_first_of(const char *family);

/** The path of a stage's object in the build folder: "steps/08.2.so". For an exercise or solution
 *  it follows the target: "exercise/07.so". */
void lab_registry_object(const char *target, const struct lab_stage *stage, char *path, int size);

/** The path of its kernel file in the checkout: "exercises/05_register_4x16/kernel.cu". */
void lab_registry_source(const char *target, const struct lab_stage *stage, char path[256]);

/** Whether a word is the name of a target or a command. */
bool lab_registry_knows(const char *word);

/** "; did you mean 'step07'?": the name most like `word` among the targets and commands that begin
 * with `kind` ("": all); "" if no name is much like it. Valid until the next call. */
const char *lab_registry_suggest(const char *word, const char *kind);

/* --- short names and paths ---------------------------------------------------------------------*/

struct lab_registry_entry;

/** The full name of a target ("step07", "step08.2", "exercise01") for that name, with or without a
 *  leading zero, for its number alone ("7", "8.2": a step), and for its folder or kernel file
 *  ("steps/07_float4", "01_transposed_operand", "steps/08_fusion/2_fused.cu"). NULL: none. */
const char *lab_target_name(const char *word);

/** The same where only exercises are meant: a number alone is an exercise's, and a solution means
 *  its exercise. */
const struct lab_registry_entry *lab_target_name_exercise(const char *word);

/** Says that `word` is no exercise, and which one it looks like; an exit status. */
int lab_target_name_no_exercise(const char *word);

#endif
