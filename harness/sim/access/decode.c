/* Decodes ld, ldu and st: the parts of the opcode, the address, and the handler that fits both. */
#include "access.h"
#include "elements.h"

#include "sim/check/order.h"
#include "sim/check/worker_checks.h"
#include "sim/decoding/flags.h"
#include "sim/machine/grid_barrier.h"
#include "sim/machine/paths.h"

#include <stdio.h>
#include <string.h>

/* An element by its name, such as "s8_w". */
struct element {
    const char *name;
    unsigned bytes;
    bool is_wide_slot;
    exec_handler *const *run; /* by place */
    local_element *local;
    spread_element *spread;
};

static bool find_load(const char *name, struct element *element)
{
#define DESCRIBE_LOAD(name, MEMORY, LANE, CAST)                                                    \
    {#name, sizeof(MEMORY), sizeof(LANE) == 8, NULL, NULL, NULL},
    static const struct element elements[] = {LOAD_ELEMENTS(DESCRIBE_LOAD)};
    for (int i = 0; i < LOAD_COUNT; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            *element = elements[i];
            element->run = sim_loads[i];
            element->local = sim_local_loads[i];
            element->spread = sim_spreads[i];
            return true;
        }
    }
    return false;
}

static bool find_store(const char *name, struct element *element)
{
#define DESCRIBE_STORE(name, MEMORY, LANE)                                                         \
    {#name, sizeof(MEMORY), sizeof(LANE) == 8, NULL, NULL, NULL},
    static const struct element elements[] = {STORE_ELEMENTS(DESCRIBE_STORE)};
    for (int i = 0; i < STORE_COUNT; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            *element = elements[i];
            element->run = sim_stores[i];
            element->local = sim_local_stores[i];
            return true;
        }
    }
    return false;
}

/* What the parts of an ld or st say. */
struct access_text {
    enum ptx_space space;
    enum ptx_type type;
    int count;
};

static const struct ptx_operand *value_operand(const struct ptx_instruction *source, bool is_load)
{
    return &source->operands[is_load ? 0 : 1];
}

/* Modifiers that change neither what is read nor what is written. */
bool sim_is_memory_hint(const char *part)
{
    static const char *const hints[] = {"volatile",
                                        "weak",
                                        "relaxed",
                                        "acquire",
                                        "release",
                                        "cta",
                                        "cluster",
                                        "gpu",
                                        "sys",
                                        "mmio",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "nc",
                                        "wb",
                                        "wt",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::cache_hint",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B",
                                        "level::eviction_priority",
                                        "unified"};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strcmp(hints[i], part) == 0)
            return true;
    return false;
}

bool sim_read_space(const char *part, enum ptx_space *space)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL},      {"const", PTX_CONST},        {"local", PTX_LOCAL},
        {"shared", PTX_SHARED},      {"shared::cta", PTX_SHARED}, {"param", PTX_PARAM},
        {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},  {"shared::cluster", PTX_SHARED}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcmp(spaces[i].name, part) == 0) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

static struct access_text read_text(struct decoder *decoder, const struct ptx_instruction *source)
{
    struct access_text text = {.space = PTX_GENERIC, .count = 1};
    for (int i = 1; i < source->part_count; i++) {
        const char *const part = source->parts[i];
        const enum ptx_type type = ptx_part_type(part);
        if (type != PTX_NONE && type != PTX_PRED)
            text.type = type;
        else if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0 || strcmp(part, "v8") == 0)
            text.count = part[1] - '0';
        else if (!sim_read_space(part, &text.space) && !sim_is_memory_hint(part))
            sim_refuse_opcode(decoder, source);
    }
    const size_t bytes = ptx_type_size(text.type) * (size_t)text.count;
    if (bytes == 0 || bytes > 32 || ptx_type_size(text.type) > 8)
        sim_refuse_opcode(decoder, source);
    return text;
}

