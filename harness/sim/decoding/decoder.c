/* The decoder's tools: memory, instructions and branches under construction, slots in the frame,
 * places of variables. */
#include "decoder.h"

#include "sim/machine/paths.h"
#include "sim/ptx/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Refusing and allocating ---- */

void sim_refuse(struct decoder *decoder, const struct ptx_instruction *source, const char *format,
                ...)
{
    struct sim_outcome *const refusal = &decoder->kernel->refusal;
    *refusal = (struct sim_outcome){.status = SIM_UNSUPPORTED};
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (source && source->ptx_line > 0 && source->line == 0)
        snprintf(refusal->message, sizeof refusal->message, "%s (PTX line %d)", text,
                 source->ptx_line);
    else
        snprintf(refusal->message, sizeof refusal->message, "%s", text);
    if (source) {
        snprintf(refusal->file, sizeof refusal->file, "%s", source->file ? source->file : "");
        refusal->line = source->line;
    }
    snprintf(refusal->kernel, sizeof refusal->kernel, "%s", decoder->kernel->title);
    longjmp(source && decoder->goes_on ? decoder->unknown : decoder->refused, 1);
}

void sim_refuse_opcode(struct decoder *decoder, const struct ptx_instruction *source)
{
    sim_refuse(decoder, source, "the simulator does not know the instruction %s", source->opcode);
}

void *sim_decoder_allocate(struct decoder *decoder, size_t size)
{
    void *const memory = ptx_arena_allocate(decoder->arena, size ? size : 1);
    if (!memory)
        sim_refuse(decoder, NULL, "out of memory while decoding");
    return memory;
}

/* Makes room for one more element in a heap array that the decoder owns while it works. */
static void *grow(struct decoder *decoder, void *array, int *capacity, int count, size_t size)
{
    if (count < *capacity)
        return array;
    const int larger = *capacity ? *capacity * 2 : 64;
    void *const moved = realloc(array, (size_t)larger * size);
    if (!moved)
        sim_refuse(decoder, NULL, "out of memory while decoding");
    *capacity = larger;
    return moved;
}

/* ---- Slots ---- */

static int32_t add_constant(struct decoder *decoder, const void *slot, size_t bytes)
{
    for (size_t at = 0; at + bytes <= decoder->constant_bytes; at += SLOT32_BYTES)
        if (memcmp(decoder->constants + at, slot, bytes) == 0)
            return decoder->constants_at + (int32_t)at;
    if (decoder->constant_bytes + bytes > decoder->constant_capacity) {
        decoder->constant_capacity = decoder->constant_capacity * 2 + 8 * SLOT64_BYTES;
        char *const moved = realloc(decoder->constants, decoder->constant_capacity);
        if (!moved)
            sim_refuse(decoder, NULL, "out of memory while decoding");
        decoder->constants = moved;
    }
    memcpy(decoder->constants + decoder->constant_bytes, slot, bytes);
    decoder->constant_bytes += bytes;
    return decoder->constants_at + (int32_t)(decoder->constant_bytes - bytes);
}

