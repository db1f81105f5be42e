/**
 * @file confine.h
 * @brief Running a program that is not trusted, or reads input that is not. It has limits on
 * everything, and a session of its own that is ended as a whole; where possible, it sees only a
 * bare part of the machine.
 */
#ifndef LAB_GRADE_SANDBOX_CONFINE_H
#define LAB_GRADE_SANDBOX_CONFINE_H

#include "grade/sandbox/account.h"

#include <stdbool.h>
#include <stddef.h>

enum { LAB_CONFINE_WORDS = 96, LAB_CONFINE_BINDS = 16 };

/** A path that the program sees, under its own name. */
struct lab_confine_bind {
    const char *path;
    bool writable;
};

/** What to run and within which limits. */
struct lab_confine {
    const char *words[LAB_CONFINE_WORDS + 1]; /**< the command, ends in NULL */
    struct lab_confine_bind binds[LAB_CONFINE_BINDS];
    int bind_count;
    const char *const *environment; /**< all of it, ends in NULL */
    bool isolate;                   /**< through bubblewrap: no network, read-only, own processes */
    struct lab_account account;     /**< as this user, without bubblewrap; 0: as this process is */
    bool gpu;                       /**< it sees the GPU's device files and driver, too */
    double seconds;                 /**< of processor time, all processes together, or asleep */
    size_t memory_bytes;            /**< address space; 0: no limit */
    size_t file_bytes;              /**< largest file written */
    size_t output_bytes;            /**< on standard output and error; more ends it */
    const void *input;              /**< its standard input; NULL: none */
    size_t input_bytes;
    size_t result_bytes; /**< most that is taken from its descriptor 3; 0: it has none */
};

/** How the program ended. */
struct lab_confined {
    bool started, timed_out, too_much_output;
    int status;   /**< exit status; -1 when a signal ended it */
    int signal;   /**< the signal that ended it, if status is -1 */
    char *output; /**< text, ends in NUL */
    char *result; /**< bytes from descriptor 3 */
    size_t result_size;
    double seconds;
};

/** Tries whether bubblewrap is there and may make namespaces; if not, `why` receives one line. */
bool lab_confine_can_isolate(char *why, size_t size);

/** Adds a word to the command. Words beyond the limit are dropped, and the program will
 * complain. */
void lab_confine_word(struct lab_confine *what, const char *word);

/** Adds a path that may be seen. */
void lab_confine_bind(struct lab_confine *what, const char *path, bool writable);

/** Runs the program to its end or to the first limit; afterwards nothing of it runs any more. */
void lab_confine_run(const struct lab_confine *what, struct lab_confined *how);

/** Frees the texts. */
void lab_confined_free(struct lab_confined *how);

/**
 * @brief Becomes the program, in the child of a fork: session, descriptors, limits, account,
 * bubblewrap.
 * Does not return. A process between it and its parent ends the session when the parent is killed.
 * @param grader           the parent
 * @param in, out, result  what becomes its descriptors 0, 1 and 2, and 3; result: -1 for none
 */
void lab_confine_become(const struct lab_confine *what, pid_t grader, int in, int out, int result)
    __attribute__((noreturn));

#endif
