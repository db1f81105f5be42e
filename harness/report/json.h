/**
 * @file json.h
 * @brief The result as JSON, schema 1.
 */
#ifndef LAB_JSON_H
#define LAB_JSON_H

#include "measure/result.h"
#include "base/json_writer.h"
#include "report/sweep.h"

/** Writes what a study says of a run besides. */
typedef void lab_json_more_fn(struct lab_json_writer *writer, const struct lab_result *run);

/** Sees whether `path` can be written, before a long run: LAB_EXIT_OK, or the status after
 *  complaining. Leaves nothing behind. */
int lab_json_check(const char *path);

/**
 * @brief Writes the result to a file, or to standard output for "-".
 *
 * A file is written beside its place and then renamed, so that it is whole or not there.
 * @return LAB_EXIT_OK, or an exit status after complaining: LAB_EXIT_MISSING for a full disk,
 *         LAB_EXIT_USAGE for a path that cannot be written.
 */
int lab_json_write(const struct lab_result *result, const char *path);

/** The same to a stream that is open. */
void lab_json_put(const struct lab_result *result, FILE *stream);

/** Says why a file that an option names was not written, an errno, and what to do: LAB_EXIT_MISSING
 *  for a full disk, LAB_EXIT_USAGE for a path that cannot be written. */
int lab_json_cannot_write(const char *option, const char *path, int reason);

/** Writes what stands in an object besides what all begin with. */
typedef void lab_json_put_fn(struct lab_json_writer *writer, const void *subject);

/** The same for anything else that a target and a device are said of. */
int lab_json_write_other(const char *target, const struct lab_device *device, lab_json_put_fn *put,
                         const void *subject, const char *path);

/** Its text, without a file. */
void lab_json_put_sweep(const struct lab_sweep *sweep, lab_json_more_fn *put_more, FILE *stream);

/** The same for a parameter study: `runs` is a list of what a result has of its own. */
int lab_json_write_sweep(const struct lab_sweep *sweep, lab_json_more_fn *put_more,
                         const char *path);

#endif
