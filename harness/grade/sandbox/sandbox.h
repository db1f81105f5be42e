/**
 * @file sandbox.h
 * @brief Programs that are not trusted: the user as whom they run, their limits, and messages with
 * them while they run.
 */
#ifndef LAB_GRADE_SANDBOX_SANDBOX_H
#define LAB_GRADE_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Another user of this system, as whom programs run that read a submission or run its host code. It
 * takes root's rights, but no namespaces: for containers in which bubblewrap may make none. */

/** The user and its only group; user 0: none. */
struct lab_account {
    uid_t user;
    gid_t group;
};

/** Finds a user by its name; LAB_EXIT_OK, or LAB_EXIT_USAGE after complaining that it is not there,
 * or that this process or the user cannot be used. */
int lab_account_find(const char *name, struct lab_account *account);

/** Becomes the user, for good: no other group, no way back, nothing gained from a program that
 * belongs to root. False: this process is still what it was, or something between, and must end. */
bool lab_account_become(const struct lab_account *account);

/**
 * @brief Tries, as the user, what a submission could reach through the compiler.
 * @param closed  paths that the user must not be able to open or to enter, ends in NULL; besides
 * them all that is in the checkout and its build folder, except what a compiler needs
 * @return LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining of the first path that is open, or of
 * one that must be open and is not
 */
int lab_account_try(const struct lab_account *account, const char *name, const char *const *closed);

/* Running a program that is not trusted, or reads input that is not. It has limits on everything,
 * and a session of its own that is ended as a whole; where possible, it sees only a bare part of
 * the machine. */

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

/* Talking to a confined program while it runs: bytes both ways, each with a deadline; at the end,
 * all its processes are gone. */

/** A running program; its output is dropped. */
struct lab_conversation {
    pid_t process; /**< 0: none */
    int to, from;  /**< its standard input, its descriptor 3 */
    bool timed_out;
};

/** Starts the program; false if it could not be started. lab_conversation_end() in either case. */
bool lab_conversation_start(const struct lab_confine *what, struct lab_conversation *conversation);

/** Sends or receives all bytes within so many seconds; false: the program ended or took longer. */
bool lab_conversation_send(struct lab_conversation *conversation, const void *bytes, size_t size,
                           double seconds);
bool lab_conversation_receive(struct lab_conversation *conversation, void *bytes, size_t size,
                              double seconds);

/** Ends the program's whole session and waits until all its processes are gone, so that what they
 * held is free. */
void lab_conversation_end(struct lab_conversation *conversation);

#endif