/* "s8_w": the element of a type for a register. Signs matter only to loads. */
static struct element find_element(struct decoder *decoder, const struct ptx_instruction *source,
                                   enum ptx_type type, const struct ptx_operand *value,
                                   bool is_load)
{
    const size_t bytes = ptx_type_size(type);
    const bool is_signed = type >= PTX_S8 && type <= PTX_S64;
    const enum ptx_type reg = sim_register_type(decoder, value);
    const char kind = reg == PTX_NONE ? bytes == 8 ? 'l' : 'w' : sim_register_class(decoder, value);
    const bool is_short = is_load && reg != PTX_NONE && ptx_type_size(reg) == 2;
    char name[16];
    char sign = bytes == 8 || (bytes == 4 && kind == 'w') || !is_load ? 'b' : is_signed ? 's' : 'u';
    if (is_short && bytes == 2)
        sign = 'u';
    const bool is_short_sign = is_short && bytes == 1 && is_signed;
    snprintf(name, sizeof name, "%c%zu_%c", sign, bytes * 8, is_short_sign ? 'h' : kind);
    struct element element;
    if (is_load ? find_load(name, &element) : find_store(name, &element))
        return element;
    sim_refuse(decoder, source, "%s with a register of that width is not known to the simulator",
               source->opcode);
}

static int32_t value_slot(struct decoder *decoder, const struct ptx_instruction *source,
                          const struct ptx_operand *value, const struct element *element,
                          bool is_load)
{
    const char kind = element->is_wide_slot ? 'l' : 'w';
    if (!is_load)
        return sim_source_slot(decoder, source, value, kind);
    return value->kind == PTX_OPERAND_SINK ? -1
                                           : sim_destination_slot(decoder, source, value, kind);
}

struct where sim_read_address(struct decoder *decoder, const struct ptx_instruction *source,
                              enum ptx_space *space, int index)
{
    const struct ptx_operand *const address = sim_operand(decoder, source, index);
    const struct ptx_variable *const variable = address->variable;
    struct where where = {.offset = address->offset, .is_wide = true};
    if (address->kind != PTX_OPERAND_ADDRESS)
        sim_refuse(decoder, source, "%s needs an address in brackets", source->opcode);
    if (address->reg >= 0) {
        const struct ptx_operand base = {.kind = PTX_OPERAND_REGISTER, .reg = address->reg};
        const char class = sim_register_class(decoder, &base);
        where.is_wide = class == 'l';
        where.slot = sim_source_slot(decoder, source, &base, class);
        return where;
    }
    if (variable && (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)) {
        where.is_fixed = true;
        where.is_entry = sim_is_entry_param(decoder, variable);
        where.offset += sim_local_offset(decoder, source, variable);
        *space = where.is_entry ? PTX_PARAM : PTX_LOCAL;
        where.limit = where.is_entry ? sim_decoder_program(decoder)->param_bytes
                                     : sim_decoder_function(decoder)->local_bytes;
        return where;
    }
    if (variable) {
        struct ptx_operand base = {.kind = PTX_OPERAND_VARIABLE, .reg = -1, .variable = variable};
        if (*space == PTX_GENERIC)
            *space = variable->space;
        where.slot = sim_address_slot(decoder, source, &base, 'l');
        return where;
    }
    where.slot = sim_constant64(decoder, 0);
    return where;
}

static struct elements *new_elements(struct decoder *decoder, const struct ptx_instruction *source,
                                     const struct element *element, const struct access_text *text,
                                     bool is_load)
{
    struct elements *const elements = sim_decoder_allocate(decoder, sizeof *elements);
    const struct ptx_operand *const value = value_operand(source, is_load);
    const bool is_vector = value->kind == PTX_OPERAND_VECTOR;
    if (is_vector ? value->element_count != text->count : text->count != 1)
        sim_refuse(decoder, source, "%s needs a list of %d registers", source->opcode, text->count);
    elements->count = text->count;
    elements->bytes = element->bytes;
    elements->is_wide_slot = element->is_wide_slot;
    elements->local = element->local;
    elements->spread = element->spread;
    for (int i = 0; i < text->count; i++)
        elements->slots[i] =
            value_slot(decoder, source, is_vector ? &value->elements[i] : value, element, is_load);
    return elements;
}

static exec_handler *space_handler(const struct where *where, enum ptx_space space,
                                   const struct element *element, int count, bool is_load)
{
    enum place place = PLACE_DEVICE;
    if (space == PTX_GENERIC)
        place = PLACE_GENERIC;
    else if (space == PTX_SHARED)
        place = where->is_wide ? PLACE_SHARED : PLACE_SHARED32;
    if (count == 1)
        return element->run[place];
    const int size = __builtin_ctz(element->bytes * (unsigned)count) - 1;
    return is_load ? sim_vector_loads[size][place] : sim_vector_stores[size][place];
}

