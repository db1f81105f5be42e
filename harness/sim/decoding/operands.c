/* Operands: constants, registers, and addresses of variables and functions, as slots of the frame.
 * A rule says of what kind each operand is. */
#include "decoder.h"
#include "decode.h"

#include "sim/machine/lanes.h"

#include <string.h>

/* ---- Addresses ---- */

static const struct instruction *local_address32(struct warp *warp, const struct instruction *at)
{
    uint32_t *const d = sim_slot(warp, at->d);
    EACH_LANE d[lane] = warp->local_base + (uint32_t)at->value;
    return at + 1;
}

static const struct instruction *local_address64(struct warp *warp, const struct instruction *at)
{
    uint64_t *const d = sim_slot(warp, at->d);
    EACH_LANE d[lane] = warp->local_base + at->value;
    return at + 1;
}

static int32_t local_address_slot(struct decoder *decoder, const struct ptx_instruction *source,
                                  int64_t offset, char kind)
{
    const int32_t slot = sim_temporary(decoder, source);
    struct instruction *const emitted =
        sim_emit_plain(decoder, source, kind == 'l' ? local_address64 : local_address32);
    emitted->d = slot;
    emitted->offset = offset;
    return slot;
}

static uint64_t module_address(struct decoder *decoder, const struct ptx_instruction *source,
                               const struct ptx_variable *variable)
{
    const struct sim_module *const module = sim_decoder_module(decoder);
    const ptrdiff_t index = variable - module->ptx->variables;
    if (index < 0 || index >= module->ptx->variable_count || module->addresses[index] == 0)
        sim_refuse(decoder, source, "%s has no address", variable->name);
    return module->addresses[index];
}

int32_t sim_address_slot(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_operand *operand, char kind)
{
    const struct ptx_variable *const variable = operand->variable;
    const uint64_t inside = /* also by an element's number */
        (uint64_t)operand->offset +
        (operand->imm ? operand->imm * (uint64_t)ptx_type_size(variable->type) : 0);
    uint64_t address;
    if (operand->kind == PTX_OPERAND_FUNCTION) {
        if (!operand->function)
            sim_refuse(decoder, source, "%s has no body here", operand->name);
        address = sim_function_address(sim_decoder_module(decoder)->ptx, operand->function);
    } else if (variable->space == PTX_SHARED) {
        address = sim_shared_offset(decoder, source, variable);
    } else if (sim_is_entry_param(decoder, variable)) {
        address = (uint64_t)(uint32_t)sim_local_offset(decoder, source, variable);
    } else if (variable->space == PTX_LOCAL || variable->space == PTX_PARAM) {
        const int32_t offset = sim_local_offset(decoder, source, variable);
        return local_address_slot(decoder, source, offset + (int64_t)inside, kind);
    } else {
        address = module_address(decoder, source, variable);
    }
    address += inside;
    return kind == 'l' ? sim_constant64(decoder, address)
                       : sim_constant32(decoder, (uint32_t)address);
}

/* ---- Immediates ---- */

static uint64_t immediate_bits(const struct ptx_operand *operand, char kind)
{
    uint64_t bits = operand->imm;
    if (operand->imm_kind == PTX_IMMEDIATE_F64 && kind == 'w') {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        const float narrow = (float)wide;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        bits = narrow_bits;
    } else if (operand->imm_kind == PTX_IMMEDIATE_F32 && kind == 'l') {
        const uint32_t narrow_bits = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &narrow_bits, sizeof narrow);
        const double wide = narrow;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

static int32_t immediate_slot(struct decoder *decoder, const struct ptx_operand *operand, char kind)
{
    const uint64_t bits = immediate_bits(operand, kind);
    switch (kind) {
    case 'l':
        return sim_constant64(decoder, bits);
    case 'h':
        return sim_constant32(decoder, (uint16_t)bits);
    case 'p':
        return sim_constant32(decoder, bits ? ALL_LANES : 0);
    default:
        return sim_constant32(decoder, (uint32_t)bits);
    }
}

/* ---- Any operand ---- */

int32_t sim_source_slot(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return sim_register_slot(decoder, source, operand, kind);
    case PTX_OPERAND_IMMEDIATE:
        return immediate_slot(decoder, operand, kind);
    case PTX_OPERAND_SPECIAL:
        return sim_special_slot(decoder, source, operand, kind);
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION:
        return sim_address_slot(decoder, source, operand, kind);
    default:
        sim_refuse(decoder, source, "%s has an operand of a kind that the simulator does not know",
                   source->opcode);
    }
}

int32_t sim_destination_slot(struct decoder *decoder, const struct ptx_instruction *source,
                             const struct ptx_operand *operand, char kind)
{
    if (operand->kind == PTX_OPERAND_SINK)
        return kind == 'p' ? sim_temporary_predicate(decoder, source)
                           : sim_temporary(decoder, source);
    if (operand->kind != PTX_OPERAND_REGISTER)
        sim_refuse(decoder, source, "%s writes to something that is no register", source->opcode);
    return sim_register_slot(decoder, source, operand, kind);
}

const struct ptx_operand *sim_operand(struct decoder *decoder, const struct ptx_instruction *source,
                                      int index)
{
    if (index >= source->operand_count)
        sim_refuse(decoder, source, "%s has %d operands; the simulator expects more",
                   source->opcode, source->operand_count);
    return &source->operands[index];
}

uint64_t sim_immediate(struct decoder *decoder, const struct ptx_instruction *source, int index)
{
    const struct ptx_operand *const operand = sim_operand(decoder, source, index);
    if (operand->kind != PTX_OPERAND_IMMEDIATE)
        sim_refuse(decoder, source, "operand %d of %s must be an immediate", index + 1,
                   source->opcode);
    return operand->imm;
}

/* ---- Rules ---- */

struct instruction *sim_emit_rule(struct decoder *decoder, const struct ptx_instruction *source,
                                  const struct rule *rule)
{
    int32_t destination = 0, sources[3] = {0};
    uint32_t flags = rule->mode << FLAG_MODE_SHIFT;
    const char *shape = rule->shape;
    int operand_index = 0;
    const struct ptx_operand *written = NULL;
    if (*shape != '=')
        written = sim_operand(decoder, source, operand_index++);
    const char written_kind = *shape;
    shape += *shape != '=';
    shape++;
    for (int i = 0; shape[i]; i++) {
        const struct ptx_operand *const operand = sim_operand(decoder, source, operand_index++);
        sources[i] = sim_source_slot(decoder, source, operand, shape[i]);
        if (operand->negated)
            flags |= (uint32_t)FLAG_NEGATE_A << i;
    }
    if (operand_index != source->operand_count)
        sim_refuse(decoder, source, "%s has more operands than the simulator knows",
                   source->opcode);
    if (written)
        destination = sim_destination_slot(decoder, source, written, written_kind);
    struct instruction *const emitted = sim_emit(decoder, source, rule->run);
    emitted->d = destination;
    emitted->a = sources[0];
    emitted->b = sources[1];
    emitted->c = sources[2];
    emitted->flags |= flags;
    return emitted;
}
