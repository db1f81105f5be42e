/**
 * @file fuzz.h
 * @brief What reads bytes that a submission controls, each as one function of those bytes. It must
 * come back from any, without a word of its own. `make fuzz TARGET=name` tries new ones;
 * test_fuzz.c those that are kept in seeds/.
 */
#ifndef LAB_TESTS_FUZZ_H
#define LAB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** An object file, as the grader looks at it before anything of it runs. */
void fuzz_object(const uint8_t *data, size_t size);

/** A fat binary, and the machine code in it. */
void fuzz_fatbin(const uint8_t *data, size_t size);

/** PTX, loaded, and each of its kernels run by one warp. */
void fuzz_ptx(const uint8_t *data, size_t size);

/** What the recorder says, turned into launches. */
void fuzz_answers(const uint8_t *data, size_t size);

/** What a timer says to the grader. */
void fuzz_timer(const uint8_t *data, size_t size);

#endif