static exec_handler *choose(struct decoder *decoder, const struct ptx_instruction *source,
                            const struct where *where, enum ptx_space space,
                            const struct element *element, int count, bool is_load)
{
    const bool is_slot = count == 1 && strcmp(element->name, "b32_w") == 0;
    const size_t bytes = element->bytes * (size_t)count;
    if (where->is_fixed) {
        if (where->offset < 0 || (uint64_t)where->offset + bytes > where->limit ||
            (uint64_t)where->offset % bytes != 0)
            sim_refuse(decoder, source, "%s: offset %lld is outside of the variable or misaligned",
                       source->opcode, (long long)where->offset);
        if (where->is_entry && !is_load)
            sim_refuse(decoder, source, "parameters of a kernel cannot be written");
        if (where->is_entry)
            return sim_load_param;
        if (is_slot)
            return is_load ? sim_load_frame_b32 : sim_store_frame_b32;
    }
    if (space == PTX_PARAM && sim_decoder_function(decoder)->ptx->is_entry) {
        if (!is_load)
            sim_refuse(decoder, source, "parameters of a kernel cannot be written");
        return sim_load_param_at;
    }
    if (space == PTX_LOCAL || space == PTX_PARAM)
        return is_load ? sim_load_local : sim_store_local;
    if (!where->is_wide && space != PTX_SHARED)
        sim_refuse(decoder, source, "%s through a 32-bit address", source->opcode);
    return space_handler(where, space, element, count, is_load);
}

static const struct instruction *run_learn(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_flags_learn(warp, at->extra, at->a < 0 ? NULL : sim_slot(warp, at->a));
    if (warp->worker->checks && at->flags & FLAG_ACQUIRE)
        sim_flags_acquire(warp);
    return at + 1;
}

static const struct instruction *run_pass_over(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks)
        sim_flags_pass_over(warp);
    return at + 1;
}

void sim_emit_learn(struct decoder *decoder, const struct ptx_instruction *source)
{
    const struct ptx_operand *const result = &source->operands[0];
    const bool is_whole = result->kind == PTX_OPERAND_REGISTER &&
                          ptx_type_size(sim_register_type(decoder, result)) == 4;
    const struct sim_flag_test *const test = sim_find_flag_test(decoder, source);
    const int32_t slot = is_whole ? sim_source_slot(decoder, source, result, 'w') : -1;
    if (sim_hands_on(sim_decoder_function(decoder)->ptx, source)) {
        sim_emit(decoder, source, run_pass_over);
        return;
    }
    struct instruction *const emitted = sim_emit(decoder, source, run_learn);
    emitted->flags |= ptx_acquires(source) && !ptx_has_part(source, "cta") ? FLAG_ACQUIRE : 0;
    emitted->a = slot;
    emitted->extra = test;
}

void sim_emit_poll(struct decoder *decoder, const struct ptx_instruction *source,
                   const struct where *where)
{
    struct instruction *const emitted = sim_emit_plain(decoder, source, sim_run_poll);
    emitted->a = where->is_wide && !where->is_fixed ? where->slot : -1;
    emitted->offset = where->offset;
}

/* Whether an access may be used to talk to other threads. Volatile data in shared memory may not,
 * as `volatile` orders nothing there. */
static uint32_t strength(struct decoder *decoder, const struct ptx_instruction *source,
                         enum ptx_space space)
{
    if (ptx_has_part(source, "volatile") && space == PTX_SHARED &&
        !sim_decoder_program(decoder)->has_flags)
        return FLAG_VOLATILE;
    return ptx_is_strong(source) ? FLAG_STRONG : 0;
}

/* Runs after the load itself: what follows comes after all that another thread did before it set
 * the value that was read. */
static const struct instruction *run_acquire(struct warp *warp, const struct instruction *at)
{
    if (warp->worker->checks && !(at->flags & FLAG_BLOCK))
        sim_global_acquire(warp);
    if (warp->worker->checks)
        sim_checks_acquire(warp);
    return at + 1;
}

