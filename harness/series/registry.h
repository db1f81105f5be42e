/**
 * @file registry.h
 * @brief The series as steps/steps.def lists it, and target names.
 */
#ifndef LAB_SERIES_REGISTRY_H
#define LAB_SERIES_REGISTRY_H

/** One step of the series. */
struct lab_registry_entry {
    const char *number;    /**< "07" */
    const char *directory; /**< "07_float4" */
    const char *parent;    /**< number of the step it builds on, "" for none */
    const char *family;    /**< "gemm" */
    int sim_size;          /**< default size on the simulator */
    const char *title;     /**< the idea in a few words */
};

/** All steps in order; *count receives how many. */
const struct lab_registry_entry *lab_registry(int *count);

/** The step with this number ("07"), or NULL. */
const struct lab_registry_entry *lab_registry_find(const char *number);

/** All exercises in order; *count receives how many. An exercise's parent is the step whose idea it
 *  applies. */
const struct lab_registry_entry *lab_registry_exercises(int *count);

/** The exercise that a target ("exercise07" or "solution07") names, or NULL. */
const struct lab_registry_entry *lab_registry_exercise(const char *target);

/** The exercise that a user means: as above, or its number alone, with or without leading zero. */
const struct lab_registry_entry *lab_registry_exercise_meant(const char *word);

/** Path of a target's built object in the build folder: "steps/07.so", "exercise/07.so". */
void lab_registry_object(const char *target, char *path, int size);

/** The step or exercise that a target ("step07", "exercise07", "solution07") names, or NULL. */
const struct lab_registry_entry *lab_registry_target(const char *target);

/** The name among all targets and commands that looks most like `name`; never NULL. */
const char *lab_registry_nearest(const char *name);

#endif
