/* Tries the indices that are written in place of blockIdx.x * blockDim.x + threadIdx.x. */
#include "diagnose/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 8, MOST = 1 << 17, VECTOR = 4, WARP = 32 }; /* few elements fit any index */

/* A thread's first element, or vector, in a grid of `blocks` blocks of `threads`. */
#define INDEX(name, value)                                                                         \
    static size_t name(size_t block, size_t thread, struct lab_grid grid)                          \
    {                                                                                              \
        return (void)block, (void)thread, (void)grid, value;                                       \
    }
INDEX(in_order, block *grid.threads + thread)
INDEX(of_thread, thread)
INDEX(of_block, block)
INDEX(first_of_block, block *grid.threads)
INDEX(added, block + thread)
INDEX(exchanged, thread *grid.threads + block)
INDEX(by_blocks, block *grid.blocks + thread)
INDEX(late, block *grid.threads + thread + 1)

static const struct index {
    size_t (*first)(size_t block, size_t thread, struct lab_grid grid);
    const char *text, *hint;
    bool is_guarded; /* only threads whose own element is there take one */
} indices[] = {
    {in_order, NULL,
     "all threads of the grid share the loop, so that it goes on by gridDim.x * blockDim.x", false},
    {of_thread, "threadIdx.x",
     "the block is left out of the index: it is to be blockIdx.x * blockDim.x + threadIdx.x",
     false},
    {of_thread, "threadIdx.x",
     "the block is left out of the index: it is to be blockIdx.x * blockDim.x + threadIdx.x", true},
    {of_block, "blockIdx.x",
     "the thread is left out of the index: it is to be blockIdx.x * blockDim.x + threadIdx.x",
     false},
    {first_of_block, "blockIdx.x * blockDim.x",
     "the thread is left out of the index: it is to be blockIdx.x * blockDim.x + threadIdx.x",
     false},
    {added, "blockIdx.x + threadIdx.x",
     "blockIdx.x counts blocks, which are of blockDim.x elements: it is to be blockIdx.x * "
     "blockDim.x + threadIdx.x",
     false},
    {exchanged, "threadIdx.x * blockDim.x + blockIdx.x",
     "block and thread are exchanged: it is to be blockIdx.x * blockDim.x + threadIdx.x", false},
    {by_blocks, "blockIdx.x * gridDim.x + threadIdx.x",
     "gridDim.x is the number of blocks: it is to be blockIdx.x * blockDim.x + threadIdx.x", false},
    {late, "blockIdx.x * blockDim.x + threadIdx.x + 1", "elements begin at 0", false},
};
enum { INDICES = sizeof indices / sizeof *indices };

/* How a loop goes on from a thread's first element. */
enum step { BY_GRID, BY_NOTHING, BY_BLOCK, BY_BLOCKS, STEPS };

static size_t length_of(enum step step, struct lab_grid grid, size_t n)
{
    return step == BY_GRID      ? (size_t)grid.blocks * grid.threads
           : step == BY_NOTHING ? n
           : step == BY_BLOCK   ? grid.threads
                                : grid.blocks;
}

/* How often each of n elements is taken, `width` at a time; the rest of them, after the last whole
 * vector, by the threads whose first element it is. */
static void count(const struct index *index, struct lab_grid grid, size_t step, size_t width,
                  size_t n, unsigned *firsts, unsigned *times)
{
    const size_t whole = n / width;
    memset(firsts, 0, n * sizeof *firsts);
    for (size_t block = 0; block < grid.blocks; block++)
        for (size_t thread = 0; thread < grid.threads; thread++) {
            const size_t first = index->first(block, thread, grid);
            if (first < n && !(index->is_guarded && in_order(block, thread, grid) >= n))
                firsts[first]++;
        }
    for (size_t i = whole * width; i < n; i++)
        times[i] = firsts[i - whole * width];
    for (size_t i = step; i < whole; i++)
        firsts[i] += firsts[i - step];
    for (size_t i = 0; i < whole * width; i++)
        times[i] = firsts[i / width];
}

