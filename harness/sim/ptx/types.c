/* The fundamental types, their names and sizes, and what the parts of an opcode say. */
#include "sim/ptx/parser.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [PTX_NONE] = {"", 0},       [PTX_B8] = {"b8", 1},     [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},     [PTX_B64] = {"b64", 8},   [PTX_B128] = {"b128", 16},
    [PTX_U8] = {"u8", 1},       [PTX_U16] = {"u16", 2},   [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},     [PTX_S8] = {"s8", 1},     [PTX_S16] = {"s16", 2},
    [PTX_S32] = {"s32", 4},     [PTX_S64] = {"s64", 8},   [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2}, [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_F32] = {"f32", 4},     [PTX_F64] = {"f64", 8},   [PTX_PRED] = {"pred", 1},
};

size_t ptx_type_size(enum ptx_type type)
{
    return types[type].size;
}

enum ptx_type ptx_type_named(const char *text, size_t length)
{
    for (enum ptx_type type = PTX_NONE + 1; type <= PTX_PRED; type++)
        if (strlen(types[type].name) == length && memcmp(types[type].name, text, length) == 0)
            return type;
    return PTX_NONE;
}

enum ptx_type ptx_part_type(const char *part)
{
    return ptx_type_named(part, strlen(part));
}

bool ptx_has_part(const struct ptx_instruction *source, const char *part)
{
    for (int i = 1; i < source->part_count; i++)
        if (strcmp(source->parts[i], part) == 0)
            return true;
    return false;
}
