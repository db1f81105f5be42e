/* Follows sets of origins through the registers of the entry, whatever the order of the
 * instructions: a register's set has the origins from all instructions that write it. Only 8-byte
 * values are pointers, so that indices, which are mostly narrower, add nothing. */
#include "global_tags.h"

#include <stdlib.h>
#include <string.h>

static uint64_t of_variable(const struct ptx_variable *variable)
{
    return variable->space == PTX_GLOBAL ? TARGET_SYMBOLS : 0;
}

/* The origins of the value of an operand that is read. */
static uint64_t of_operand(const uint64_t *origins, const struct ptx_operand *operand)
{
    uint64_t found = 0;
    if (operand->kind == PTX_OPERAND_REGISTER ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->reg >= 0))
        found = origins[operand->reg];
    else if (operand->variable)
        found = of_variable(operand->variable);
    for (int i = 0; i < operand->element_count; i++)
        found |= of_operand(origins, &operand->elements[i]);
    return found;
}

static bool add(uint64_t *origins, const struct ptx_operand *operand, uint64_t found)
{
    bool has_grown = false;
    if (operand->kind == PTX_OPERAND_REGISTER) {
        has_grown = (found & ~origins[operand->reg]) != 0;
        origins[operand->reg] |= found;
    }
    for (int i = 0; i < operand->element_count; i++)
        has_grown |= add(origins, &operand->elements[i], found);
    return has_grown;
}

/* The origins that a load from an entry's parameters has: one for each 8 bytes that it reads. */
static uint64_t of_parameter(const struct ptx_function *entry, const struct ptx_operand *address,
                             size_t bytes)
{
    const struct ptx_variable *const variable = address->variable;
    if (address->reg >= 0 || !variable || variable < entry->params ||
        variable >= entry->params + entry->param_count)
        return TARGET_ANY;
    uint64_t found = 0;
    const size_t first = variable->offset + (size_t)address->offset;
    for (size_t byte = first; byte < first + bytes; byte += 8)
        found |= byte / 8 < TARGET_PARAMS ? UINT64_C(1) << byte / 8 : TARGET_ANY;
    return found;
}

static uint64_t of_load(const struct ptx_function *entry, const struct ptx_instruction *source)
{
    const struct ptx_operand *const to = &source->operands[0];
    const char *const type = source->parts[source->part_count - 1];
    const size_t count = to->kind == PTX_OPERAND_VECTOR ? (size_t)to->element_count : 1;
    if (strlen(type) != 3 || strcmp(type + 1, "64") != 0 || type[0] == 'f')
        return 0;
    return ptx_has_part(source, "param") ? of_parameter(entry, &source->operands[1], 8 * count)
                                         : TARGET_ANY;
}

/* The origins of the value that an instruction writes to its first operand. */
static uint64_t of_result(const struct ptx_function *entry, const uint64_t *origins,
                          const struct ptx_instruction *source)
{
    if (ptx_does(source, PTX_LOADS))
        return of_load(entry, source);
    if (ptx_does(source, PTX_UPDATES))
        return ptx_has_part(source, "b64") || ptx_has_part(source, "u64") ? TARGET_ANY : 0;
    uint64_t found = 0;
    for (int i = 1; i < source->operand_count; i++)
        found |= of_operand(origins, &source->operands[i]);
    return found;
}

static bool may_write_global(const struct ptx_instruction *source)
{
    const bool is_elsewhere = ptx_has_part(source, "shared") || ptx_has_part(source, "local") ||
                              ptx_has_part(source, "param") ||
                              ptx_has_part(source, "shared::cta") ||
                              ptx_has_part(source, "param::func");
    return (!is_elsewhere || source->operation == PTX_OP_tensormap_cp_fenceproxy) &&
           ptx_does(source, PTX_CHANGES_MEMORY) && ptx_address(source);
}

/* Bulk copies that belong to a group write to global memory: to their first operand, or to what a
 * tensor map tells. */
static uint64_t of_bulk_copy(const uint64_t *origins, const struct ptx_instruction *source)
{
    if (!ptx_does(source, PTX_COPIES) || !ptx_has_part(source, "bulk_group"))
        return 0;
    return ptx_has_part(source, "tensor") ? TARGET_ANY : of_operand(origins, ptx_address(source));
}

static uint64_t gather(const struct ptx_function *entry, const uint64_t *origins)
{
    uint64_t found = 0;
    for (int i = 0; i < entry->instruction_count; i++) {
        const struct ptx_instruction *const source = &entry->instructions[i];
        if (ptx_does(source, PTX_DRAWS))
            found |= TARGET_ANY;
        else if (may_write_global(source))
            found |= of_operand(origins, ptx_address(source));
        found |= of_bulk_copy(origins, source);
    }
    return found;
}

uint64_t sim_find_targets(const struct program *program)
{
    const struct ptx_function *const entry = program->entry->ptx;
    uint64_t *const origins = calloc((size_t)entry->register_count + 1, sizeof *origins);
    if (program->has_calls || !origins) {
        free(origins);
        return TARGET_ANY | TARGET_KNOWN;
    }
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int i = 0; i < entry->instruction_count; i++) {
            const struct ptx_instruction *const source = &entry->instructions[i];
            if (ptx_writes_result(source))
                has_grown |= add(origins, &source->operands[0], of_result(entry, origins, source));
        }
    }
    const uint64_t found = gather(entry, origins) | TARGET_KNOWN;
    free(origins);
    return found;
}
