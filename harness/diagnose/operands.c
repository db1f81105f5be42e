/* How the elements that a kernel multiplies lie relative to the right ones, in words. */
#include "diagnose/operands.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where an element belongs, in rows and columns as stored. When rows are looked at, `along` is its
 * row and `across` its column; when columns are, the reverse. `beyond` is the index of C that has
 * nothing to do with the element. */
struct belonging {
    size_t along, across, beyond;
};

/* What a row or a column is in place of the right one; the second text follows the first. */
struct relation {
    const char *of_line; /* takes the word for the line across, or for C's line */
    const char *of_side; /* takes a side */
    bool of_c;
    int least, most; /* sides that are tried, powers of two */
    bool (*fits)(struct belonging b, size_t met, size_t side);
};

#define RELATION(name, is_met)                                                                     \
    static bool name(struct belonging b, size_t met, size_t side)                                  \
    {                                                                                              \
        return (void)b, (void)side, is_met;                                                        \
    }

RELATION(right, met == b.along)
RELATION(always_first, met == 0)
RELATION(first_of_tile, met == b.along - b.along % side)
RELATION(too_large, met == b.along + side)
RELATION(too_small, met + side == b.along)
RELATION(in_first_tile, met == b.along % side)
RELATION(neighbour, met / side == b.along / side)
RELATION(across, met == b.across)
RELATION(across_in_tile, met == b.along - b.along % side + b.across % side)
RELATION(across_in_first_tile, met == b.across % side)
RELATION(beyond, met == b.beyond)
RELATION(beyond_in_tile, met == b.along - b.along % side + b.beyond % side)

