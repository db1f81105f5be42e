/* Runs the analyses of one function in their order. */
#include "sim/ptx/analysis.h"

static bool run(struct ptx_analysis *analysis)
{
    if (setjmp(analysis->out_of_memory) != 0)
        return false;
    ptx_find_blocks(analysis);
    ptx_find_reconvergence(analysis);
    ptx_find_accesses(analysis);
    /* Shared slots only save memory, so a function that is too large for the analysis has none. */
    if (ptx_find_live_ranges(analysis))
        ptx_share_slots(analysis);
    else
        ptx_number_slots(analysis->function);
    return true;
}

bool ptx_analyse(struct ptx_module *module, struct ptx_function *function, struct ptx_error *error)
{
    struct ptx_analysis analysis = {.function = function};
    bool ok;

    (void)module;
    if (!function->has_body)
        return true;
    analysis.arena = ptx_arena_create();
    ok = analysis.arena && run(&analysis);
    ptx_arena_destroy(analysis.arena);
    if (!ok)
        *error = (struct ptx_error){.message = "not enough memory to analyse a function"};
    return ok;
}
