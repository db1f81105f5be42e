/**
 * @file compiled.h
 * @brief What nvcc made of a kernel file, kept for the next time that it is asked for the same: a
 * course that is graded anew after a change of its settings, a file that is run with other options.
 */
#ifndef LAB_MACHINE_COMPILED_H
#define LAB_MACHINE_COMPILED_H

#include "base/files.h"

#include <stdbool.h>
#include <time.h>

/** One compilation, from before the compiler is started until after it has ended. */
struct lab_compilation {
    char *const *words;  /**< the compiler's command; NULL after the last one */
    const char *source;  /**< the kernel file, as `words` names it */
    const char *place;   /**< where it lies, if what is made tells so; "" if not */
    const char *object;  /**< what is made, as `words` names it */
    const char *depends; /**< the list of files that were read (-MD), as `words` names it */
    /* The rest is lab_compilation_known()'s. */
    char *key; /**< all that decides what comes out, but the files included */
    size_t key_size;
    time_t begun;
    char path[LAB_PATH_BYTES]; /**< where it is kept */
};

/**
 * @brief Looks whether this command has been run on this text, and all files it read are as they
 * were; then writes `object` and `depends`, and what the compiler said to *messages, which the
 * caller frees. To be ended by lab_compilation_end(), whatever it returns.
 */
bool lab_compilation_known(struct lab_compilation *compilation, char **messages);

/** Keeps what a compiler that succeeded has written and said. What cannot be kept is not. */
void lab_compilation_keep(const struct lab_compilation *compilation, const char *messages);

/** Frees what lab_compilation_known() has taken. */
void lab_compilation_end(struct lab_compilation *compilation);

#endif
