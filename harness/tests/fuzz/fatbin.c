/* A fat binary from its first byte: the entries that suit a device, unpacked, and what the machine
 * code says of its kernels. */
#include "tests/fuzz/fuzz.h"

#include "sim/fatbin/fatbin.h"

#include <stdlib.h>
#include <string.h>

static void look(const uint8_t *data, size_t size, enum sim_fatbin_kind kind)
{
    char error[300];
    size_t length;
    int found;
    struct sim_cubin cubin;
    char *code = sim_fatbin_select(data, size, kind, 90, &length, &found, error, sizeof error);
    if (code && kind == SIM_FATBIN_CUBIN &&
        sim_cubin_read(&cubin, code, length, error, sizeof error))
        sim_cubin_free(&cubin);
    free(code);
}

void fuzz_fatbin(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* so that a checker sees its end */
    if (!copy)
        return;
    memcpy(copy, data, size);
    look(copy, size, SIM_FATBIN_PTX);
    look(copy, size, SIM_FATBIN_CUBIN);
    free(copy);
}
