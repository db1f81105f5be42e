/**
 * @file run_lab.h
 * @brief Running the program under test as a user would, and what it said.
 */
#ifndef TEST_RUN_LAB_H
#define TEST_RUN_LAB_H

#include <stdbool.h>

enum { RUN_LAB_BYTES = 262144 };

/** What one run of the program printed and how it ended. */
struct run_lab {
    int status; /**< exit status; -1 when a signal ended it */
    char out[RUN_LAB_BYTES], err[RUN_LAB_BYTES];
};

/** Runs `LAB_TEST_ROOT/run ARGUMENTS` through a shell, on the runtime that LAB_TEST_RUNTIME names
 *  unless the arguments say otherwise. */
void run_lab(struct run_lab *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Runs a shell's command line in LAB_TEST_ROOT. May be called from several threads at once. */
void run_lab_shell(struct run_lab *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** What `--source` takes of a kernel file of broken/ or right/, given as "broken/NAME.cu", and of
 * an exercise as students get it, "stubs/stub07.cu": where make built it with others, OBJECT:NAME;
 * else the file itself. Valid until the next call. */
const char *run_lab_source(const char *file);

/** The folder that holds the kernels of broken/, right/ and submissions/ as make has written them,
 *  as messages name it. Commands find it as .built/tests/kernels. */
const char *run_lab_kernels(void);

/** Whether `make test-all` runs this, which takes what is too much for `make test`. */
bool run_lab_tries_all(void);

/** Ends the test that calls it, as skipped, unless `make test-all` runs it. */
void run_lab_leave_to_test_all(void);

/** Whether the i-th of many of a kind is tried: by `make test-all` all are, by `make test` one of
 * `each`. */
bool run_lab_takes(int i, int each);
/** As run_lab_takes(), by a file's name, so that a further file changes nothing for the others. */
bool run_lab_takes_file(const char *name, int each);

/** Whether this family is asked for: by `make test ONLY=FAMILY` that one alone, else all. */
bool run_lab_wants(const char *family);

/** Number of lines in a text. */
int run_lab_lines(const char *text);

/** Runs it and expects a refusal: this exit status, one line on standard error that holds `text`,
 *  and nothing on standard output. */
void run_lab_expect_error(int status, const char *text, const char *arguments);

/** The number behind `"name": ` in a JSON text, from `from` on; fails the test where there is none.
 */
double run_lab_figure(const char *from, const char *name);

#endif
