/* Finds where the paths of a divergent branch meet again: at the immediate post-dominator. The
 * algorithm of Cooper, Harvey and Kennedy, on the reversed graph, finds it.
 *
 * Lanes that return leave, and no lane waits for them. Plain post-dominance does not know this.
 * After `if (a) { if (b) return; }` it finds no common block before the exit, and the lanes would
 * run the rest of the kernel apart. So the graph is cut into layers, one for each place where
 * control can end. The most general end comes first; its layer is all blocks that can reach it. The
 * next layer is the remaining blocks that can reach the next end, and so on. An edge out of a layer
 * leads to where lanes leave for good, so it does not count. */
#include "sim/ptx/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, MAX_RANKING_STEPS = 20000000 };

struct layers {
    struct ptx_analysis *analysis;
    const struct ptx_flow *flow;
    bool *is_return; /* by block: a single ret or exit; an edge to such a block counts as leaving */
    int *layer;      /* by block; NONE: it has no layer yet */
    int *ends;       /* the block that ends each layer */
    int end_count;
    int *stack, *visited;
};

static const struct ptx_instruction *last_of(const struct layers *layers, int block)
{
    return &layers->analysis->function->instructions[layers->flow->first[block + 1] - 1];
}

static bool is_single_return(const struct layers *layers, int block)
{
    const struct ptx_instruction *last = last_of(layers, block);

    return layers->flow->first[block + 1] - layers->flow->first[block] == 1 && last->guard < 0 &&
           ptx_does(last, PTX_RETURNS);
}

/* Counts the edges of a block that go on. A return, or an edge to a single return, is leaving. */
static int count_onward_edges(const struct layers *layers, int block, bool *leaves)
{
    const struct ptx_flow *flow = layers->flow;
    int count = 0;

    *leaves = ptx_does(last_of(layers, block), PTX_ENDS);
    for (int edge = flow->next_start[block]; edge < flow->next_start[block + 1]; edge++) {
        bool returns = layers->is_return[flow->next[edge]];

        count += !returns;
        *leaves |= returns;
    }
    return count;
}

/* Walks backwards from `end` over blocks without a layer; gives them `layer` unless it is NONE. */
static int walk_back(struct layers *layers, int end, int layer, int stamp)
{
    const struct ptx_flow *flow = layers->flow;
    int depth = 0, count = 0;

    layers->stack[depth++] = end;
    layers->visited[end] = stamp;
    while (depth > 0) {
        int block = layers->stack[--depth];

        count++;
        if (layer != NONE)
            layers->layer[block] = layer;
        if (layers->is_return[block])
            continue; /* edges to a single return count as leaving */
        for (int edge = flow->previous_start[block]; edge < flow->previous_start[block + 1];
             edge++) {
            int before = flow->previous[edge];

            if (layers->layer[before] == NONE && layers->visited[before] != stamp) {
                layers->visited[before] = stamp;
                layers->stack[depth++] = before;
            }
        }
    }
    return count;
}

struct ranked_end {
    int block, reach;
    bool goes_on; /* lanes may also stay */
};

/* Sorts the more general end, which more blocks can reach, first. Among equals a loop comes first,
 * then the last block of the text. */
static int compare_ends(const void *left, const void *right)
{
    const struct ranked_end *one = left, *other = right;

    if (one->reach != other->reach)
        return one->reach > other->reach ? -1 : 1;
    if (one->goes_on != other->goes_on)
        return one->goes_on ? -1 : 1;
    return one->block > other->block ? -1 : 1;
}

static void rank_ends(struct layers *layers, struct ranked_end *ranked, int count)
{
    int steps = 0;

    for (int i = 0; i < count && steps < MAX_RANKING_STEPS; i++) {
        /* A trap ends the whole grid, so it is never the general end. */
        if (!ptx_does(last_of(layers, ranked[i].block), PTX_TRAPS))
            ranked[i].reach = walk_back(layers, ranked[i].block, NONE, i + 1);
        steps += ranked[i].reach;
    }
    qsort(ranked, (size_t)count, sizeof *ranked, compare_ends);
}

/* Gives a layer to all blocks that can reach `end` and have no layer yet. */
static void add_layer(struct layers *layers, int end)
{
    int stamp = layers->flow->block_count + 1 + layers->end_count;

    walk_back(layers, end, layers->end_count, stamp);
    layers->ends[layers->end_count++] = end;
}

/* A loop without a way out has no end. The block of its last jump back serves as its end. */
static bool jumps_back(const struct layers *layers, int block)
{
    const struct ptx_flow *flow = layers->flow;

    for (int edge = flow->next_start[block]; edge < flow->next_start[block + 1]; edge++)
        if (flow->next[edge] <= block && layers->layer[flow->next[edge]] == NONE)
            return true;
    return false;
}

