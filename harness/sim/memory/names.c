/* Names of variables, allocations and lines for the messages of the checks. */
#include "names.h"

#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The C++ runtime has this function, but no header for C. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* NULL for a plain name: "s" alone would be read as the type short. */
static char *demangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
}

void sim_demangle(const char *mangled, char *text, size_t size)
{
    static const char unit[] = "_INTERNAL_"; /* nvcc's namespace of what is static in a file */
    char *const name = demangled(mangled);
    const char *const inside =
        name && strncmp(name, unit, sizeof unit - 1) == 0 ? strstr(name, "::") : NULL;
    snprintf(text, size, "%s", inside ? inside + 2 : name ? name : mangled);
    free(name);
}

/* The name of a kernel's variable begins with the kernel's name: only the last part is kept. */
void sim_short_name(const char *mangled, char *text, size_t size)
{
    char *const name = demangled(mangled);
    const char *last = name ? name : mangled;
    for (const char *at = last; (at = strstr(at, "::")); at += 2)
        last = at + 2;
    snprintf(text, size, "%s", last);
    free(name);
}

const struct shared_variable *sim_find_shared(const struct warp *warp, uint64_t offset)
{
    const struct program *const program = warp->worker->launch->program;
    for (int i = 0; i < program->shared_count; i++)
        if (offset >= program->shared[i].offset &&
            offset < program->shared[i].offset + program->shared[i].ptx->size)
            return &program->shared[i];
    return NULL;
}

static bool comes_of(const struct ptx_operand *operand, const struct ptx_variable *variable,
                     const bool *found)
{
    return operand->variable == variable || (operand->reg >= 0 && found[operand->reg]);
}

/* Marks registers computed from the address of a variable, but not values loaded from there. */
static void spread_address(const struct ptx_function *ptx, const struct ptx_variable *variable,
                           bool *found)
{
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int i = 0; i < ptx->instruction_count; i++) {
            const struct ptx_instruction *const source = &ptx->instructions[i];
            bool does = false;
            if (source->operand_count < 2 || source->operands[0].kind != PTX_OPERAND_REGISTER ||
                found[source->operands[0].reg] || ptx_does(source, PTX_LOADS))
                continue;
            for (int o = 1; o < source->operand_count; o++)
                does = does || comes_of(&source->operands[o], variable, found);
            found[source->operands[0].reg] = does;
            has_grown |= does;
        }
    }
}

const struct shared_variable *sim_shared_base(const struct warp *warp,
                                              const struct ptx_instruction *source)
{
    const struct program *const program = warp->worker->launch->program;
    const struct ptx_function *const ptx = warp->function->ptx;
    const struct shared_variable *base = NULL;
    if (source < ptx->instructions || source >= ptx->instructions + ptx->instruction_count)
        return NULL;
    int count = 0;
    for (int v = 0; v < program->shared_count; v++) {
        bool *const found = calloc((size_t)ptx->register_count + 1, sizeof *found);
        bool does = false;
        if (found)
            spread_address(ptx, program->shared[v].ptx, found);
        for (int o = 0; found && o < source->operand_count; o++)
            does = does || (source->operands[o].kind == PTX_OPERAND_ADDRESS &&
                            comes_of(&source->operands[o], program->shared[v].ptx, found));
        free(found);
        count += does ? 1 : 0;
        base = does ? &program->shared[v] : base;
    }
    return count == 1 ? base : NULL;
}

void sim_name_shared(const struct warp *warp, uint64_t offset, unsigned bytes, char *text,
                     size_t size)
{
    const uint64_t rank = warp->worker->cluster ? offset >> CLUSTER_SHIFT : 0;
    if (rank) {
        sim_name_shared(warp, offset - (rank << CLUSTER_SHIFT), bytes, text, size);
        snprintf(text + strlen(text), size - strlen(text), " of the block with rank %" PRIu64,
                 rank - 1);
        return;
    }
    const struct shared_variable *const variable = sim_find_shared(warp, offset);
    const uint64_t dynamic = warp->worker->launch->program->dynamic_shared;
    char name[200];
    if (variable) {
        sim_short_name(variable->ptx->name, name, sizeof name);
        snprintf(text, size, "element %" PRIu64 " of %s in shared memory",
                 (offset - variable->offset) / bytes, name);
    } else if (offset >= dynamic) {
        snprintf(text, size, "element %" PRIu64 " of the dynamic shared memory",
                 (offset - dynamic) / bytes);
    } else {
        snprintf(text, size, "offset %" PRIu64 " of shared memory", offset);
    }
}

