/**
 * @file toolchain.h
 * @brief Running a tool, and compiling a kernel file with the flags that the steps are built with.
 */
#ifndef LAB_MACHINE_TOOLCHAIN_H
#define LAB_MACHINE_TOOLCHAIN_H

#include "base/files.h"

#include <stddef.h>

/** Folder of the CUDA toolkit's libraries. */
const char *lab_toolkit_libraries(void);

enum { LAB_TOOLCHAIN_WORDS = 96 };

/** Reads the makefile's nvcc command without input and output into `words`, with room for some
 *  more. The words lie in `text`. Returns how many there are, or -1. */
int lab_toolchain_command(char text[LAB_PATH_BYTES], char *words[LAB_TOOLCHAIN_WORDS]);

/** Path of the nvcc that built the steps; -1 when it is not there any more. */
int lab_toolchain_nvcc(char path[LAB_PATH_BYTES]);

/**
 * @brief Runs a command to its end.
 * @param text  receives what it printed on both streams, cut to `size`
 * @return its exit status; -1 when it could not be started or a signal ended it.
 */
int lab_toolchain_run(char *const words[], char *text, size_t size);

/**
 * @brief An option of nvcc that leaves out of the host's `<cmath>` what kernel files rarely use.
 *
 * nvcc reads the host's headers three times. The special functions of C++17 (Bessel, Legendre), and
 * the parts of the C++ library that they include, are a third of a kernel file's compile time. A
 * file is compiled with this option first, and without it if that fails. So a file that needs them
 * still compiles, and errors are reported as usual. Other C++ libraries ignore this name.
 */
#define LAB_TOOLCHAIN_PLAIN_CMATH "-D_GLIBCXX_BITS_SPECFUN_H"

/**
 * @brief Compiles `source` into a shared object in the build folder.
 * @param header    a header of the checkout to include first; NULL: none
 * @param object    receives the object's path; the caller removes the file
 * @param messages  receives what the compiler printed, cut to `size` bytes
 * @return LAB_EXIT_OK; LAB_EXIT_FAILED when the file does not compile; LAB_EXIT_USAGE when it
 *         cannot be read, LAB_EXIT_MISSING without a compiler (both after complaining).
 */
int lab_toolchain_compile(const char *source, const char *header, char object[LAB_PATH_BYTES],
                          char *messages, size_t size);

/* --- run doctor --------------------------------------------------------------------------------*/

/** Prints one line per tool and library. Returns LAB_EXIT_OK if steps can be built and run in some
 *  way, else LAB_EXIT_MISSING. */
int lab_doctor(void);

#endif
