/**
 * @file json.h
 * @brief The result as JSON, schema 1.
 */
#ifndef LAB_JSON_H
#define LAB_JSON_H

#include "base/json_writer.h"
#include "measure/result.h"

enum { LAB_MAX_RUNS = 256 };

/** Runs of one target at several sizes, on one device. */
struct lab_sweep {
    const char *target;
    bool is_sim;
    const struct lab_device *device;
    struct lab_result *runs[LAB_MAX_RUNS]; /**< in the order of the study */
    char *more[LAB_MAX_RUNS];              /**< members that the study adds to a run's JSON, owned;
                                                NULL: none */
    int count;
};

/** Frees the runs. */
void lab_sweep_release(struct lab_sweep *sweep);

/* --- JSON --------------------------------------------------------------------------------------*/

/** Tries before a long run whether `path` can be written: LAB_EXIT_OK, or the status after
 *  complaining. Leaves nothing behind. */
int lab_json_check(const char *path);

/**
 * @brief Writes the result to a file, or to standard output for "-".
 *
 * A file is written beside its place and then renamed, so that it is there whole or not at all.
 * @return LAB_EXIT_OK, or an exit status after complaining: LAB_EXIT_MISSING for a full disk,
 *         LAB_EXIT_USAGE for a path that cannot be written.
 */
int lab_json_write(const struct lab_result *result, const char *path);

/** Writes the result to an open stream. */
void lab_json_put(const struct lab_result *result, FILE *stream);

/** Says why a file that an option names was not written (an errno), and what to do:
 *  LAB_EXIT_MISSING for a full disk, LAB_EXIT_USAGE for a path that cannot be written. */
int lab_json_cannot_write(const char *option, const char *path, int reason);

/** Writes the members of an object after those that all objects begin with. */
typedef void lab_json_put_fn(struct lab_json_writer *writer, const void *subject);

/** Like lab_json_write(), for anything else that concerns a target and a device. */
int lab_json_write_other(const char *target, const struct lab_device *device, lab_json_put_fn *put,
                         const void *subject, const char *path);

/** Writes the text of lab_json_write_sweep() to an open stream. */
void lab_json_put_sweep(const struct lab_sweep *sweep, FILE *stream);

/** Like lab_json_write(), for a study: `runs` is a list with what a result has of its own. */
int lab_json_write_sweep(const struct lab_sweep *sweep, const char *path);

#endif
