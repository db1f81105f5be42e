/* Builds programs: lays out frames, finds the handler of each PTX instruction, connects branches.
 * What an opcode means is in the files named after what they compute. */
#include "decode.h"
#include "exec.h"
#include "flow.h"
#include "layout.h"
#include "warp.h"

#include "sim/ptx/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPORARY_ROWS = 6, TEMPORARY_PREDICATES = 4, RULE_SLOTS = 4096 };

struct fixup {
    enum { FIX_TARGET, FIX_JOIN, FIX_SLOT } kind;
    int code_index; /* whose target or extra is meant, or: */
    const struct instruction **slot;
    int ptx_index;
};

struct decoder {
    struct sim_kernel *kernel;
    struct program *program;
    struct ptx_arena *arena;
    const struct rule **rules; /* by hash of the opcode */
    jmp_buf refused;
    /* The function under construction: */
    struct function *function;
    const struct ptx_function *ptx;
    struct flow flow;
    struct instruction *code;
    int code_count, code_capacity;
    int *code_of; /* by PTX index */
    struct fixup *fixups;
    int fixup_count, fixup_capacity;
    struct segment *segments;
    int segment_capacity;
    char *constants;
    size_t constant_bytes, constant_capacity;
    int32_t rows32, rows64, temporaries, temporary_predicates, constants_at;
    int used_temporaries, used_predicates;
};

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
    longjmp(decoder->refused, 1);
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

/* Makes room for one more element of a heap array that the decoder owns while it works. */
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

/* ---- Looking up opcodes ---- */

static const struct rule *const rule_tables[] = {sim_integer_rules, sim_bit_rules, sim_wide_rules,
                                                 sim_compare_rules, sim_video_rules};
static const struct family *const family_tables[] = {
    sim_control_families, sim_call_families,    sim_memory_families, sim_atomic_families,
    sim_move_families,    sim_compare_families, sim_float_families,  sim_approximate_families,
    sim_convert_families, sim_barrier_families, sim_warp_families,   sim_logic_families,
    sim_copy_families};

static unsigned hash(const char *text)
{
    unsigned value = 2166136261u;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 16777619u;
    return value % RULE_SLOTS;
}

static void index_rules(struct decoder *decoder)
{
    decoder->rules = sim_decoder_allocate(decoder, RULE_SLOTS * sizeof(const struct rule *));
    for (size_t t = 0; t < sizeof rule_tables / sizeof rule_tables[0]; t++) {
        for (const struct rule *rule = rule_tables[t]; rule->opcode; rule++) {
            unsigned slot = hash(rule->opcode);
            while (decoder->rules[slot])
                slot = (slot + 1) % RULE_SLOTS;
            decoder->rules[slot] = rule;
        }
    }
}

static const struct rule *indexed_rule(const struct decoder *decoder, const char *opcode)
{
    for (unsigned slot = hash(opcode); decoder->rules[slot]; slot = (slot + 1) % RULE_SLOTS)
        if (strcmp(decoder->rules[slot]->opcode, opcode) == 0)
            return decoder->rules[slot];
    return NULL;
}

const struct rule *sim_find_rule(const struct rule *rules, const char *opcode)
{
    for (; rules->opcode; rules++)
        if (strcmp(rules->opcode, opcode) == 0)
            return rules;
    return NULL;
}

static const struct family *find_family(const char *name)
{
    for (size_t t = 0; t < sizeof family_tables / sizeof family_tables[0]; t++)
        for (const struct family *family = family_tables[t]; family->name; family++)
            if (strcmp(family->name, name) == 0)
                return family;
    return NULL;
}

bool sim_has_part(const struct ptx_instruction *source, const char *name)
{
    for (int i = 1; i < source->part_count; i++)
        if (strcmp(source->parts[i], name) == 0)
            return true;
    return false;
}

