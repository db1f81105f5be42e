/* Products in which an operand's k come in another order than the other's: those of its first tile
 * in every turn, or the neighbours of a vector exchanged, or one taken for another. */
#include "families/gemm/state.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 4 }; /* of a vector */

/* Which k of A and of B are multiplied, in place of k and k. */
struct order {
    bool of_a, of_b;
    int tile;              /* 0: none */
    const int *neighbours; /* of each vector; NULL: none */
};

static int taken(const struct order *o, int i)
{
    return o->tile ? i % o->tile : i / WIDTH * WIDTH + o->neighbours[i % WIDTH];
}

/* Behind the edges there is 0 in a tile. */
static double product(const struct lab_problem *p, size_t row, size_t column, int of_a, int of_b)
{
    const struct lab_gemm *g = gemm_of(p);
    return of_a < g->k && of_b < g->k
               ? gemm_input(p, GEMM_A, gemm_place(g, GEMM_A, row, (size_t)of_a)) *
                     gemm_input(p, GEMM_B, gemm_place(g, GEMM_B, (size_t)of_b, column))
               : 0.0;
}

/* Whether an element, if it is one of C, is the sum that this gives. */
static bool gives(const struct lab_problem *p, const struct order *o, size_t row, size_t column)
{
    const struct lab_gemm *g = gemm_of(p);
    const int end = (g->k + WIDTH - 1) / WIDTH * WIDTH; /* k may be taken in place of one past it */
    double sum = 0.0, got;
    if (row >= (size_t)g->m || column >= (size_t)g->n)
        return true;
    if (gemm_exponent(p, row, column) != 0 || !gemm_copy_of_c(p, row, column, &got))
        return false;
    for (int i = 0; i < (o->tile ? g->k : end); i++)
        sum += product(p, row, column, o->of_a ? taken(o, i) : i, o->of_b ? taken(o, i) : i);
    sum *= g->alpha;
    if (g->beta != 0.0f)
        sum += g->beta * gemm_input(p, GEMM_C, gemm_place(g, GEMM_C, row, column));
    return fabs(sum - got) <= 2.0 * gemm_tolerance(p);
}

static bool explains(const struct lab_problem *p, const struct order *o, size_t row, size_t column)
{
    return gives(p, o, row, column) && gives(p, o, row, column + 1) && gives(p, o, row + 1, column);
}

static bool say_first_tile(const struct lab_problem *p, const struct lab_finding *first, char *text,
                           size_t size)
{
    enum { LEAST = 2, LARGEST = 256, B_ALONE = 1, BOTH = 3 };
    static const char *const names[] = {"", "B", "A", "A and B"};
    for (int tile = LEAST; tile <= LARGEST && tile < gemm_of(p)->k; tile *= 2)
        for (int which = B_ALONE; which <= BOTH; which++) {
            const struct order o = {.of_a = which & 2, .of_b = which & 1, .tile = tile};
            if (!explains(p, &o, first->row, first->column))
                continue;
            snprintf(text, size,
                     "that is the sum with the first %d k of %s in every turn of %d: is the place "
                     "where a turn begins along k left out of the index of what is loaded of %s?",
                     tile, names[which], tile, names[which]);
            return true;
        }
    return false;
}

/* The next order of the neighbours, as in a dictionary; false behind the last. */
static bool next_order(int neighbours[WIDTH])
{
    int i = WIDTH - 2, j = WIDTH - 1;
    while (i >= 0 && neighbours[i] > neighbours[i + 1])
        i--;
    if (i < 0)
        return false;
    while (neighbours[j] < neighbours[i])
        j--;
    const int larger = neighbours[j];
    neighbours[j] = neighbours[i];
    neighbours[i] = larger;
    for (int low = i + 1, high = WIDTH - 1; low < high; low++, high--) {
        const int kept = neighbours[low];
        neighbours[low] = neighbours[high];
        neighbours[high] = kept;
    }
    return true;
}

static bool say_neighbours(const struct lab_problem *p, const struct lab_finding *first, char *text,
                           size_t size)
{
    int neighbours[WIDTH] = {0, 1, 2, 3};
    const struct order o = {.of_b = true, .neighbours = neighbours};
    while (next_order(neighbours)) {
        if (!explains(p, &o, first->row, first->column))
            continue;
        snprintf(
            text, size,
            "that is the sum with every 4 neighbours along k of B in the order %d %d %d %d, or "
            "those of A so that it comes to the same: look at where the x, y, z and w of a "
            "vector go",
            neighbours[0], neighbours[1], neighbours[2], neighbours[3]);
        return true;
    }
    return false;
}

/* The next four neighbours of which one is there twice or more; false behind the last. */
static bool next_repeated(int neighbours[WIDTH])
{
    bool is_there[WIDTH] = {false};
    int i = WIDTH - 1, different = 0;
    while (i >= 0 && neighbours[i] == WIDTH - 1)
        neighbours[i--] = 0;
    if (i < 0)
        return false;
    neighbours[i]++;
    for (i = 0; i < WIDTH; i++) {
        different += !is_there[neighbours[i]];
        is_there[neighbours[i]] = true;
    }
    return different < WIDTH || next_repeated(neighbours);
}

/* The first neighbour that is there so many times. */
static int with_count(const int neighbours[WIDTH], int least, int most)
{
    for (int which = 0; which < WIDTH; which++) {
        int count = 0;
        for (int i = 0; i < WIDTH; i++)
            count += neighbours[i] == which;
        if (count >= least && count <= most)
            return which;
    }
    return 0;
}

static bool say_repeated(const struct lab_problem *p, const struct lab_finding *first, char *text,
                         size_t size)
{
    int neighbours[WIDTH] = {0, 0, 0, -1};
    while (next_repeated(neighbours))
        for (int of_b = 1; of_b >= 0; of_b--) {
            const struct order o = {.of_a = !of_b, .of_b = of_b, .neighbours = neighbours};
            if (!explains(p, &o, first->row, first->column))
                continue;
            snprintf(text, size,
                     "that is the sum with every 4 neighbours along k of %c in the order %d %d %d "
                     "%d: is the %c of a vector taken more than once, and its %c not at all?",
                     of_b ? 'B' : 'A', neighbours[0], neighbours[1], neighbours[2], neighbours[3],
                     "xyzw"[with_count(neighbours, 2, WIDTH)],
                     "xyzw"[with_count(neighbours, 0, 0)]);
            return true;
        }
    return false;
}

bool gemm_say_order_of_k(const struct lab_problem *p, const struct lab_finding *first, char *text,
                         size_t size)
{
    enum { LARGEST = 2048 };
    const struct lab_gemm *g = gemm_of(p);
    if (g->k < WIDTH || g->k > LARGEST ||
        fabs(first->got - first->expected) <= 4.0 * gemm_tolerance(p))
        return false; /* few products, or little error: by chance */
    return say_first_tile(p, first, text, size) || say_neighbours(p, first, text, size) ||
           say_repeated(p, first, text, size);
}
