/* An input beside itself made again. */
#include "families/change.h"

#include <string.h>

cudaError_t lab_find_change(const struct lab_problem *problem, const struct lab_input *input,
                            struct lab_change *change)
{
    const size_t each = input->element_bytes, most = input->staging_elements / 2;
    const size_t count = input->buffer->bytes / each;
    char *now = input->staging, *before = now + most * each;
    *change = (struct lab_change){0};
    for (size_t first = 0; first < count; first += most) {
        const size_t piece = count - first < most ? count - first : most;
        cudaError_t status = cudaMemcpy(now, (const char *)input->buffer->data + first * each,
                                        piece * each, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess)
            return status;
        input->fill(problem, input->which, before, first, piece);
        if (memcmp(now, before, piece * each) == 0)
            continue;
        size_t i = 0;
        while (memcmp(now + i * each, before + i * each, each) == 0)
            i++;
        *change = (struct lab_change){first + i, before + i * each, now + i * each};
        return cudaSuccess;
    }
    return cudaSuccess;
}
