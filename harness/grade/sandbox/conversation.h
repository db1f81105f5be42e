/**
 * @file conversation.h
 * @brief Talking to a confined program while it runs: bytes both ways, each with a deadline; at the
 * end, all its processes are gone.
 */
#ifndef LAB_GRADE_SANDBOX_CONVERSATION_H
#define LAB_GRADE_SANDBOX_CONVERSATION_H

#include "grade/sandbox/confine.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