static void write(const struct index *index, enum step step, size_t length, char *text, size_t size)
{
    char on[120] = "";
    if (step == BY_BLOCK || step == BY_BLOCKS)
        snprintf(on, sizeof on, "%s went on by %zu, the %s", index->text ? ", and" : "", length,
                 step == BY_BLOCK ? "threads of a block" : "blocks of the grid");
    snprintf(text, size, "each thread%s%s%s", index->text ? " began at element " : "",
             index->text ? index->text : "", on);
}

/* Whether index and step differ in `changes` of the two from what is right. One element of each
 * thread is right, too, or the grid is too small. */
static bool has_changes(const struct index *index, enum step step, int changes)
{
    return (index->text != NULL) + (step >= BY_BLOCK) == changes;
}

/* Looks for those with as many changes; how many there are. */
static int find(struct lab_grid grid, size_t n, unsigned *times, int changes, lab_taken_fn *is_so,
                const void *context, char *text, size_t size, const char **hint)
{
    int found = 0;
    for (int i = 0; i < INDICES * STEPS * 2; i++) {
        const size_t width = i % 2 ? VECTOR : 1;
        const enum step step = i / 2 % STEPS;
        const struct index *const index = &indices[i / 2 / STEPS];
        const size_t step_length = length_of(step, grid, n), length = strlen(text);
        char one[250];
        if (!has_changes(index, step, changes))
            continue;
        count(index, grid, step_length, width, n, times + n, times);
        write(index, step, step_length, one, sizeof one);
        if (!is_so(context, times) || (found && strstr(text, one)))
            continue;
        *hint = found++ == 0 ? index->hint : NULL;
        snprintf(text + length, size - length, "%s%s", found > 1 ? ", or " : "", one);
    }
    return found;
}

/* Whether grid and block look exchanged: then the launch is to be put right, and the index may be.
 */
static bool look_exchanged(struct lab_grid grid)
{
    enum { MOST_THREADS = 1024 };
    return grid.blocks % WARP == 0 && grid.blocks <= MOST_THREADS && grid.threads % WARP != 0;
}

bool lab_threads_say(struct lab_grid grid, size_t n, lab_taken_fn *is_so, const void *context,
                     char *text, size_t size, const char **hint)
{
    enum { MOST_CAUSES = 2 };
    unsigned *const times = n >= LEAST && n <= MOST && grid.blocks > 0 && !look_exchanged(grid)
                                ? malloc(2 * (n + 1) * sizeof *times)
                                : NULL;
    int found = 0;
    text[0] = '\0';
    for (int changes = 1; times && changes <= 2 && found == 0; changes++)
        found = find(grid, n, times, changes, is_so, context, text, size, hint);
    free(times);
    return found > 0 && found <= MOST_CAUSES;
}

/* --- blocks of two dimensions ------------------------------------------------------------------*/

enum exchange {
    EXCHANGED_THREADS,
    EXCHANGED_TILES,
    EXCHANGED_EXTENTS,
    NO_THREAD_X,
    NO_THREAD_Y,
    NO_BLOCK_DOWN,
    NO_BLOCK_ACROSS,
    UNDIVIDED,
    NO_REMAINDER,
    EXCHANGES
};

/* Formats of a block's two extents. */
static const char *const exchanges[EXCHANGES] = {
    [EXCHANGED_THREADS] =
        "threadIdx.x were taken for the row and threadIdx.y for the column, or a block's two "
        "extents were exchanged in the launch: its blocks are %u across and %u down, and x is the "
        "column",
    [EXCHANGED_TILES] = "the block's number / tiles across were taken for its column, and % tiles "
                        "across for its row: / is to be the row",
    [EXCHANGED_EXTENTS] =
        "the extents of a block were exchanged where its first row and column are computed: a "
        "block is %u across and %u down",
    [NO_THREAD_X] = "threadIdx.x were left out of the column: a block is %u across and %u down, "
                    "and each of its threads has its own row and column",
    [NO_THREAD_Y] = "threadIdx.y were left out of the row: a block is %u across and %u down, and "
                    "each of its threads has its own row and column",
    [NO_BLOCK_DOWN] = "the block were left out of the row: its first row is the block's number / "
                      "tiles across, times the rows of a block",
    [NO_BLOCK_ACROSS] = "the block were left out of the column: its first column is the block's "
                        "number % tiles across, times the columns of a block",
    [UNDIVIDED] = "the block's number were multiplied by a block's rows as it is: / tiles across "
                  "is left out of the row",
    [NO_REMAINDER] = "the block's number were multiplied by a block's columns as it is: % tiles "
                     "across is left out of the column",
};

