/* An object file: what the grader reads of it before it links and loads it, and the kernels in it.
 */
#include "tests/fuzz/fuzz.h"

#include "grade/recorded_launches/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_object(const uint8_t *data, size_t size)
{
    char path[64], why[512];
    bool unsupported;
    struct lab_object object;
    struct lab_kernels kernels = {NULL, 0};
    int file = memfd_create("object", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (lab_object_open(&object, path, why, sizeof why)) {
        lab_object_allowed(&object, why, sizeof why);
        lab_kernels_read(&object, &kernels, &unsupported, why, sizeof why);
    }
    free(kernels.list);
    lab_object_close(&object);
    close(file);
}