/* Of a tile with more columns than rows of threads: x is taken for y there, or y for x. */
#define ROW_OF_TILE(tile)                                                                          \
    RELATION(row_of_tile_##tile, side < tile && met == b.along - b.along % tile + b.beyond % side)
ROW_OF_TILE(16)
ROW_OF_TILE(32)
ROW_OF_TILE(64)
#define ROW_OF_TILE_WORDS(tile)                                                                    \
    {                                                                                              \
        "C's %s",                                                                                  \
            " modulo %d, within tiles of " #tile                                                   \
            " (is threadIdx.x taken for threadIdx.y, or y for x?)",                                \
            true, 2, tile / 2, row_of_tile_##tile                                                  \
    }

/* A thread's values are neighbours in one place, and lie apart in the other. */
#define DEALT(tile)                                                                                \
    RELATION(dealt_in_##tile, side < tile && met == b.along - b.along % tile +                     \
                                                        b.along % tile % side * (tile / side) +    \
                                                        b.along % tile / side)
DEALT(16)
DEALT(32)
DEALT(64)
DEALT(128)
#define DEALT_WORDS(tile)                                                                          \
    {                                                                                              \
        "dealt",                                                                                   \
            " out anew in tiles of " #tile                                                         \
            " (a thread's values are neighbours in one place, where "                              \
            "they are read or stored, and lie apart in the other)",                                \
            false, 2, tile / 2, dealt_in_##tile                                                    \
    }

/* Of a thread with `side` neighbours: x is taken for y, or y for x, in a block of this width. */
#define OF_THREAD(width)                                                                           \
    RELATION(of_thread_##width,                                                                    \
             met % side == b.along % side && met / side % (width) == b.beyond % (width))
OF_THREAD(8)
OF_THREAD(16)
OF_THREAD(32)
#define OF_THREAD_WORDS(width)                                                                     \
    {                                                                                              \
        "C's %s",                                                                                  \
            ", %d for each (is threadIdx.x taken for threadIdx.y, or y for x, where a thread "     \
            "finds its values?)",                                                                  \
            true, 2, 8, of_thread_##width                                                          \
    }

enum { LARGEST_TILE = 128 };
static const struct relation relations[] = {
    {"right", "", false, 1, 1, right},
    {"always the first", "", false, 1, 1, always_first},
    {"", "the first of each %d", false, 2, LARGEST_TILE, first_of_tile},
    {"", "%d too large", false, 1, LARGEST_TILE, too_large},
    {"", "%d too small", false, 1, LARGEST_TILE, too_small},
    {"", "always one of the first %d (is where a tile begins left out?)", false, 2, LARGEST_TILE,
     in_first_tile},
    {"what its %s should be", "", false, 1, 1, across},
    {"what its %s should be", ", within tiles of %d", false, 2, LARGEST_TILE, across_in_tile},
    {"what its %s should be", " in the first tile of %d", false, 2, LARGEST_TILE,
     across_in_first_tile},
    {"C's %s", "", true, 1, 1, beyond},
    {"C's %s", ", within tiles of %d", true, 2, LARGEST_TILE, beyond_in_tile},
    DEALT_WORDS(16),
    DEALT_WORDS(32),
    DEALT_WORDS(64),
    DEALT_WORDS(128),
    OF_THREAD_WORDS(8),
    OF_THREAD_WORDS(16),
    OF_THREAD_WORDS(32),
    ROW_OF_TILE_WORDS(16),
    ROW_OF_TILE_WORDS(32),
    ROW_OF_TILE_WORDS(64),
    {"", "another one of the same %d (which of a thread's own, or of a vector's x, y, z and w?)",
     false, 4, 4, neighbour},
};

/* Goes to the first product from `e` on that meets an element; `belongs`: which is to. */
static bool find_met(const struct lab_products *s, const struct lab_meeting *meeting, size_t *e,
                     size_t *belongs)
{
    const size_t n = (size_t)s->n, k = (size_t)s->k, count = (size_t)s->m * n * k;
    while (*e < count && meeting->met[*e] < 0)
        ++*e;
    if (*e < count)
        *belongs = lab_meeting_place(s, meeting->which, *e / k / n, *e / k % n, *e % k);
    return *e < count;
}

/* Whether a relation holds for all products with one element, or for the wrong ones alone. */
static bool holds(const struct lab_products *s, const struct lab_meeting *meeting,
                  const struct relation *relation, size_t side, bool of_rows, bool of_all)
{
    const size_t n = (size_t)s->n, k = (size_t)s->k, row = s->arrays[meeting->which].row;
    for (size_t e = 0, belongs; find_met(s, meeting, &e, &belongs); e++) {
        const size_t met = (size_t)meeting->met[e];
        const struct belonging b = {of_rows ? belongs / row : belongs % row,
                                    of_rows ? belongs % row : belongs / row,
                                    meeting->which == s->a ? e / k % n : e / k / n};
        if ((of_all || met != belongs) && !relation->fits(b, of_rows ? met / row : met % row, side))
            return false;
    }
    return true;
}

/* How far apart a kernel takes rows to lie, or columns if it takes them for rows, if nothing else
 * is wrong; else 0. */
static size_t find_pitch(const struct lab_products *s, const struct lab_meeting *meeting,
                         bool is_turned)
{
    const size_t row = s->arrays[meeting->which].row;
    size_t pitch = 0;
    for (size_t e = 0, belongs; find_met(s, meeting, &e, &belongs); e++) {
        const size_t line = is_turned ? belongs % row : belongs / row;
        const size_t within = is_turned ? belongs / row : belongs % row;
        const size_t met = (size_t)meeting->met[e];
        if (line == 1 && met >= within && !pitch)
            pitch = met - within;
        if (line > 0 ? met != line * pitch + within : met != within)
            return 0;
    }
    return is_turned || pitch != row ? pitch : 0;
}

/* The first relation that holds for rows, or for columns, and its side; NULL: none does. */
static const struct relation *find_relation(const struct lab_products *s,
                                            const struct lab_meeting *meeting, bool of_rows,
                                            int *side)
{
    const bool is_one_of_c = (meeting->which == s->a ? s->n : s->m) == 1; /* it tells nothing */
    for (int of_all = 1; of_all >= 0; of_all--)
        for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
            for (*side = relations[i].least; *side <= relations[i].most; *side *= 2)
                if (!(relations[i].of_c && is_one_of_c) &&
                    holds(s, meeting, &relations[i], (size_t)*side, of_rows, of_all))
                    return &relations[i];
    return NULL;
}

static bool is_times(int met)
{
    return met < LAB_MET_TIMES && met >= LAB_MET_SUM;
}

static bool is_sum(int met)
{
    return met < LAB_MET_SUM;
}

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* Names some of one element's products that are not right. */
static void say_products(const struct lab_products *s, const struct lab_meeting *meeting, size_t i,
                         size_t j, char *text, size_t size)
{
    enum { MOST = 2, NAME = 96 };
    const bool is_a = meeting->which == s->a;
    const struct lab_array *const mine = &s->arrays[meeting->which];
    const int other = is_a ? s->b : s->a;
    const size_t k = (size_t)s->k, e = i * (size_t)s->n + j;
    int found = 0;
    for (size_t l = 0; l < k; l++) {
        char one[NAME], met[NAME], belongs[NAME];
        const int is = meeting->met[e * k + l];
        const size_t at = lab_meeting_place(s, meeting->which, i, j, l);
        if (is == (int)at || is == LAB_MET_CHANGED || ++found > MOST)
            continue;
        lab_element_name(&s->arrays[other], lab_meeting_place(s, other, i, j, l), one);
        lab_element_name(mine, at, belongs);
        append(text, size, found > 1 ? ", " : "");
        if (is >= 0)
            append(text, size, "%s * %s where %s * %s belongs",
                   is_a ? lab_element_name(mine, (size_t)is, met) : one,
                   is_a ? one : lab_element_name(mine, (size_t)is, met), is_a ? belongs : one,
                   is_a ? one : belongs);
        else if (is_sum(is))
            append(text, size, "%s times %d elements of %s", one, LAB_MET_SUM - is, mine->name);
        else if (is_times(is))
            append(text, size, "%s * %s %d times", is_a ? belongs : one, is_a ? one : belongs,
                   LAB_MET_TIMES - is);
        else if (is == LAB_MET_NOTHING)
            append(text, size, "no %s * %s", is_a ? belongs : one, is_a ? one : belongs);
        else
            append(text, size, "%s times what is no element of %s", one, mine->name);
    }
    if (found > MOST)
        append(text, size, " and %d more that are not right", found - MOST);
}

static void append_relation(const struct relation *relation, int side, const char *of,
                            const char *across_line, const char *beyond_line, char *text,
                            size_t size)
{
    append(text, size, "%s is ", of);
    append(text, size, relation->of_line, relation->of_c ? beyond_line : across_line);
    append(text, size, relation->of_side, side);
}

static void append_relations(const struct lab_products *s, const struct lab_meeting *meeting,
                             char *text, size_t size)
{
    const char *const name = s->arrays[meeting->which].name;
    const char *const beyond_line = meeting->which == s->a ? "column" : "row";
    const size_t pitch = find_pitch(s, meeting, false);
    const size_t turned_pitch = find_pitch(s, meeting, true);
    int row_side, column_side;
    const struct relation *const row = find_relation(s, meeting, true, &row_side);
    const struct relation *const column = find_relation(s, meeting, false, &column_side);
    const bool is_whole = pitch && row && pitch % s->arrays[meeting->which].row == 0;
    if (pitch)
        append(text, size,
               ": %s[i][j] as it is stored is read at i * %zu + j, and it lies at i * %zu + j%s",
               name, pitch, s->arrays[meeting->which].row, is_whole ? "; or" : "");
    if (pitch && !is_whole) {
        ;
    } else if (row && row == column && row_side == column_side && row->fits == across) {
        append(text, size, ": %s's row and column are exchanged", name);
    } else if (row && row == column && row_side == column_side && row->fits == across_in_tile) {
        const size_t twice = 2 * (size_t)row_side; /* where k is small, tiles of both fit */
        const bool is_small = holds(s, meeting, row, twice, true, false) &&
                              holds(s, meeting, row, twice, false, false);
        append(text, size, ": %s's row and column are exchanged within ", name);
        append(text, size, is_small ? "a tile" : "tiles of %d", row_side);
    } else if (turned_pitch) {
        append(text, size,
               ": %s[i][j] as it is stored is read at j * %zu + i, and it lies at i * %zu + j",
               name, turned_pitch, s->arrays[meeting->which].row);
    } else if (row || column) {
        append(text, size, "%s %s's ", is_whole ? "" : ":", name);
        if (row)
            append_relation(row, row_side, "row", "column", beyond_line, text, size);
        append(text, size, row && column ? ", and its " : "");
        if (column)
            append_relation(column, column_side, "column", "row", beyond_line, text, size);
    }
}

/* Replaces the advice for any mistake, but keeps the place of the wrong elements. */
static void put(struct lab_check *check, const char *text)
{
    if (check->advice_at) {
        char *const advice = check->message + check->advice_at;
        advice[check->has_place ? strcspn(advice, ":") : 0] = '\0';
    }
    append(check->message, sizeof check->message, "%s", text);
    check->certainty = LAB_CAUSE_PROVED;
    check->may_be_race = false; /* a race leaves no such order */
}

/* Whether only the row or the column that the operand shares with C is wrong. */
static bool is_of_c(const struct lab_products *s, const struct lab_meeting *meeting)
{
    const size_t row = s->arrays[meeting->which].row;
    const size_t step = lab_meeting_place(s, meeting->which, 0, 0, s->k > 1);
    const bool is_along_row = step < row; /* neighbours along k lie in one row */
    for (size_t e = 0, belongs; find_met(s, meeting, &e, &belongs); e++) {
        const size_t met = (size_t)meeting->met[e];
        if (is_along_row ? met % row != belongs % row : met / row != belongs / row)
            return false;
    }
    return true;
}

/* Names the products of the element that is shown, and asks what the format says. */
static void say(const struct lab_products *s, const struct lab_meeting *meeting,
                bool with_relations, struct lab_check *check, const char *format, ...)
{
    const size_t place = s->place(s->argument, s->c, check->row, check->column);
    char text[800], element[96];
    va_list arguments;
    snprintf(text, sizeof text,
             "; launched with values that show what it multiplies, it has in %s ",
             lab_element_name(&s->arrays[s->c], place, element));
    say_products(s, meeting, check->row, check->column, text, sizeof text);
    if (with_relations)
        append_relations(s, meeting, text, sizeof text);
    const size_t length = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    put(check, text);
}

/* Whether the same element meets each index of a sum. */
static bool are_alike(const struct lab_products *s, const struct lab_meeting *meeting,
                      const struct lab_check *check)
{
    const size_t k = (size_t)s->k;
    const int *const met = meeting->met + (check->row * (size_t)s->n + check->column) * k;
    for (size_t l = 1; l < k; l++)
        if (met[l] != met[0])
            return false;
    return true;
}

/* Whether an operand's element is in any product of its row or column of C. */
static bool is_met(const struct lab_products *s, const struct lab_meeting *meeting, size_t i,
                   size_t j, size_t place)
{
    const size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    const bool is_a = meeting->which == s->a;
    for (size_t other = 0; other < (is_a ? n : m); other++)
        for (size_t l = 0; l < k; l++)
            if (meeting->met[((is_a ? i : other) * n + (is_a ? other : j)) * k + l] == (int)place)
                return true;
    return false;
}

/* Whether an operand's elements lie in an order, relative to the right ones, that has a name. */
static bool has_order(const struct lab_products *s, const struct lab_meeting *meeting)
{
    int side;
    return find_pitch(s, meeting, false) || find_pitch(s, meeting, true) ||
           (find_relation(s, meeting, true, &side) && find_relation(s, meeting, false, &side));
}

/* Whether what is met in an operand's place is the same in each row of C that B's element goes to,
 * or in each column that A's does: then it was loaded so, or is read so from its tile. */
static bool is_alike_in_c(const struct lab_products *s, const struct lab_meeting *meeting)
{
    const size_t n = (size_t)s->n, k = (size_t)s->k;
    const bool is_a = meeting->which == s->a;
    if ((is_a ? s->n : s->m) == 1)
        return false;
    for (size_t e = 0; e < (size_t)s->m * n * k; e++) {
        const size_t i = e / k / n, j = e / k % n;
        if (meeting->met[e] != meeting->met[((is_a ? i : 0) * n + (is_a ? 0 : j)) * k + e % k])
            return false;
    }
    return true;
}

/* The operand that is wrong, if each index of the other one meets one element of it. Where each
 * meets one of the other, either may be wrong: the one is whose elements alone
 * have an order, or are the same wherever they go in C. NULL: neither is known to be. */
static const struct lab_meeting *find_wrong(const struct lab_products *s,
                                            const struct lab_meeting *a,
                                            const struct lab_meeting *b, double places_a,
                                            double places_b)
{
    const bool a_is_placed = places_a > 0.5, b_is_placed = places_b > 0.5;
    const bool a_has_order = a_is_placed && has_order(s, a);
    const bool b_has_order = b_is_placed && has_order(s, b);
    if (a_has_order != b_has_order)
        return a_has_order ? a : b;
    if (a_is_placed != b_is_placed)
        return a_is_placed ? a : b;
    if (a_is_placed && !a_has_order && is_alike_in_c(s, a) != is_alike_in_c(s, b))
        return is_alike_in_c(s, a) ? a : b;
    return b_has_order ? places_a > places_b ? a : b : NULL;
}

/* How many of each vector of 4 along k are in no product, its last ones; 0: not the same of each,
 * or there are no vectors along k. */
static int missing_of_vectors(const int *met, size_t k, bool is_along_k)
{
    enum { VECTOR = 4 };
    for (size_t first = 1; first < VECTOR && k > VECTOR && is_along_k; first++) {
        size_t l = 0;
        while (l < k && (met[l] == LAB_MET_NOTHING) == (l % VECTOR >= first))
            l++;
        if (l == k)
            return (int)(VECTOR - first);
    }
    return 0;
}

static bool is_place(int met)
{
    return met >= 0;
}

static bool is_something(int met)
{
    return met != LAB_MET_NOTHING;
}

/* How many of an element's products are wrong and of this kind; NULL: of any kind. */
static int count_wrong(const struct lab_products *s, const struct lab_meeting *meeting,
                       const struct lab_check *check, bool (*is_kind)(int met))
{
    const size_t i = check->row, j = check->column, k = (size_t)s->k;
    const int *const met = meeting->met + (i * (size_t)s->n + j) * k;
    int count = 0;
    for (size_t l = 0; l < k; l++)
        count += met[l] != (int)lab_meeting_place(s, meeting->which, i, j, l) &&
                 met[l] != LAB_MET_CHANGED && (!is_kind || is_kind(met[l]));
    return count;
}

/* For products that are missing since one of their operands is in no product. */
static void say_missing(const struct lab_products *s, const struct lab_meeting *a,
                        const struct lab_meeting *b, struct lab_check *check)
{
    const size_t i = check->row, j = check->column, k = (size_t)s->k;
    const int *const met = b->met + (i * (size_t)s->n + j) * k;
    char element[96];
    size_t l = 0;
    while (l < k && met[l] != LAB_MET_NOTHING)
        l++;
    if (l == k)
        return;
    const size_t of_a = s->place(s->argument, s->a, i, l);
    const size_t of_b = s->place(s->argument, s->b, l, j);
    const bool has_a = is_met(s, a, i, j, of_a), has_b = is_met(s, b, i, j, of_b);
    const bool is_along_k = lab_meeting_place(s, b->which, 0, 0, k > 1) == 1;
    const int missing =
        count_wrong(s, b, check, is_place) == 0 ? missing_of_vectors(met, k, is_along_k) : 0;
    /* The single row of A, or column of B, has no second product that would tell which is missing.
     */
    const bool may_be_other = (has_a ? s->m : s->n) == 1;
    lab_element_name(&s->arrays[has_a ? s->b : s->a], has_a ? of_b : of_a, element);
    if (!has_a && !has_b) {
        char other[96];
        lab_element_name(&s->arrays[s->b], of_b, other);
        say(s, b, false, check,
            "; neither %s nor %s is in a product: does the loop over k reach them, and does a "
            "guard load 0 for them, as one that is the wrong way round?",
            element, other);
    } else if (has_a != has_b && missing)
        say(s, b, false, check,
            "; %s is in no product, as of each 4 along k the last %d: is the number of elements "
            "that a load of 4 may take counted along k?",
            element, missing);
    else if (has_a != has_b && may_be_other)
        say(s, b, false, check, "%s", "");
    else if (has_a != has_b)
        say(s, b, false, check,
            "; %s is in no product: is it loaded, or 0 in its place, and does the loop that "
            "multiplies it reach it?",
            element);
}

/* How often all of an element's products are in it; 0: not all are there equally often. */
static int times_of_all(const struct lab_products *s, const struct lab_meeting *meeting,
                        const struct lab_check *check)
{
    const size_t k = (size_t)s->k;
    const int *const met = meeting->met + (check->row * (size_t)s->n + check->column) * k;
    return is_times(met[0]) && are_alike(s, meeting, check) ? LAB_MET_TIMES - met[0] : 0;
}

/* Whether the neighbours of each sum meet nothing: so it looks where the index of a sum is that of
 * k, or where one element of a tile is read for all. */
static bool have_lone_sums(const struct lab_products *s, const struct lab_meeting *meeting,
                           const struct lab_check *check)
{
    const size_t k = (size_t)s->k;
    const int *const met = meeting->met + (check->row * (size_t)s->n + check->column) * k;
    if (count_wrong(s, meeting, check, is_place) > 0)
        return false;
    for (size_t l = 0; l < k; l++)
        if (is_sum(met[l]) && ((l > 0 && met[l - 1] != LAB_MET_NOTHING) ||
                               (l + 1 < k && met[l + 1] != LAB_MET_NOTHING)))
            return false;
    return true;
}

void lab_meeting_say(const struct lab_products *s, const struct lab_meeting *a,
                     const struct lab_meeting *b, bool has_tile, struct lab_check *check)
{
    const int wrong_a = count_wrong(s, a, check, NULL);
    const int wrong_b = count_wrong(s, b, check, NULL);
    /* A single row or column tells little: there, what is missing counts, too. */
    bool (*const counts)(int met) = s->m > 1 && s->n > 1 ? is_something : NULL;
    const double places_a =
        count_wrong(s, a, check, is_place) / fmax(count_wrong(s, a, check, counts), 1.0);
    const double places_b =
        count_wrong(s, b, check, is_place) / fmax(count_wrong(s, b, check, counts), 1.0);
    const struct lab_meeting *const wrong = find_wrong(s, a, b, places_a, places_b);
    const struct lab_meeting *const sums = count_wrong(s, a, check, is_sum) > 0   ? a
                                           : count_wrong(s, b, check, is_sum) > 0 ? b
                                                                                  : NULL;
    const int times = times_of_all(s, a, check);
    if (times > 1 && times == times_of_all(s, b, check) && s->k > 1 && !check->has_place) {
        char text[120];
        snprintf(text, sizeof text,
                 "; each of its products is in it %d times: is something added %s?", times,
                 times == 2 ? "twice" : "several times");
        put(check, text);
    } else if (wrong_a + wrong_b == 0 && (a->is_changed || b->is_changed))
        return; /* nothing is known of places */
    else if (wrong_a + wrong_b == 0 && s->has_factors)
        put(check, "; with alpha 1 and beta 0 each of its products is right: look at alpha and "
                   "beta, and whether C is stored more than once");
    else if (wrong)
        say(s, wrong, true, check, "; look at the index with which %s is loaded%s%s",
            s->arrays[wrong->which].name, has_tile ? ", and read from its tile" : "",
            is_of_c(s, wrong) ? ", or C stored" : "");
    else if (fmax(places_a, places_b) > 0.5) /* it mostly has other elements, of either */
        say(s, a, false, check, "; look at the indices with which %s and %s are loaded%s%s",
            s->arrays[s->a].name, s->arrays[s->b].name,
            has_tile ? ", and read from their tiles" : "",
            is_of_c(s, a) && is_of_c(s, b) ? ", or C stored" : "");
    else if (2 * count_wrong(s, b, check, is_times) > wrong_b) {
        if (!check->has_place || !are_alike(s, b, check)) /* else a factor, which the place tells */
            say(s, b, false, check,
                "; what adds them again: a loop whose step is too short, another thread or block, "
                "or "
                "its index where it is kept within the matrix (min()), in place of a 0?");
    } else if (sums && !have_lone_sums(s, sums, check))
        say(s, sums, false, check,
            "; are the products of several %ss added up in one sum, whose index leaves the %s out?",
            sums == a ? "row" : "column", sums == a ? "row" : "column");
    else if (sums) /* it adds up in one element all that an index of k meets */
        say(s, sums, false, check,
            "; is the index of a thread's sum the k, in place of its %s, or is one element read "
            "where each of a tile is to be?",
            sums == a ? "row" : "column");
    else
        say_missing(s, a, b, check);
}