/* Whether the words name a block's extents. */
static bool has_extents(enum exchange which)
{
    return which == EXCHANGED_THREADS || which == EXCHANGED_EXTENTS || which == NO_THREAD_X ||
           which == NO_THREAD_Y;
}

/* The row and the column that a thread of a block takes. */
static void take(struct lab_grid grid, size_t across, size_t block, size_t thread,
                 enum exchange which, size_t *row, size_t *column)
{
    const size_t x = thread % grid.x, y = thread / grid.x;
    const size_t down = which == NO_BLOCK_DOWN     ? 0
                        : which == UNDIVIDED       ? block
                        : which == EXCHANGED_TILES ? block % across
                                                   : block / across;
    const size_t beside = which == NO_BLOCK_ACROSS   ? 0
                          : which == NO_REMAINDER    ? block
                          : which == EXCHANGED_TILES ? block / across
                                                     : block % across;
    const bool is_own = which != EXCHANGED_EXTENTS;
    *row = down * (is_own ? grid.y : grid.x) + (which == NO_THREAD_Y         ? 0
                                                : which == EXCHANGED_THREADS ? x
                                                                             : y);
    *column = beside * (is_own ? grid.x : grid.y) + (which == NO_THREAD_X         ? 0
                                                     : which == EXCHANGED_THREADS ? y
                                                                                  : x);
}

/* Marks what the threads take whose row and column are in the matrix. */
static void mark(struct lab_grid grid, size_t rows, size_t columns, bool is_turned,
                 enum exchange which, unsigned *times)
{
    const size_t across = (columns - 1) / grid.x + 1;
    memset(times, 0, rows * columns * sizeof *times);
    for (size_t block = 0; block < grid.tiles; block++)
        for (size_t thread = 0; thread < (size_t)grid.x * grid.y; thread++) {
            size_t row, column;
            if (which == NO_THREAD_X && thread % grid.x % WARP > 0)
                continue; /* lanes of a warp store together */
            take(grid, across, block, thread, which, &row, &column);
            if (row < rows && column < columns)
                times[is_turned ? column * rows + row : row * columns + column]++;
        }
}

int lab_threads_say_tiles(struct lab_grid grid, size_t rows, size_t columns, bool is_turned,
                          lab_taken_fn *is_so, const void *context, char *text, size_t size)
{
    const size_t high = is_turned ? columns : rows, wide = is_turned ? rows : columns;
    if (grid.tiles == 0 || high * wide > MOST || grid.x == grid.y ||
        grid.tiles != ((high - 1) / grid.y + 1) * ((wide - 1) / grid.x + 1))
        return 0;
    unsigned *const times = malloc(high * wide * sizeof *times);
    int found = 0;
    for (int which = 0; times && which < EXCHANGES; which++) {
        if ((which == EXCHANGED_THREADS || which == EXCHANGED_EXTENTS) &&
            (high < grid.y || wide < grid.x))
            continue; /* of a matrix smaller than a block several mistakes leave the same */
        mark(grid, high, wide, is_turned, which, times);
        if (!is_so(context, times))
            continue;
        found++;
        if (has_extents(which))
            snprintf(text, size, exchanges[which], grid.x, grid.y);
        else
            snprintf(text, size, "%s", exchanges[which]);
    }
    free(times);
    return found;
}