int32_t sim_constant32(struct decoder *decoder, uint32_t value)
{
    uint32_t slot[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = value;
    return add_constant(decoder, slot, sizeof slot);
}

int32_t sim_constant64(struct decoder *decoder, uint64_t value)
{
    uint64_t slot[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        slot[lane] = value;
    return add_constant(decoder, slot, sizeof slot);
}

int32_t sim_temporary(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (decoder->used_temporaries == TEMPORARY_SLOTS)
        sim_refuse(decoder, source, "too many special operands in one instruction (%s)",
                   source->opcode);
    return decoder->temporaries + SLOT64_BYTES * decoder->used_temporaries++;
}

int32_t sim_temporary_predicate(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (decoder->used_predicates == TEMPORARY_PREDICATES)
        sim_refuse(decoder, source, "too many special predicates in one instruction (%s)",
                   source->opcode);
    return decoder->temporary_predicates + 4 * decoder->used_predicates++;
}

enum ptx_type sim_register_type(const struct decoder *decoder, const struct ptx_operand *operand)
{
    if (operand->kind != PTX_OPERAND_REGISTER || operand->reg < 0)
        return PTX_NONE;
    return decoder->ptx->registers[operand->reg].type;
}

char sim_register_class(const struct decoder *decoder, const struct ptx_operand *operand)
{
    const enum ptx_type type = sim_register_type(decoder, operand);
    if (type == PTX_NONE)
        return 0;
    if (type == PTX_PRED)
        return 'p';
    return ptx_type_size(type) > 8 ? 'x' : ptx_type_size(type) == 8 ? 'l' : 'w';
}

static int32_t place_of(const struct decoder *decoder, int index)
{
    const struct ptx_register *const reg = &decoder->ptx->registers[index];
    if (reg->type == PTX_PRED)
        return 4 * reg->slot;
    if (ptx_type_size(reg->type) == 8)
        return decoder->slots64 + SLOT64_BYTES * reg->slot;
    return decoder->slots32 + SLOT32_BYTES * reg->slot;
}

int32_t sim_register_slot(struct decoder *decoder, const struct ptx_instruction *source,
                          const struct ptx_operand *operand, char kind)
{
    const char class = sim_register_class(decoder, operand);
    const char wanted = kind == 'h' ? 'w' : kind;
    if (class != wanted)
        sim_refuse(decoder, source,
                   "%s has an operand %s of a width that the simulator does not "
                   "know there",
                   source->opcode, decoder->ptx->registers[operand->reg].name);
    return place_of(decoder, operand->reg);
}

/* ---- Instructions ---- */

int sim_index(const struct decoder *decoder, const struct ptx_instruction *source)
{
    return (int)(source - decoder->ptx->instructions);
}

struct instruction *sim_append(struct decoder *decoder, exec_handler *run)
{
    decoder->code = grow(decoder, decoder->code, &decoder->code_capacity, decoder->code_count,
                         sizeof *decoder->code);
    struct instruction *const emitted = &decoder->code[decoder->code_count++];
    *emitted = (struct instruction){.run = run, .body = run, .guard = -1};
    return emitted;
}

struct instruction *sim_emit_plain(struct decoder *decoder, const struct ptx_instruction *source,
                                   exec_handler *run)
{
    struct instruction *const emitted = sim_append(decoder, run);
    emitted->source = (uint32_t)sim_index(decoder, source);
    if (source->guard >= 0) {
        const struct ptx_operand guard = {.kind = PTX_OPERAND_REGISTER, .reg = source->guard};
        emitted->guard = sim_register_slot(decoder, source, &guard, 'p');
        emitted->flags = source->guard_negated ? FLAG_GUARD_NEGATED : 0;
    }
    return emitted;
}

struct instruction *sim_emit(struct decoder *decoder, const struct ptx_instruction *source,
                             exec_handler *run)
{
    struct instruction *const emitted = sim_emit_plain(decoder, source, run);
    if (emitted->guard >= 0)
        emitted->run = sim_run_guarded;
    return emitted;
}

void sim_emit_segment(struct decoder *decoder, const struct ptx_instruction *source, bool is_join)
{
    struct function *const function = decoder->function;
    decoder->segments = grow(decoder, decoder->segments, &decoder->segment_capacity,
                             function->segment_count, sizeof *decoder->segments);
    decoder->segments[function->segment_count] =
        (struct segment){.first = sim_index(decoder, source), .count = 0};
    struct instruction *const emitted =
        sim_emit_plain(decoder, source, is_join ? sim_run_join : sim_run_segment);
    emitted->value = (uint64_t)(function->first_segment + function->segment_count++);
    emitted->guard = -1;
}

static void add_fixup(struct decoder *decoder, struct fixup fixup)
{
    decoder->fixups = grow(decoder, decoder->fixups, &decoder->fixup_capacity, decoder->fixup_count,
                           sizeof *decoder->fixups);
    decoder->fixups[decoder->fixup_count++] = fixup;
}

void sim_target(struct decoder *decoder, const struct instruction **slot, int ptx_index)
{
    add_fixup(decoder, (struct fixup){FIX_SLOT, .slot = slot, .ptx_index = ptx_index});
}

void sim_target_of_last(struct decoder *decoder, int ptx_index)
{
    add_fixup(decoder, (struct fixup){FIX_TARGET, .code_index = decoder->code_count - 1,
                                      .ptx_index = ptx_index});
}

void sim_join_of_last(struct decoder *decoder, int ptx_index)
{
    add_fixup(decoder, (struct fixup){FIX_JOIN, .code_index = decoder->code_count - 1,
                                      .ptx_index = ptx_index});
}

int sim_join_of(const struct decoder *decoder, const struct ptx_instruction *source)
{
    return decoder->flow.join[sim_index(decoder, source)];
}

bool sim_can_reach_barrier(const struct decoder *decoder, int ptx_index)
{
    return decoder->flow.meets_barrier[ptx_index];
}

void sim_note_access_size(struct decoder *decoder, enum ptx_space space, size_t bytes)
{
    const unsigned shift = bytes >= 4 ? 2 : bytes == 2 ? 1 : 0;
    if ((space == PTX_SHARED || space == PTX_GENERIC) && shift < decoder->program->shared_shift)
        decoder->program->shared_shift = shift;
}

uint32_t sim_new_cache(struct decoder *decoder)
{
    return decoder->program->cache_count++;
}

const struct sim_module *sim_decoder_module(const struct decoder *decoder)
{
    return decoder->kernel->module;
}

struct program *sim_decoder_program(struct decoder *decoder)
{
    return decoder->program;
}

struct function *sim_decoder_function(struct decoder *decoder)
{
    return decoder->function;
}

/* ---- Opcodes and variables ---- */

const struct rule *sim_find_rule(const struct rule *rules, const char *opcode)
{
    for (; rules->opcode; rules++)
        if (strcmp(rules->opcode, opcode) == 0)
            return rules;
    return NULL;
}

/* An empty list has no address to compare with. */
static bool is_among(const struct ptx_variable *list, int count,
                     const struct ptx_variable *variable)
{
    return count > 0 && variable >= list && variable < list + count;
}

bool sim_is_entry_param(const struct decoder *decoder, const struct ptx_variable *variable)
{
    const struct ptx_function *const ptx = decoder->ptx;
    return ptx->is_entry && is_among(ptx->params, ptx->param_count, variable);
}

int32_t sim_local_offset(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_variable *variable)
{
    const struct ptx_function *const ptx = decoder->ptx;
    const struct function *const function = decoder->function;
    if (is_among(ptx->variables, ptx->variable_count, variable))
        return function->variable_offsets[variable - ptx->variables];
    if (is_among(ptx->params, ptx->param_count, variable))
        return function->param_offsets[variable - ptx->params];
    if (is_among(ptx->returns, ptx->return_count, variable))
        return function->return_offsets[variable - ptx->returns];
    sim_refuse(decoder, source, "%s is not a variable of this function", variable->name);
}

uint32_t sim_shared_offset(struct decoder *decoder, const struct ptx_instruction *source,
                           const struct ptx_variable *variable)
{
    const struct program *const program = decoder->program;
    for (int i = 0; i < program->shared_count; i++)
        if (program->shared[i].ptx == variable)
            return program->shared[i].offset;
    if (variable->size > 0)
        sim_refuse(decoder, source, "%s has no place in shared memory", variable->name);
    return program->dynamic_shared;
}