void sim_name_global(uint64_t address, unsigned bytes, char *text, size_t size)
{
    const struct sim_allocation *const found = sim_memory_find(address);
    uint64_t row, column;
    if (sim_row_element(found, address, &row, &column))
        sim_name_element(found, row, column, text, size);
    else if (found && found->name)
        snprintf(text, size, "element %" PRIu64 " of %s", (address - found->first) / bytes,
                 found->name);
    else if (found)
        snprintf(text, size, "element %" PRIu64 " of the allocation of %" PRIu64 " bytes",
                 (address - found->first) / bytes, found->end - found->first);
    else
        snprintf(text, size, "address 0x%" PRIx64, address);
}

void sim_name_thread(const struct warp *warp, int lane, char *text, size_t size)
{
    const unsigned *const block = warp->block->id;
    snprintf(text, size, "thread (%u, %u, %u) of block (%u, %u, %u)", warp->thread[0][lane],
             warp->thread[1][lane], warp->thread[2][lane], block[0], block[1], block[2]);
}

void sim_name_threads(const struct launch *launch, char *text, size_t size)
{
    const unsigned *const block = launch->request->block;
    char depth[16] = "", shape[100] = "";
    if (block[2] > 1)
        snprintf(depth, sizeof depth, " x %u", block[2]);
    if (block[1] > 1 || block[2] > 1)
        snprintf(shape, sizeof shape, ", %u x %u%s, so that threadIdx.x ends at %u", block[0],
                 block[1], depth, block[0] - 1);
    snprintf(text, size, "%u threads%s", launch->threads, shape);
}

void sim_name_memory(const struct warp *warp, uint64_t address, unsigned bytes, char *text,
                     size_t size)
{
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        sim_name_shared(warp, address - SHARED_WINDOW, bytes, text, size);
    else
        sim_name_global(address, bytes, text, size);
}

unsigned sim_element_bytes(const struct ptx_instruction *source)
{
    const enum ptx_type type = ptx_part_type(source->parts[source->part_count - 1]);
    const size_t bytes = type == PTX_NONE ? 0 : ptx_type_size(type);
    return bytes ? (unsigned)bytes : 4;
}

const struct instruction *sim_find_instruction(const struct program *program, uint32_t cache)
{
    for (int f = 0; f < program->function_count; f++) {
        const struct function *const function = program->functions[f];
        for (int i = 0; function && i < function->code_count; i++) {
            const struct instruction *const at = &function->code[i];
            if (at->cache == cache && (int)at->source < function->ptx->instruction_count)
                return at;
        }
    }
    return NULL;
}

const struct ptx_instruction *sim_find_place(const struct program *program, uint32_t cache)
{
    return program->sources && cache < program->cache_count ? program->sources[cache] : NULL;
}

static bool has_lines(const struct program *program)
{
    for (int i = 0; i < program->entry->ptx->instruction_count; i++)
        if (program->entry->ptx->instructions[i].line)
            return true;
    return false;
}

void sim_name_place(const struct program *program, uint32_t cache, char *text, size_t size)
{
    sim_name_source(program, sim_find_place(program, cache), text, size);
}

void sim_name_source(const struct program *program, const struct ptx_instruction *source,
                     char *text, size_t size)
{
    const char *const call = source ? source->call_file : NULL; /* of a helper that is inlined */
    const char *const slash = call ? strrchr(call, '/') : NULL;
    if (call && source->line)
        snprintf(text, size, "%s:%d (called at %s:%d)", ptx_shown_path(source->file), source->line,
                 slash ? slash + 1 : call, source->call_line);
    else if (source && source->line)
        snprintf(text, size, "%s:%d", ptx_shown_path(source->file), source->line);
    else
        snprintf(text, size, "another line%s",
                 has_lines(program) ? "" : " (build with -lineinfo to see which)");
}

void sim_name_short_place(const struct program *program, uint32_t cache, char *text, size_t size)
{
    char whole[600];
    sim_name_place(program, cache, whole, sizeof whole);
    const char *const slash = strrchr(whole, '/');
    snprintf(text, size, "%s", slash ? slash + 1 : whole);
}
