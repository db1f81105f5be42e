/* Builds programs: lays out frames, finds the decoder of each PTX instruction, connects branches.
 * The files that are named after what they compute know what opcodes mean. */
#include "decoder.h"
#include "flags.h"
#include "decode.h"

#include "sim/machine/paths.h"
#include "sim/ptx/arena.h"

#include <stdlib.h>
#include <string.h>

enum { RULE_SLOTS = 4096 };

/* ---- Looking up opcodes ---- */

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
    for (const struct rule *const *table = decoder->opcodes->rules; *table; table++) {
        for (const struct rule *rule = *table; rule->opcode; rule++) {
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

static const struct family *find_family(const struct decoder *decoder, enum ptx_opcode opcode)
{
    for (const struct family *const *table = decoder->opcodes->families; *table; table++)
        for (const struct family *family = *table; family->decode; family++)
            if (family->opcode == opcode)
                return family;
    return NULL;
}

/* ---- Functions ---- */

static void lay_out_frame(struct decoder *decoder)
{
    const struct ptx_function *const ptx = decoder->ptx;
    int32_t offset = 4 * ptx->predicate_slots;
    decoder->function->carry = offset;
    decoder->temporary_predicates = offset + 4;
    offset += 4 + 4 * TEMPORARY_PREDICATES;
    offset = (offset + SLOT32_BYTES - 1) / SLOT32_BYTES * SLOT32_BYTES;
    decoder->slots32 = offset;
    offset += SLOT32_BYTES * ptx->slots32;
    decoder->slots64 = offset;
    offset += SLOT64_BYTES * ptx->slots64;
    decoder->shadows = offset;
    offset += (sim_find_undefined(decoder) + SLOT64_BYTES - 1) / SLOT64_BYTES * SLOT64_BYTES;
    decoder->records = offset;
    offset += (sim_find_in_flight(decoder) + SLOT64_BYTES - 1) / SLOT64_BYTES * SLOT64_BYTES;
    decoder->temporaries = offset;
    offset += SLOT64_BYTES * TEMPORARY_SLOTS;
    decoder->constants_at = offset;
}

static void decode_instruction(struct decoder *decoder, const struct ptx_instruction *source)
{
    decoder->used_temporaries = decoder->used_predicates = 0;
    const struct rule *const rule = indexed_rule(decoder, source->opcode);
    const struct family *const family = rule ? NULL : find_family(decoder, source->operation);
    if (rule)
        sim_emit_rule(decoder, source, rule);
    else if (family)
        family->decode(decoder, source);
    else
        sim_refuse_opcode(decoder, source);
}

static const struct instruction *run_unknown(struct warp *warp, const struct instruction *at)
{
    sim_fault(warp, at, __builtin_ctz(warp->active), SIM_UNSUPPORTED, 0, "%s",
              (const char *)at->extra);
}

/* An unknown instruction is refused only when a warp executes it. Libraries contain paths for other
 * GPUs and types that a program never takes. */
static void decode_if_known(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct sim_outcome *const refusal = &decoder->kernel->refusal;
    const int code_count = decoder->code_count, fixup_count = decoder->fixup_count;
    decoder->goes_on = true;
    const bool is_unknown = setjmp(decoder->unknown) != 0;
    if (!is_unknown)
        decode_instruction(decoder, source);
    decoder->goes_on = false;
    if (is_unknown) {
        char *const message = sim_decoder_allocate(decoder, strlen(refusal->message) + 1);
        strcpy(message, refusal->message);
        *refusal = (struct sim_outcome){.status = SIM_OK};
        decoder->code_count = code_count;
        decoder->fixup_count = fixup_count;
        sim_emit(decoder, source, run_unknown)->extra = message;
    }
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
        sim_watch_before(decoder, source);
        sim_track_before(decoder, source);
        decode_if_known(decoder, source);
        sim_track_after(decoder, source);
        sim_watch_after(decoder, source);
    }
    decoder->code_of[ptx->instruction_count] = decoder->code_count;
    sim_append(decoder, sim_run_end)->source = (uint32_t)ptx->instruction_count;
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

static uint8_t element_bytes(const struct ptx_instruction *source)
{
    return (uint8_t)ptx_type_size(ptx_part_type(source->parts[source->part_count - 1]));
}

/* Notes which instruction has which number in the allocation cache. */
static void index_accesses(struct program *program)
{
    const size_t count = program->cache_count;
    program->sources = ptx_arena_allocate(program->arena, count * sizeof *program->sources);
    program->element_bytes = ptx_arena_allocate(program->arena, count);
    program->answers = ptx_arena_allocate(program->arena, count);
    for (int f = 0; program->sources && f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->code_count; i++) {
            const struct instruction *const at = &function->code[i];
            if (!at->cache || (int)at->source >= function->ptx->instruction_count)
                continue;
            program->sources[at->cache] = &function->ptx->instructions[at->source];
            if (program->element_bytes)
                program->element_bytes[at->cache] = element_bytes(program->sources[at->cache]);
        }
    }
}

bool sim_decode(struct sim_kernel *kernel, const struct opcodes *opcodes)
{
    struct decoder decoder = {.kernel = kernel,
                              .program = kernel->program,
                              .arena = kernel->program->arena,
                              .opcodes = opcodes};
    struct decoder *volatile kept = &decoder;
    if (setjmp(decoder.refused)) {
        release(kept);
        return false;
    }
    index_rules(&decoder);
    decoder.program->shared_shift = 2;
    decoder.program->has_flags = sim_may_wait_for_flags(decoder.program);
    for (int i = 0; i < decoder.program->function_count; i++)
        if (decoder.program->functions[i])
            decode_function(&decoder, decoder.program->functions[i]);
    sim_lay_out_stack(decoder.program);
    index_accesses(decoder.program);
    decoder.program->is_decoded = true;
    release(&decoder);
    return true;
}
