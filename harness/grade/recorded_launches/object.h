/**
 * @file object.h
 * @brief What the object file of a compiled submission says: its symbols, code that would run
 * before it is called, and the fat binary. Nothing in it is executed.
 */
#ifndef LAB_GRADE_RECORDED_LAUNCHES_OBJECT_H
#define LAB_GRADE_RECORDED_LAUNCHES_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/** An object file in memory. */
struct lab_object {
    unsigned char *bytes;
    size_t size;
    const unsigned char *fatbin; /**< section .nv_fatbin, inside `bytes`: one container,
                                      whole; NULL when it is anything else */
    size_t fatbin_size;
};

/** Reads an ELF object; false with one line in `why`. lab_object_close() in either case. */
bool lab_object_open(struct lab_object *object, const char *path, char *why, size_t size);

/** Frees it. */
void lab_object_close(struct lab_object *object);

/** Whether it prints, on the device or the host. It is looked for in the code, not noticed in a
 * run: what a kernel prints for a hidden test alone would tell of that test. */
bool lab_object_prints(const struct lab_object *object);

/**
 * @brief Refuses what a submission has no use for: calls of anything but kernel launches and a few
 * harmless functions, code that runs when it is loaded, functions that stand in for the system's,
 * kernels that nvcc did not write.
 * @return true when all is allowed; false with one line in `why` that names the symbol.
 */
bool lab_object_allowed(const struct lab_object *object, char *why, size_t size);

#endif
