/* first: no sharing */
#include "sim/ptx/ptx.h"

bool ptx_analyse(struct ptx_module *module, struct ptx_function *function, struct ptx_error *error)
{
    (void)module;
    (void)error;
    for (int i = 0; i < function->register_count; i++) {
        struct ptx_register *reg = &function->registers[i];
        if (reg->type == PTX_PRED)
            reg->slot = function->predicate_slots++;
        else if (ptx_type_size(reg->type) == 8)
            reg->slot = function->slots64++;
        else
            reg->slot = function->slots32++;
    }
    return true;
}