static void decode_access(struct decoder *decoder, const struct ptx_instruction *source,
                          bool is_load)
{
    struct access_text text = read_text(decoder, source);
    sim_operand(decoder, source, 1);
    const struct ptx_operand *const value = value_operand(source, is_load);
    const struct ptx_operand *sample = value;
    for (int i = 0; value->kind == PTX_OPERAND_VECTOR && i < value->element_count; i++)
        if (i == 0 || sample->kind == PTX_OPERAND_SINK)
            sample = &value->elements[i];
    const struct element element = find_element(decoder, source, text.type, sample, is_load);
    struct elements *const elements = new_elements(decoder, source, &element, &text, is_load);
    const struct where where = sim_read_address(decoder, source, &text.space, is_load ? 1 : 0);
    exec_handler *const run =
        choose(decoder, source, &where, text.space, &element, text.count, is_load);
    sim_note_access_size(decoder, text.space, ptx_type_size(text.type) * (size_t)text.count);
    elements->is_wide_address = where.is_wide;
    elements->is_framed = where.is_fixed && !where.is_entry;
    if (is_load && ptx_acquires(source) && where.is_wide && !where.is_fixed)
        sim_emit_plain(decoder, source, sim_run_grid_wait);
    struct instruction *const emitted = sim_emit(decoder, source, run);
    const int32_t slot =
        elements->slots[0] >= 0 ? elements->slots[0] : sim_temporary(decoder, source);
    emitted->a = where.slot;
    emitted->b = slot;
    emitted->d = slot;
    emitted->offset = where.offset;
    emitted->extra = elements;
    emitted->cache = sim_new_cache(decoder);
    emitted->flags |= strength(decoder, source, text.space);
    if (is_load && ptx_is_strong(source))
        emitted->flags |= sim_is_look(sim_decoder_function(decoder)->ptx, source) ? FLAG_LOOK : 0;
    if (text.space == PTX_SHARED && emitted->flags & FLAG_LOOK && emitted->flags & FLAG_STRONG)
        sim_decoder_program(decoder)->has_part_barriers = true;
    if (is_load && ptx_is_strong(source) && text.space != PTX_SHARED) {
        emitted->flags |=
            sim_is_read_early(sim_decoder_function(decoder)->ptx, source) ? FLAG_EARLY : 0;
        emitted->flags |=
            sim_is_successor(sim_decoder_function(decoder)->ptx, source) ? FLAG_SUCCESSOR : 0;
        sim_decoder_program(decoder)->reads_messages = true;
    }
    if (!is_load && emitted->flags & FLAG_STRONG)
        emitted->flags |= sim_writes_update(sim_decoder_function(decoder)->ptx, source);
    if (is_load && text.space != PTX_SHARED && text.space != PTX_PARAM)
        emitted->flags |= sim_reads_for_update(sim_decoder_function(decoder)->ptx, source);
    if (is_load && ptx_has_part(source, "nc"))
        emitted->flags |= FLAG_CONSTANT;
    if (ptx_releases(source))
        emitted->flags |= FLAG_RELEASE;
    if (ptx_has_part(source, "cta"))
        emitted->flags |= FLAG_BLOCK;
    if (!is_load && element.bytes == 4 && text.count == 1 && !element.is_wide_slot)
        emitted->flags |= FLAG_WHOLE;
    if (is_load && ptx_is_strong(source) && text.space != PTX_SHARED)
        sim_emit_learn(decoder, source);
    if (is_load && ptx_acquires(source))
        sim_emit(decoder, source, run_acquire)->flags |=
            ptx_has_part(source, "cta") ? FLAG_BLOCK : 0;
    if (is_load && ptx_is_strong(source))
        sim_emit_poll(decoder, source, &where);
}

static void decode_load(struct decoder *decoder, const struct ptx_instruction *source)
{
    decode_access(decoder, source, true);
}

static void decode_store(struct decoder *decoder, const struct ptx_instruction *source)
{
    decode_access(decoder, source, false);
}

const struct family sim_memory_families[] = {
    {PTX_OP_ld, decode_load},
    {PTX_OP_ldu, decode_load},
    {PTX_OP_st, decode_store},
    {PTX_OP_UNKNOWN, NULL},
};