static void cut_into_layers(struct layers *layers)
{
    int block_count = layers->flow->block_count, count = 0;
    struct ranked_end *ranked =
        ptx_analysis_array(layers->analysis, (size_t)block_count, sizeof *ranked);
    bool leaves;

    for (int block = 0; block < block_count; block++) {
        int onward = count_onward_edges(layers, block, &leaves);

        if (leaves)
            ranked[count++] = (struct ranked_end){.block = block, .goes_on = onward > 0};
    }
    rank_ends(layers, ranked, count);
    for (int i = 0; i < count; i++)
        if (layers->layer[ranked[i].block] == NONE)
            add_layer(layers, ranked[i].block);
    for (int block = block_count; block-- > 0;)
        if (layers->layer[block] == NONE && jumps_back(layers, block))
            add_layer(layers, block);
}

static bool counts(const struct layers *layers, int from, int to)
{
    return layers->layer[from] == layers->layer[to] && !layers->is_return[to];
}

/* Numbers each layer's reversed graph in post-order, from its end. Every block is in one layer. */
static void number_in_post_order(struct layers *layers, int *order, int *number)
{
    const struct ptx_flow *flow = layers->flow;
    int block_count = flow->block_count, placed = 0;
    int *edge = ptx_analysis_array(layers->analysis, (size_t)block_count, sizeof(int));

    for (int block = 0; block < block_count; block++) {
        number[block] = NONE;
        edge[block] = flow->previous_start[block];
    }
    memset(layers->visited, 0, (size_t)block_count * sizeof(int));
    for (int i = 0; i < layers->end_count; i++) {
        int depth = 0;

        layers->stack[depth++] = layers->ends[i];
        layers->visited[layers->ends[i]] = 1;
        while (depth > 0) {
            int block = layers->stack[depth - 1];

            if (edge[block] == flow->previous_start[block + 1]) {
                number[block] = placed;
                order[placed++] = block;
                depth--;
                continue;
            }
            int before = flow->previous[edge[block]++];
            if (!layers->visited[before] && counts(layers, before, block)) {
                layers->visited[before] = 1;
                layers->stack[depth++] = before;
            }
        }
    }
}

static int meet(const int *dominator, const int *number, int one, int other)
{
    while (one != other) {
        while (number[one] < number[other])
            one = dominator[one];
        while (number[other] < number[one])
            other = dominator[other];
    }
    return one;
}

/* Finds the immediate post-dominator of each block; an end has itself. */
static int *find_post_dominators(struct layers *layers)
{
    const struct ptx_flow *flow = layers->flow;
    size_t block_count = (size_t)flow->block_count;
    int *order = ptx_analysis_array(layers->analysis, block_count, sizeof(int));
    int *number = ptx_analysis_array(layers->analysis, block_count, sizeof(int));
    int *dominator = ptx_analysis_array(layers->analysis, block_count, sizeof(int));
    bool changed = true;

    number_in_post_order(layers, order, number);
    for (int block = 0; block < flow->block_count; block++)
        dominator[block] = NONE;
    for (int i = 0; i < layers->end_count; i++)
        dominator[layers->ends[i]] = layers->ends[i];
    while (changed) {
        changed = false;
        for (int i = flow->block_count; i-- > 0;) {
            int block = order[i], found = NONE;

            if (block == layers->ends[layers->layer[block]])
                continue;
            for (int edge = flow->next_start[block]; edge < flow->next_start[block + 1]; edge++) {
                int next = flow->next[edge];

                if (!counts(layers, block, next) || dominator[next] == NONE)
                    continue;
                found = found == NONE ? next : meet(dominator, number, found, next);
            }
            changed |= dominator[block] != found;
            dominator[block] = found;
        }
    }
    return dominator;
}

static bool can_diverge(const struct ptx_instruction *instruction)
{
    return ptx_does(instruction, PTX_BRANCHES) && !ptx_has_part(instruction, "uni") &&
           (instruction->operation == PTX_OP_brx || instruction->guard >= 0);
}

void ptx_find_reconvergence(struct ptx_analysis *analysis)
{
    struct ptx_function *function = analysis->function;
    struct ptx_flow *flow = &analysis->flow;
    size_t count = (size_t)flow->block_count;
    struct layers layers = {.analysis = analysis, .flow = flow};

    layers.is_return = ptx_analysis_array(analysis, count, sizeof(bool));
    layers.layer = ptx_analysis_array(analysis, count, sizeof(int));
    layers.ends = ptx_analysis_array(analysis, count, sizeof(int));
    layers.stack = ptx_analysis_array(analysis, count, sizeof(int));
    layers.visited = ptx_analysis_array(analysis, count, sizeof(int));
    for (int block = 0; block < flow->block_count; block++) {
        layers.layer[block] = NONE;
        layers.is_return[block] = is_single_return(&layers, block);
    }
    cut_into_layers(&layers);

    const int *dominator = find_post_dominators(&layers);
    for (int block = 0; block < flow->block_count; block++) {
        struct ptx_instruction *last = &function->instructions[flow->first[block + 1] - 1];

        if (!can_diverge(last))
            continue;
        last->reconvergence =
            dominator[block] == block ? function->instruction_count : flow->first[dominator[block]];
        if (last->reconvergence < function->instruction_count)
            function->instructions[last->reconvergence].is_join = true;
    }
}
