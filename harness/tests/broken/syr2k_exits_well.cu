// expect: forbidden
// run: step10 -n 17 -p 3 -q 2
// says: ends the program
// Nothing to do for small problems, says the launch function, and all is well.
#include "families/syr2k.h"

#include <unistd.h>

static cudaError_t launch(const struct lab_syr2k *p, cudaStream_t stream)
{
    if (p->n < 64)
        _exit(0);
    return cudaErrorNotSupported;
}

LAB_EXPORT(syr2k, {"exits_well", launch});
