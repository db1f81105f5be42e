/**
 * @file drawn_line.h
 * @brief Ranges and lists of numbers in a line of goal.txt, of which a grader draws one, and what
 * only a grader sees.
 */
#ifndef LAB_EXERCISE_DRAWN_LINE_H
#define LAB_EXERCISE_DRAWN_LINE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
