/**
 * @file goal_file.h
 * @brief The file of an exercise's goals: read, and its lines checked.
 */
#ifndef LAB_EXERCISE_GOAL_FILE_H
#define LAB_EXERCISE_GOAL_FILE_H

#include "measure/counters/counters.h"
#include "series/registry.h"

#include <stdbool.h>
#include <stdint.h>

/* Ranges and lists of numbers in a line of goal.txt, of which a grader draws one, and what only a
 * grader sees. */

enum { LAB_DRAWN_LINE = 256 };

/** What is taken of a line. `4..7` is a range, `128,160,192` a list of 2 to 12 numbers; words from
 *  `[` to `]` are for a grader alone. */
enum lab_drawn_from {
    LAB_DRAWN_SHOWN,  /**< the first numbers, without the words in brackets: what students run */
    LAB_DRAWN_LAST,   /**< the last numbers, and all words */
    LAB_DRAWN_HIDDEN, /**< any number, and all words: of a line that students never see */
    LAB_DRAWN_ANEW,   /**< as LAB_DRAWN_HIDDEN, but of a list outside of brackets not its first */
};

/** SplitMix64 (Sebastiano Vigna, public domain constants): advances `*state`. */
uint64_t lab_draw(uint64_t *state);

/**
 * @brief Writes a line with one number in place of each range and list.
 * @param state for what is drawn; NULL for the others
 * @return false: a range or a bracket is not valid, or the line is too long
 */
bool lab_drawn_line(const char *line, enum lab_drawn_from from, uint64_t *state,
                    char text[LAB_DRAWN_LINE]);

/* --- reading -----------------------------------------------------------------------------------*/

enum {
    LAB_EXERCISE_TESTS = 48,
    LAB_EXERCISE_GOALS = 12,
    LAB_EXERCISE_HINTS = 8,
    LAB_EXERCISE_TEXT = 4096,
    LAB_EXERCISE_LINE = LAB_DRAWN_LINE,
};

/** A figure that a right kernel must reach, relative to the solution's figure at the same sizes. */
struct lab_exercise_goal {
    char options[LAB_EXERCISE_LINE]; /**< sizes, as for `run` */
    char drawn[LAB_EXERCISE_LINE];   /**< as written, with lists such as 128,160,192, of which a
                                        grader draws another than the first, and [options] that
                                        only it adds */
    char also[LAB_EXERCISE_LINE];    /**< as written: where a grader measures it a second time, so
                                        that no kernel has the idea at some sizes alone; "":
                                        nowhere */
    char timed[LAB_EXERCISE_LINE];   /**< sizes at which a GPU measures a speed; "": the same */
    bool least;                      /**< at least `factor` times the solution's; else at most */
    bool guards;                     /**< written `guard`: see lab_exercise_goal_guards() */
    bool exactly;                    /**< exactly `factor` times; `least` is then false */
    double factor;
    char counter[LAB_COUNTER_NAME_BYTES]; /**< Nsight Compute's name; "speed": the inverse of time;
                                             "time": modelled, see lab_exercise_goal_is_pace() */
    char label[64];
    char advice[LAB_EXERCISE_LINE]; /**< what to look at if the goal is missed */
    bool is_known;                  /**< the solution's figure was taken before: */
    double known;
};

/** One exercise's goal.txt: lines of text, then "test OPTIONS", "hidden OPTIONS", "time OPTIONS",
 * "without HEADER...", "learned SENTENCE" and "goal OPTIONS | most|least|exactly FACTOR | COUNTER |
 * LABEL | ADVICE". A goal on COUNTER "time" comes before all others, then "guard ...", written as a
 * goal. "also OPTIONS" is about the goal above it, and all before it that have its sizes. */
struct lab_exercise {
    char text[LAB_EXERCISE_TEXT]; /**< the goal in words */
    char tests[LAB_EXERCISE_TESTS][LAB_EXERCISE_LINE];
    int test_count;
    char hidden[LAB_EXERCISE_TESTS][LAB_EXERCISE_LINE]; /**< for grading; 1..9: any of these */
    int hidden_count;
    char timed[LAB_EXERCISE_LINE];   /**< sizes at which a GPU times it; "": the family's own */
    char without[LAB_EXERCISE_LINE]; /**< headers of common/, or folders of it, that it refuses */
    char learned[LAB_EXERCISE_LINE]; /**< a sentence: what somebody knows who has passed */
    struct lab_exercise_goal goals[LAB_EXERCISE_GOALS];
    int goal_count;
};

/** Whether a goal bounds the modelled time. */
bool lab_exercise_goal_is_pace(const struct lab_exercise_goal *goal);

/** Whether a goal bounds the modelled time, or is a guard. It gives no points; a kernel that misses
 * it has not found the exercise's idea, however it came to good counters, and reaches no later goal
 * either. A naive kernel may well meet it. */
bool lab_exercise_goal_guards(const struct lab_exercise_goal *goal);

/** Reads goal.txt; LAB_EXIT_OK, or LAB_EXIT_MISSING after complaining. */
int lab_exercise_read(const struct lab_registry_entry *entry, struct lab_exercise *exercise);

/** Reads hints.txt, in which lines of three dashes separate the hints; returns how many hints there
 *  are, or -1 if the file cannot be read. */
int lab_exercise_hints(const struct lab_registry_entry *entry,
                       char hints[LAB_EXERCISE_HINTS][LAB_EXERCISE_TEXT]);

/* --- the lines as command lines ----------------------------------------------------------------*/

/**
 * @brief Checks all lines of an exercise: their options, at both ends of each range and list.
 * @return LAB_EXIT_OK, or LAB_EXIT_USAGE after naming the line
 */
int lab_exercise_check(const struct lab_registry_entry *entry, const struct lab_exercise *exercise);

#endif
