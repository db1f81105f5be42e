/* Modifiers of floating-point opcodes; div, sqrt, rcp and the approximate functions. */
#include "exec.h"
#include "float.h"
#include "lanes.h"

#include <string.h>

struct float_text sim_read_float(struct decoder *decoder, const struct ptx_instruction *source)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    struct float_text text = {.type = sim_type(source->parts[source->part_count - 1])};
    for (int i = 1; i < source->part_count - 1; i++) {
        const char *const part = source->parts[i];
        bool is_known = false;
        for (int k = 0; k < 4; k++) {
            if (strcmp(part, roundings[k]) == 0) {
                text.rounding = (enum rounding)k;
                is_known = true;
            }
        }
        if (strcmp(part, "ftz") == 0)
            text.ftz = is_known = true;
        else if (strcmp(part, "sat") == 0)
            text.sat = is_known = true;
        else if (strcmp(part, "approx") == 0)
            text.is_approximate = is_known = true;
        else if (strcmp(part, "full") == 0)
            text.is_full = is_known = true;
        if (!is_known)
            sim_refuse_opcode(decoder, source);
    }
    return text;
}

const struct family sim_approximate_families[] = {
    {"div", sim_decode_arithmetic},
    {"sqrt", sim_decode_arithmetic},
    {"rcp", sim_decode_arithmetic},
    {NULL, NULL},
};
