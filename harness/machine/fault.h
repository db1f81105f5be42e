/**
 * @file fault.h
 * @brief Whose fault a crash is: the lab's own, or that of a kernel file's host code.
 *
 * A process that is about to die by a signal notes where it was, and another one reports it. The
 * place is that of the innermost frame that belongs to a kernel file or to the lab, since both call
 * other libraries, which crash when they are called wrongly.
 */
#ifndef LAB_MACHINE_FAULT_H
#define LAB_MACHINE_FAULT_H

#include "base/files.h"

#include <stdbool.h>
#include <stddef.h>

/** A crash, as it is noted. */
struct lab_fault {
    int signal;
    bool is_of_kernel_file; /**< its host code crashed, or a library that it called */
    unsigned long offset;   /**< of the place, in `object` */
    char object[LAB_PATH_BYTES];
};

/** Makes room for the notes of children, also of one that replaces itself by `lab`: it finds the
 *  room by the environment. */
void lab_fault_open(void);

/** From now on a crash of this process, or of one that it forks, is noted in the room that a
 *  parent has made. If there is none, or `reports`, it is reported at once, with exit status 3. */
void lab_fault_watch(bool reports);

/** While a kernel file is loaded, its code runs before it is known. */
void lab_fault_set_loading(bool is_loading);

/** Tells that the object with this address is a kernel file. */
void lab_fault_add_kernel_file(const void *address);

/** Takes the note of a child that crashed; false: there is none, and `fault` is all zero. */
bool lab_fault_take(struct lab_fault *fault);

/** One line for people: that the lab is at fault, where, and how to report it. `fault` NULL: the
 *  place is unknown. */
void lab_fault_explain(int number, const struct lab_fault *fault, char *text, size_t size);

#endif