enum ptx_type sim_type(const char *name)
{
    static const struct {
        const char *name;
        enum ptx_type type;
    } types[] = {{"b8", PTX_B8},     {"b16", PTX_B16}, {"b32", PTX_B32},       {"b64", PTX_B64},
                 {"b128", PTX_B128}, {"u8", PTX_U8},   {"u16", PTX_U16},       {"u32", PTX_U32},
                 {"u64", PTX_U64},   {"s8", PTX_S8},   {"s16", PTX_S16},       {"s32", PTX_S32},
                 {"s64", PTX_S64},   {"f16", PTX_F16}, {"f16x2", PTX_F16X2},   {"bf16", PTX_BF16},
                 {"f32", PTX_F32},   {"f64", PTX_F64}, {"bf16x2", PTX_BF16X2}, {"pred", PTX_PRED}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].type;
    return PTX_NONE;
}

/* ---- Emitting ---- */

int sim_index(const struct decoder *decoder, const struct ptx_instruction *source)
{
    return (int)(source - decoder->ptx->instructions);
}

static struct instruction *append(struct decoder *decoder, exec_handler *run)
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
    struct instruction *const emitted = append(decoder, run);
    emitted->source = (uint32_t)sim_index(decoder, source);
    if (source->guard >= 0) {
        const struct ptx_operand guard = {.kind = PTX_OPERAND_REGISTER, .reg = source->guard};
        emitted->guard = sim_source_row(decoder, source, &guard, 'p');
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

/* ---- Rows ---- */

static int32_t add_constant(struct decoder *decoder, const void *row, size_t bytes)
{
    for (size_t at = 0; at + bytes <= decoder->constant_bytes; at += ROW32_BYTES)
        if (memcmp(decoder->constants + at, row, bytes) == 0)
            return decoder->constants_at + (int32_t)at;
    if (decoder->constant_bytes + bytes > decoder->constant_capacity) {
        decoder->constant_capacity = decoder->constant_capacity * 2 + 8 * ROW64_BYTES;
        char *const moved = realloc(decoder->constants, decoder->constant_capacity);
        if (!moved)
            sim_refuse(decoder, NULL, "out of memory while decoding");
        decoder->constants = moved;
    }
    memcpy(decoder->constants + decoder->constant_bytes, row, bytes);
    decoder->constant_bytes += bytes;
    return decoder->constants_at + (int32_t)(decoder->constant_bytes - bytes);
}

int32_t sim_constant32(struct decoder *decoder, uint32_t value)
{
    uint32_t row[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        row[lane] = value;
    return add_constant(decoder, row, sizeof row);
}

int32_t sim_constant64(struct decoder *decoder, uint64_t value)
{
    uint64_t row[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        row[lane] = value;
    return add_constant(decoder, row, sizeof row);
}

int32_t sim_temporary(struct decoder *decoder, const struct ptx_instruction *source)
{
    if (decoder->used_temporaries == TEMPORARY_ROWS)
        sim_refuse(decoder, source, "too many special operands in one instruction (%s)",
                   source->opcode);
    return decoder->temporaries + ROW64_BYTES * decoder->used_temporaries++;
}

int32_t sim_temporary_predicate(struct decoder *decoder)
{
    const int32_t offset = decoder->temporary_predicates + 4 * decoder->used_predicates;
    decoder->used_predicates = (decoder->used_predicates + 1) % TEMPORARY_PREDICATES;
    return offset;
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

static int32_t register_row(const struct decoder *decoder, int index)
{
    const struct ptx_register *const reg = &decoder->ptx->registers[index];
    if (reg->type == PTX_PRED)
        return 4 * reg->slot;
    if (ptx_type_size(reg->type) == 8)
        return decoder->rows64 + ROW64_BYTES * reg->slot;
    return decoder->rows32 + ROW32_BYTES * reg->slot;
}

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

static int32_t immediate_row(struct decoder *decoder, const struct ptx_operand *operand, char kind)
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

static void check_class(struct decoder *decoder, const struct ptx_instruction *source,
                        const struct ptx_operand *operand, char kind)
{
    const char class = sim_register_class(decoder, operand);
    const char wanted = kind == 'h' ? 'w' : kind;
    if (class != wanted)
        sim_refuse(decoder, source,
                   "%s has an operand %s of a width that the simulator does not "
                   "know there",
                   source->opcode, decoder->ptx->registers[operand->reg].name);
}

int32_t sim_source_row(struct decoder *decoder, const struct ptx_instruction *source,
                       const struct ptx_operand *operand, char kind)
{
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        check_class(decoder, source, operand, kind);
        return register_row(decoder, operand->reg);
    case PTX_OPERAND_IMMEDIATE:
        return immediate_row(decoder, operand, kind);
    case PTX_OPERAND_SPECIAL:
        return sim_special_row(decoder, source, operand, kind);
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION:
        return sim_address_row(decoder, source, operand, kind);
    default:
        sim_refuse(decoder, source, "%s has an operand of a kind that the simulator does not know",
                   source->opcode);
    }
}

int32_t sim_destination_row(struct decoder *decoder, const struct ptx_instruction *source,
                            const struct ptx_operand *operand, char kind)
{
    if (operand->kind == PTX_OPERAND_SINK)
        return kind == 'p' ? sim_temporary_predicate(decoder) : sim_temporary(decoder, source);
    if (operand->kind != PTX_OPERAND_REGISTER)
        sim_refuse(decoder, source, "%s writes to something that is no register", source->opcode);
    check_class(decoder, source, operand, kind);
    return register_row(decoder, operand->reg);
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

/* ---- Variables ---- */

bool sim_is_entry_param(const struct decoder *decoder, const struct ptx_variable *variable)
{
    const struct ptx_function *const ptx = decoder->ptx;
    return ptx->is_entry && variable >= ptx->params && variable < ptx->params + ptx->param_count;
}

int32_t sim_local_offset(struct decoder *decoder, const struct ptx_instruction *source,
                         const struct ptx_variable *variable)
{
    const struct ptx_function *const ptx = decoder->ptx;
    const struct function *const function = decoder->function;
    if (variable >= ptx->variables && variable < ptx->variables + ptx->variable_count)
        return function->variable_offsets[variable - ptx->variables];
    if (variable >= ptx->params && variable < ptx->params + ptx->param_count)
        return function->param_offsets[variable - ptx->params];
    if (variable >= ptx->returns && variable < ptx->returns + ptx->return_count)
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
        sources[i] = sim_source_row(decoder, source, operand, shape[i]);
        if (operand->negated)
            flags |= (uint32_t)FLAG_NEGATE_A << i;
    }
    if (operand_index != source->operand_count)
        sim_refuse(decoder, source, "%s has more operands than the simulator knows",
                   source->opcode);
    if (written)
        destination = sim_destination_row(decoder, source, written, written_kind);
    struct instruction *const emitted = sim_emit(decoder, source, rule->run);
    emitted->d = destination;
    emitted->a = sources[0];
    emitted->b = sources[1];
    emitted->c = sources[2];
    emitted->flags |= flags;
    return emitted;
}

/* ---- Functions ---- */

static void lay_out_frame(struct decoder *decoder)
{
    const struct ptx_function *const ptx = decoder->ptx;
    int32_t offset = 4 * ptx->predicate_slots;
    decoder->function->carry = offset;
    decoder->temporary_predicates = offset + 4;
    offset += 4 + 4 * TEMPORARY_PREDICATES;
    offset = (offset + ROW32_BYTES - 1) / ROW32_BYTES * ROW32_BYTES;
    decoder->rows32 = offset;
    offset += ROW32_BYTES * ptx->slots32;
    decoder->rows64 = offset;
    offset += ROW64_BYTES * ptx->slots64;
    decoder->temporaries = offset;
    offset += ROW64_BYTES * TEMPORARY_ROWS;
    decoder->constants_at = offset;
}

static void decode_instruction(struct decoder *decoder, const struct ptx_instruction *source)
{
    decoder->used_temporaries = 0;
    const struct rule *const rule = indexed_rule(decoder, source->opcode);
    const struct family *const family = rule ? NULL : find_family(source->parts[0]);
    if (rule)
        sim_emit_rule(decoder, source, rule);
    else if (family)
        family->decode(decoder, source);
    else
        sim_refuse_opcode(decoder, source);
    decoder->segments[decoder->function->segment_count - 1].count++;
}

static void connect(struct decoder *decoder, struct instruction *code)
{
    for (int i = 0; i < decoder->fixup_count; i++) {
        const struct fixup *const fixup = &decoder->fixups[i];
        const struct instruction *const target = &code[decoder->code_of[fixup->ptx_index]];
        if (fixup->kind == FIX_SLOT)
            *fixup->slot = target;
        else if (fixup->kind == FIX_JOIN)
            code[fixup->code_index].extra = target;
        else
            code[fixup->code_index].target = target;
    }
}

static void finish_function(struct decoder *decoder)
{
    struct function *const function = decoder->function;
    const size_t code_bytes = (size_t)decoder->code_count * sizeof(struct instruction);
    char *const block = sim_decoder_allocate(decoder, code_bytes + 64);
    struct instruction *const code =
        (struct instruction *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    memcpy(code, decoder->code, code_bytes);
    connect(decoder, code);
    function->code = code;
    function->code_count = decoder->code_count;
    function->segments =
        sim_decoder_allocate(decoder, (size_t)function->segment_count * sizeof(struct segment));
    memcpy(function->segments, decoder->segments,
           (size_t)function->segment_count * sizeof(struct segment));
    char *const constants = sim_decoder_allocate(decoder, decoder->constant_bytes);
    if (decoder->constant_bytes)
        memcpy(constants, decoder->constants, decoder->constant_bytes);
    function->constants = constants;
    function->constants_at = decoder->constants_at;
    function->register_bytes = decoder->temporaries;
    function->constant_bytes = decoder->constant_bytes;
    function->frame_bytes = (size_t)decoder->constants_at + decoder->constant_bytes;
    decoder->program->segment_count += function->segment_count;
}

static void decode_function(struct decoder *decoder, struct function *function)
{
    const struct ptx_function *const ptx = function->ptx;
    decoder->function = function;
    decoder->ptx = ptx;
    decoder->code_count = decoder->fixup_count = 0;
    decoder->constant_bytes = 0;
    function->first_segment = decoder->program->segment_count;
    sim_flow_free(&decoder->flow);
    if (!sim_flow_analyse(&decoder->flow, ptx))
        sim_refuse(decoder, NULL, "out of memory while decoding");
    lay_out_frame(decoder);
    decoder->code_of =
        sim_decoder_allocate(decoder, ((size_t)ptx->instruction_count + 1) * sizeof(int));
    for (int i = 0; i < ptx->instruction_count; i++) {
        const struct ptx_instruction *const source = &ptx->instructions[i];
        decoder->code_of[i] = decoder->code_count;
        if (decoder->flow.leads[i])
            sim_emit_segment(decoder, source, decoder->flow.joins[i]);
        decode_instruction(decoder, source);
    }
    decoder->code_of[ptx->instruction_count] = decoder->code_count;
    append(decoder, sim_run_end)->source = (uint32_t)ptx->instruction_count;
    finish_function(decoder);
}

static void release(struct decoder *decoder)
{
    sim_flow_free(&decoder->flow);
    free(decoder->code);
    free(decoder->fixups);
    free(decoder->segments);
    free(decoder->constants);
}

bool sim_decode(struct sim_kernel *kernel)
{
    struct decoder decoder = {
        .kernel = kernel, .program = kernel->program, .arena = kernel->program->arena};
    struct decoder *volatile kept = &decoder;
    if (setjmp(decoder.refused)) {
        release(kept);
        return false;
    }
    index_rules(&decoder);
    decoder.program->shared_shift = 2;
    for (int i = 0; i < decoder.program->function_count; i++)
        if (decoder.program->functions[i])
            decode_function(&decoder, decoder.program->functions[i]);
    sim_lay_out_stack(decoder.program);
    decoder.program->is_decoded = true;
    release(&decoder);
    return true;
}
