/* Whatever a student's kernel file does, each test of its exercise has a row that says what and
 * where, the others are tried, and the exit status is that of a kernel that failed. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_lab result;

/* Solution 05 with `code` at the start of its launch function, run as exercise 05. */
static void run_with(const char *code, const char *options)
{
    cr_assert_eq(setenv("CODE", code, 1), 0);
    run_lab_shell(&result,
                  "F=$(mktemp -d); { echo '#include <cstdio>'; echo '#include <cstdlib>'; "
                  "awk '{print} /^static cudaError_t launch/ {getline; print; print "
                  "ENVIRON[\"CODE\"]}' solutions/05_*/kernel.cu; } > $F/kernel.cu; "
                  "./run exercise05 --runtime ${LAB_TEST_RUNTIME:-auto} --source $F/kernel.cu %s; "
                  "S=$?; rm -r $F; exit $S",
                  options);
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (; (text = strstr(text, what)); text++)
        found++;
    return found;
}

/* All seven rows, the summary, the hint, and no word of a broken machine. */
static void expect_all_rows(const char *first, const char *summary)
{
    cr_expect_eq(result.status, 1, "%d: %s%s", result.status, result.out, result.err);
    cr_expect_eq(count(result.out, "\n  FAIL  ") + count(result.out, "\n  ok    "), 7, "%s",
                 result.out);
    cr_expect(strstr(result.out, first), "no '%s':\n%s%s", first, result.out, result.err);
    cr_expect(strstr(result.out, summary), "no '%s':\n%s", summary, result.out);
    cr_expect(strstr(result.out, "`./run hint exercise05` helps on."), "%s", result.out);
    cr_expect(!strstr(result.out, "cannot be used") && !strstr(result.err, "cannot be used"),
              "%s%s", result.out, result.err);
}

Test(exercise_faults, host_code_that_exits, .timeout = 120)
{
    run_with("printf(\"m is %d\\n\", p->m); exit(1);", "");
    expect_all_rows(
        "\n  FAIL  -m 63 -n 127 -k 7: forbidden: the launch function calls exit(), which ends the "
        "program; a launch function returns a status",
        "\n0 of 7 tests passed");
    cr_expect(strstr(result.out, "m is 1\n") && strstr(result.out, "m is 300\n"),
              "what it prints is seen:\n%s", result.out);
    run_with("exit(0);", "");
    expect_all_rows("calls exit()", "\n0 of 7 tests passed");
}

/* A crash does not take with it what was printed before. */
Test(exercise_faults, what_is_printed_before_a_crash, .timeout = 120)
{
    run_lab_leave_to_test_all();
    run_with("printf(\"m is %d\\n\", p->m); abort();", "");
    cr_expect(strstr(result.out, "m is 1\n") && strstr(result.out, "m is 300\n"), "%s", result.out);
}

/* One that faults at one row of C alone: the tests between are right. */
Test(exercise_faults, the_other_tests_are_tried, .timeout = 120)
{
    run_with("if (p->m == 1) exit(3);", "");
    expect_all_rows("\n  FAIL  -m 1: forbidden: ", "\n4 of 7 tests passed");
    cr_expect(strstr(result.out, "\n  FAIL  -m 1 -n 300 -k 5: forbidden, as above\n"), "%s",
              result.out);
}

Test(exercise_faults, host_code_that_crashes, .timeout = 120)
{
    run_lab_leave_to_test_all();
    run_with("int *volatile nowhere = nullptr; if (p->m > 1) *nowhere = 1;", "");
    expect_all_rows("\n  FAIL  -m 63 -n 127 -k 7: crashed: the host code crashed (Segmentation "
                    "fault): look at the launch function, and at its pointers and indices; the "
                    "problem's arrays, such as p->a, are device pointers",
                    "\n2 of 7 tests passed");
    run_with("throw p->m;", "");
    expect_all_rows("crashed (Aborted)", "\n0 of 7 tests passed");
}

Test(exercise_faults, host_code_without_end, .timeout = 120)
{
    run_with("for (volatile int i = 0; p->m == 65 && i < 1; i = 0) ;", "");
    expect_all_rows("\n  FAIL  -m 65 -n 129 -k 9: timeout: it does not come to its end: a launch "
                    "function, the workspace function or a constructor has computed on the host "
                    "for 8 seconds, ",
                    "\n6 of 7 tests passed");
}

/* What a constructor does is done before any test. */
Test(exercise_faults, a_file_that_ends_the_program_when_loaded, .timeout = 120)
{
    run_lab_shell(&result, "F=$(mktemp -d); { echo '#include <cstdlib>'; cat "
                           "solutions/05_*/kernel.cu; echo '__attribute__((constructor)) static "
                           "void early() { exit(0); }'; } > $F/kernel.cu; ./run exercise05 "
                           "--runtime sim --source $F/kernel.cu; S=$?; rm -r $F; exit $S");
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.err, "the kernel file cannot be loaded: the host code ended"), "%s",
              result.err);
}

/* The place is in the row, and told once. */
Test(exercise_faults, kernels_that_fault, .timeout = 240)
{
    static const struct {
        const char *name, *row, *summary;
    } cases[] = {
        {"race",
         "\n  FAIL  -m 67 -n 131 -k 17 --alpha -1.5 --beta 0.75: race at "
         "harness/tests/submissions/wrong/race.cu:12: ",
         "\n5 of 7 tests passed"},
        {"race",
         "\n  FAIL  --thorough: race at harness/tests/submissions/wrong/race.cu:12, as "
         "above\n",
         ""},
        {"reads_past_the_end",
         "\n  FAIL  -m 63 -n 127 -k 7: out_of_bounds at "
         "harness/tests/submissions/wrong/reads_past_the_end.cu:",
         "\n0 of 7 tests passed"},
        {"unwritten_shared",
         "\n  FAIL  -m 63 -n 127 -k 7: uninitialized at "
         "harness/tests/submissions/wrong/unwritten_shared.cu:17: ",
         "\n0 of 7 tests passed"},
        {"never_ends",
         "\n  FAIL  --thorough: timeout at harness/tests/submissions/wrong/never_ends.cu:15, as "
         "above\n",
         "\n0 of 7 tests passed"},
        {"divergent_barrier", "\n  FAIL  -m 63 -n 127 -k 7: divergent_barrier at ",
         "\n0 of 7 tests passed"},
        {"skips_the_last_row", ": unwritten: ", " of 7 tests passed"},
        {"asks_for_endless_scratch", "launch_error: it asks for more scratch memory than there is",
         "\n0 of 7 tests passed"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!run_lab_takes(i, 3))
            continue;
        run_lab(&result, "exercise05 --source harness/tests/submissions/wrong/%s.cu",
                cases[i].name);
        expect_all_rows(cases[i].row, cases[i].summary);
    }
}

/* A tail that all threads copy: each test has both warnings of its line, and the first alone says
 * them. */
Test(exercise_faults, a_warning_is_told_once, .timeout = 120)
{
    run_lab_shell(&result,
                  "F=$(mktemp -d); sed 's|const long long last = n / 4 . 4LL + thread;|for (long "
                  "long last = n / 4 * 4LL; last < n; ++last)|; /    if (last < n)/d' "
                  "solutions/00a_*/kernel.cu > $F/kernel.cu; ./run exercise00a --runtime "
                  "sim --source $F/kernel.cu; S=$?; rm -r $F; exit $S");
    cr_expect_eq(count(result.err, "of one warp write the same value to"), 1, "%s", result.err);
    cr_expect_eq(count(result.err, "come in any order"), 1, "%s", result.err);
    cr_expect_eq(count(result.err, ": as above, of 6 more tests or goals\n"), 2, "%s", result.err);
}

/* Exercises with one thing of the solution wrong, as a stranger makes it. What it comes of is in a
 * message, and no other one has what would mislead. */
Test(exercise_faults, natural_mistakes, .timeout = 500)
{
    static const struct {
        const char *exercise, *change; /* of sed */
        const char *says, *says_not;
    } cases[] = {
        {"00c", "s|apart = 16; apart > 0|apart = 8; apart > 0|",
         "this is as if the level were left out that adds what is 16 apart: where does the loop "
         "over levels begin and end?",
         NULL},
        {"00c", "s|> 0; apart /= 2|> 1; apart /= 2|",
         "adds what is 1 apart, in the sum of a warp and in that of its warps", NULL},
        {"00c", "s|__shfl_down_sync|__shfl_up_sync|", "does a lane take from lower lanes",
         "the last element"},
        {"00c", "s|own = warp_sum(lane.*|own = part[0];|",
         "of each block of 256 threads the first warp alone were added", "the last element and"},
        {"00c", "s|lane < WARPS ?|lane < WARPS - 1 ?|",
         "of each block of 256 threads the last warp were left out", NULL},
        {"00c", "s|i < n; i += stride|i < n - 1; i += stride|",
         "this is as if the last element were left out", "kept in an int?; "},
        {"00c", "/atomicAdd/s|^|    |; /^    if (lane == 0)$/{N; s|.*atomicAdd|    atomicAdd|}",
         "the part of warp w were added w + 1 times", NULL},
        {"05", "s|dim3(SIDE_X, SIDE_Y)|dim3(SIDE_Y, SIDE_X)|",
         "the block has 16 x 8 threads, and this is the first that a block of 8 x 16 does not "
         "have: "
         "are x and y exchanged in the launch?",
         NULL},
        {"05", "/^    for (int r = 0; r < ROWS/,$s|q < COLS;|q < COLS / 2;|",
         "only in columns 64 to 127, the second half of a tile of 128: does each thread store all",
         "does the grid have a block"},
        {"05", "s|at(a, m, k, first_row + row|at(a, m, k, first_col + row|",
         "is A read past its last row, as with the column of a block, or of a thread, in place of "
         "its row?",
         "look at what happens where the tile does not divide"},
        {"00a", "s|i < n / 4; i += stride|i < n / 4; i += 4 * stride|",
         "only elements 1081344 to 1081347, and those after are right: does a loop over whole "
         "vectors, warps or blocks take too large a step",
         "does anything take those after"},
        {"00a", "s|i < n / 4; i += stride|i < 1024; i += stride|",
         "65904 of 70002 elements in all; only elements 4096 to 69999, and those after are right: "
         "does a loop over whole vectors, warps or blocks take too large a step, or end too soon, "
         "as at a fixed number?",
         "do the threads reach every element"},
        {"00a", "s|i < n / 4; i += stride|i < n; i += stride|",
         "does a loop over vectors end with the last whole one (n / 4 of 4 elements)", NULL},
        {"00a", "s|to4.i. = from4|to[i] = from|",
         "\n  FAIL  -n 1021: unwritten: to[255] was never written, 765 of 1021 elements in all; n "
         "/ 4 "
         "elements are written, the first 255, one for each vector of 4: does each iteration of "
         "the "
         "loop "
         "store all 4 elements of its vector, which begins at 4 times its index?\n",
         "enough blocks"},
        {"00a", "s|to4.i. = from4|to[i] = from|; /last < n/,+1d",
         "\n  FAIL  -n 1024: unwritten: to[256] was never written, 768 of 1024 elements in all; n "
         "/ 4 "
         "elements are written, the first 256, one for each vector of 4: does each iteration of "
         "the "
         "loop "
         "store all 4 elements of its vector, which begins at 4 times its index? Or are there "
         "threads",
         "enough blocks"},
        {"00a", "s|stride = (long long)gridDim.x . THREADS|stride = THREADS|",
         "(-n 65536): 16,640, at most 1.05 x the solution's 512; each element is stored about 32.5 "
         "times, at line 17, and 64 blocks run: do the blocks do each other's work? A loop whose "
         "iterations all blocks share goes on by the threads of the whole grid\n",
         "with one access"},
        {"00b", "33s|y += ROWS|y += 1|",
         "each element is stored about 7.125 times, at line 37, and a block has 256 threads: do "
         "they do each other's work?",
         NULL},
        {"02", "s|i += BLOCK|i += TILE_K|",
         "7.25 times as much is stored to shared memory as by the solution, at line 35, though the "
         "tiles are no larger: do the threads store each other's elements? A loop that fills a "
         "tile goes on by the number of threads that fill it; a block has 128\n",
         "neighbouring threads should load"},
        {"14", "s|e += THREADS|e += 32|",
         "(-m 256 -n 256 -k 256): 116,736, to be exactly the solution's 16,384; as above\n", NULL},

        {"00b", "s|.place((int)threadIdx.x, y).|[y]|",
         "in each tile of 32 x 32 the elements of a column of B are those that belong there, in "
         "another order: the tile is read in another order than it was filled in",
         "which of row and column is which"},
        {"04", "s|b_tile.TILE..TILE + 1.|b_tile[TILE][TILE]|",
         "at most the solution's 0; at line 49 each read of b_tile takes 32 wavefronts where 4 "
         "would "
         "do: neighbouring lanes lie 32 words apart, and elements 0, 32, 64, ... share a bank; "
         "`./run",
         NULL},
        {"04", "s|b_tile.TILE..TILE + 1.|b_tile[TILE][TILE + 4]|",
         "at line 43 each write to b_tile takes 4 wavefronts where 1 would do: neighbouring lanes "
         "lie 36 words apart, and elements 0, 288, 576, ... share a bank; `./run",
         "each read of"},
        {"05", "s|tx + q . SIDE_X|tx * COLS + q|",
         "at line 62 each read of b_tile takes 16 wavefronts where 4 would do: neighbouring lanes "
         "lie 16 words apart, and elements 0, 32, 64, ... share a bank; per step of k a thread",
         NULL},
        {"00d", "s|(int)threadIdx.x % LANES|(int)threadIdx.x / LANES|",
         "at line 21 each atomic operation on own takes 32 wavefronts where 1 would do: 32 lanes "
         "add to 12 words, all of one bank; lanes with the same key should",
         NULL},
        {"00b", "s|return col ^ row|return (col + row / 4) % SIDE|",
         "each read of tile takes 4 wavefronts where 1 would do: neighbouring lanes lie 32 words "
         "apart, and elements 0, 32, 64, ... share a bank; in which banks",
         NULL},
        {"09", "s|return count >= 4|return count > 4|",
         "at line 34 a lane's read of B is of 4 bytes, the solution's of 16, and 1 of 32 lanes "
         "takes part; B should be read 4 elements at a time",
         NULL},
        {"07", "s|THREADS = 256|THREADS = 64|; s|TILE_K = 32;|TILE_K = 160;|",
         "; occupancy 16%, the solution's 62%: a multiprocessor holds 5 blocks of 64 threads, and "
         "more have no room for their 40960 bytes of shared memory; look at",
         NULL},
        {"08", "s|wait_prior(1)|wait_prior(0)|",
         "; the wait at line 66 decides how far: __pipeline_wait_prior(1) leaves the newest group "
         "of copies on its way, and (0) leaves none; a copy should begin two iterations",
         NULL},
        {"18", "s|min(held, all / LEAST)|min(held, tiles / LEAST)|",
         "; 1 block is launched, and 3 multiprocessors hold 12 of these at once; the solution "
         "launches 12; 4 tiles are too few",
         NULL},
        {"16", "s|update<<<blocks, |update<<<p->n, |",
         "All passed, but launch 2 of 2 has 1024 blocks of 128 threads, the solution's 8 of 128: "
         "do most threads find nothing to do?",
         "FAIL"},
        {"16", "s|THREADS = 128|THREADS = 256|", "exercise16 passed by", "All passed, but"},
        {"00b",
         "s|tile.threadIdx.x..place((int)threadIdx.x, y)|tile[y][place(y, (int)threadIdx.x)|",
         "each element holds what belongs in its transposed place: row and column are exchanged in "
         "B's index, or in that of the tile, or of the input, where it is filled or read",
         NULL},
        {"00c", "s|apart = 16; apart|apart = 32; apart|",
         "or does a shuffle by 32, more than a warp has, give each lane its own value once more",
         NULL},
        {"00c", "s|part += __shfl|part = __shfl|",
         "0 is all that is there: is anything added, by += and not put there by =", NULL},
        {"00c", "s|own += x.i.|own = x[i]|",
         "elements alone were added: does each thread keep its last element, put there by = in "
         "place of added by +=?",
         "the last levels of the tree"},
        {"00c", "s|lane < WARPS ? part.lane. : 0.0f|part[lane % WARPS]|",
         "in the sum over warps, does a lane without a part of its own add another's, where it "
         "must add 0",
         NULL},
        {"00d", "s|keys.i. [*] LANES + lane|keys[i] + lane * BINS|",
         "2 of 256 bins wrong; this is as if each bin's counts were added at index bin + lane * "
         "bins and read at bin * lanes + lane",
         "must be atomic"},
        {"00d", "s|int i = 0; i < LANES|int i = 1; i < LANES|", "keys are counted",
         "must be atomic"},
        {"00d", "s|i = 0; i < LANES; ++i|i = 1; i < LANES; ++i|",
         "some bins only: 989 of 1021 keys are counted, all but those of lane b % 32 in bin b: "
         "where do the loops over keys, and over the counts of a bin, begin and end?",
         NULL},
        {"00d", "s|i = 0; i < LANES; ++i|i = 0; i < LANES / 2; ++i|; s|(i + bin) % LANES|i|",
         "keys are counted, all but those of lanes 16 to 31 of each 32: where", NULL},
        {"00d", "s|; i < n; i += stride|; i < n - 4; i += stride|",
         "29 of 33 keys are counted, all but the last 4: where", NULL},
        {"01", "s|p->m, p->n, p->k|p->n, p->m, p->k|",
         "the launch passes 65, then 33, and C has 33 rows of 65: does the kernel take its sizes "
         "so, columns first? Else row 17 of 17",
         NULL},
        {"01", "s|p->a, p->b|p->b, p->a|",
         "the launch passes B before A: does the kernel take them so? Else element 585", NULL},
        {"01", "s|(size_t)row [*] n + col\\], sum|(size_t)col * m + row], sum|",
         "the values are right and stand one column after the other", NULL},
        {"01", "s|blockIdx.x [*] BLOCK|blockIdx.x|",
         "all from element 264 on in the order of memory, and none before: are there enough "
         "blocks, and does each begin where the one before it ends",
         "after the last whole vector"},
        {"01", "s|sum += a|sum = a|",
         "the sum has the last of 17 products alone: is each put there by =, in place of added",
         "another block"},
        {"09", "s|i < k; ++i|i < k / 4 * 4; ++i|",
         "the sum has the first 4 of 7 products alone: does the loop over k end too soon, or with "
         "the last whole vector or tile, so that nothing takes the rest?",
         NULL},
        {"05", "s|q < COLS|q < ROWS|",
         "elements 32 to 127 of each 128 in the order of memory: has the block in the launch as "
         "many threads as the kernel counts for a block, and does each store all of its values?",
         NULL},
        {"01", "s|+ row\\] . b|+ row] + b|",
         "each value of A and that of B are added, where they are to be multiplied",
         "look at the indices"},
        {"01", "s| [*] b.(size_t)i [*] n + col.||",
         "that is A's row added up: the factor of B is left out", "look at the indices"},
        {"01", "s|sum += a|sum + a|", "does the loop over k take an iteration, add (+=) to a float",
         NULL},
        {"01", "s|<<<blocks, BLOCK,|<<<blocks, BLOCK / 2,|",
         "elements 128 to 255 of each 256 in the order of memory: has the block in the launch as "
         "many threads",
         "no rows, columns"},
        {"01", "s|element / n)|element / m)|; s|element % n)|element % m)|",
         "a thread for each of the 2145 elements of C, and this is that of element 1089: is its "
         "row "
         "1089 / 65, and its column 1089 % 65, by the 65 columns? Else A[16][33], column 33 of 33",
         NULL},
        {"01",
         "s|element / n)|element / m)|; s|element % n)|element % m)|; s|    float sum = 0.0f;|    "
         "if (row >= m) return;\\n&|",
         "only the last column: does a guard, a count or a loop end one too soon? Or is the number "
         "of rows, 2, taken for that of columns, in an index",
         NULL},
        {"01", "s|(size_t)row [*] n + col\\], sum|(size_t)col * m + row], sum|",
         "-m 65 -n 33 -k 7 --alpha -1.5 --beta 0.75: wrong: C[0][1]: expected -0.1334723, got "
         "-5.470853; 2112 of 2145 elements wrong, tolerance 6.5e-06; as above",
         "alpha and beta"},
        {"06", "s|<<<blocks, SIDE . SIDE,|<<<blocks, dim3(SIDE, SIDE),|",
         "the block has 256 threads, 16 x 16, so that threadIdx.x ends at 15", NULL},
        {"06", "s|tiles_across = (n - 1)|tiles_across = (m - 1)|",
         "only in columns 64 to 129: is the number of rows, 33, taken for that of columns, in an "
         "index, a guard or the number of tiles, or a block's / for its %, where it finds its "
         "tile? Or does each thread store",
         "sum of products is 0"},
        {"06", "s|((p->n - 1) / TILE + 1)|(p->n / TILE)|",
         "\n  FAIL  -m 33 -n 130 -k 17: unwritten: C[0][128] was never written, 66 of 4290 "
         "elements "
         "in all; only at the last columns: does the grid cover sizes that the tile does not "
         "divide? And",
         "columns: is the number of rows"},
        {"06", "s|((p->[mn] - 1) / TILE + 1)|(p->m / TILE)|",
         "a grid of (0, 1, 1) blocks; each must be 1 or more, and at most (2147483647, 65535, "
         "65535); is a size smaller than a tile divided by the tile's, and not rounded up as (n - "
         "1) / tile + 1 is?\n",
         NULL},
        {"06", "/int first_row = /s|/|%|; /int first_col = /s|%|/|",
         "only in columns 64 to 129: is the number of rows, 33, taken for that of columns, in an "
         "index, a guard or the number of tiles, or a block's / for its %, where it finds its "
         "tile? Or does each thread store",
         NULL},
        {"06", "s|tiles_across = (n - 1)|tiles_across = (m - 1)|",
         "236 of 300 elements wrong, tolerance 3.6e-06; only in rows 64 to 299: does each thread "
         "store all of its values, and is there a block, and in it a thread, for these?; each of "
         "these is what C held before, so that nobody has stored it",
         "perhaps a load compares"},
        {"06", "s|tiles_across = (n - 1)|tiles_across = (m - 1)|",
         "236 of 300 elements in all; only in elements 64 to 299: does each thread store all of "
         "its values, and is there a block, and in it a thread, for these?",
         NULL},
        {"02", "s|first_row + i / TILE_K|i / TILE_K|",
         "row 16 holds what belongs in row 0: the values are right and stand in their own place, "
         "too, so that they are computed twice; look at the row of A that is loaded or read",
         "in C's index"},
        {"02", "s|sum.row. += |sum[row] = |",
         "does the loop over k take an iteration, add (+=) to a float, put none there by =, and "
         "load no "
         "0",
         NULL},
        {"02", "s|first_k + i, col|i, col|",
         "A[0][16] * B[0][0] where A[0][16] * B[16][0] belongs: B's row is always one of the first "
         "16 (is where a tile begins left out?), and its column is right",
         NULL},
        {"02", "s|sum.row. +=|sum[i] +=|",
         "it has in C[0][0] B[0][0] times 16 elements of A, no A[0][1] * B[1][0] and 15 more that "
         "are not right; is the index of a thread's sum the k, in place of its row",
         "row and column exchanged"},
        {"02", "s|sum.row. +=|sum[i] +=|",
         "300 of 300 elements wrong, tolerance 1.6e-05; of each 16 products along k the first (k = "
         "0, 16, ...) alone is in the first of these",
         "A's tile"},
        {"02", "s|a_tile.row..i. .|a_tile[i][row] *|",
         "A's row and column are exchanged within tiles of 16", "is the sum's index the row"},
        {"02", "s|first_row + i / TILE_K|i / TILE_K|",
         "each of these rows holds what belongs 16 rows before it", "32 rows before"},
        {"03", "s|row < m \\&\\& first_k + tx < k|row < m \\&\\& col < k|",
         "no product is in columns from 16 on, and k is 16: perhaps a load compares the column "
         "with k",
         "look at the blocks and threads"},
        {"03", "s|((p->m - 1) / TILE + 1) [*]|(p->m / TILE + 1) *|",
         "72 blocks run, the solution's are 64: does the grid have more than the problem needs?",
         NULL},
        {"03", "s|a_tile.ty..i. [*] b_tile.i..tx.|a_tile[tx][i] * b_tile[i][ty]|",
         "each tile of 16 x 16 is transposed in its place: row and column within the tile are "
         "exchanged in C's index, or those of a thread where A and B, or their tiles, are read",
         "alpha and beta"},
        {"03", "s|a_tile.ty..i. [*] b_tile.i..tx.|a_tile[tx][i] * b_tile[i][ty]|",
         "1440 of 1536 elements wrong, tolerance 1.2e-05; each tile of 16 x 16 is transposed in "
         "its place",
         NULL},
        {"04", "s|b_tile.tx..i.;|b_tile[i][tx];|",
         "B's row and column are exchanged within tiles of 32; look at the index with which B is "
         "loaded, and read from its tile; that value",
         NULL},
        {"05", "s|ty [*] ROWS + r\\]|ty * ROWS]|",
         "computed twice; look at the row of A that is loaded or read for it", "where A[0][0]"},
        {"05",
         "s|const int col = first_col + tx + q [*] SIDE_X|const int col = first_col + tx + q "
         "* SIDE_Y|",
         "column 16 holds what belongs in column 8, and the others likewise: the values are right "
         "and stand elsewhere, and others stay empty; look at the column in C's index",
         NULL},
        {"05", "/^    for (int r = 0; r < ROWS/,$s|q < COLS;|q < ROWS;|",
         "only in columns 32 to 126: does each thread store all of its values",
         "or half of the threads"},
        {"05", "/^            for (int q = 0; q < COLS/s|q < COLS|q < ROWS|",
         "no read of memory brings NaN in, for each found a value there: is there a variable, "
         "or an element of a thread's own array, that is read and was never set?",
         "past a matrix"},
        {"05", "s|first_row + ty . ROWS + r;|first_row + ty * ROWS;|",
         "several values were stored to the first of these, and no product is in the last one: "
         "has each of a thread's values an element of its own in the store?",
         "does the loop over k take an iteration"},
        {"08", "s|begin_panel(panel + 2, |begin_panel(panel + 1, |",
         "the products of k = 8 to 15 are in the first of these twice, and those of k = 40 are "
         "not: which panel does an iteration load",
         "the loop over k, and alpha"},
        {"08", "s|now = panel % BUFFERS|now = panel % 2|",
         "is this read of another buffer than the one that was waited for? Else that wait leaves",
         "the wait at line 64 leaves it on its way"},
        {"08", "s|now = panel % BUFFERS|now = (panel + 1) % BUFFERS|",
         "is this read of another buffer than the one that was waited for? Else that wait leaves",
         "the wait at line 64 leaves it on its way"},
        {"09", "s|count > 2 ? from.2.|count > 3 ? from[2]|",
         "no product is in the last column, and all others are right: is the last column of B, "
         "or all of A in its blocks, taken as 0",
         "is A read past its last row"},
        {"09", "s|if (i < count)|if (i < count - 1)|",
         "only the last column: does a guard, a count or a loop end one too soon?",
         "but not all of it"},
        {"09", "s|store(.value.w, sum.3., alpha|store(\\&value.w, sum[3], 1.0f|",
         "4 of 16 elements wrong, tolerance 4.5e-06; only in column 3; alpha is left out: all the "
         "rest is there\n",
         "an earlier launch"},
        {"09", "/[*](float4 [*])c = value;/d",
         "640 of 1170 elements in all; only whole vectors of 4, at a multiple of 4 elements in "
         "memory, and all of these: are vectors stored?\n",
         "every second row"},
        {"09", "s|if (i < count)|if (false)|",
         "530 of 1170 elements in all; all but the whole vectors of 4, at a multiple of 4 elements "
         "in memory: does anything store the others, one by one?\n",
         "no rows, columns"},
        {"09",
         "s|store(.value.z, sum.2., alpha|store(\\&value.z, -sum[2], alpha|; "
         "s|store(.value.\\([xyw]\\), sum|store(\\&value.\\1, 2.0f * sum|",
         "640 of 1170 elements wrong, tolerance 3.3e-06; only whole vectors of 4, at a multiple of "
         "4 elements in memory, and all of these: look at the branch that takes them; that value",
         "every second row"},
        {"00a", "/^        to4.i. = from4/d; /for (long long i = thread/d",
         "1020 of 1021 elements in all; only whole vectors of 4, at a multiple of 4 elements in "
         "memory, and all of these: are vectors stored?\n",
         NULL},
        {"15",
         "s|.b_k + 1..b_col. = next.y|[b_k + 1][b_col] = next.z|; s|.b_k + 2..b_col. = "
         "next.z|[b_k + 2][b_col] = next.y|",
         "A[0][1] * B[0][2] where A[0][1] * B[0][1] belongs, "
         "A[0][2] * B[0][1] where A[0][2] * B[0][2] belongs",
         "the loop over k, and alpha"},
        {"15", "s|= next.z|= next.w|", "A[0][2] * B[0][3] where A[0][2] * B[0][2] belongs",
         "the loop over k, and alpha"},
        {"15", "s|= next.w|= next.x|", "A[0][3] * B[0][0] where A[0][3] * B[0][3] belongs",
         "the loop over k, and alpha"},
        {"15", "s|col < n ? k - first|col < k ? k - first|",
         "no product is in columns from 19 on, and k is 19: perhaps a load compares the column",
         "look at the blocks and threads"},
        {"10", "s|0.5 / (|1.0 / (|",
         "each of these is as if the 2 of 2 h^2 were left out; that value", NULL},
        {"10", "s|apart [*] apart;|fabsf(apart);|", "as if the differences were not squared", NULL},
        {"10", "s|- b_tile|+ b_tile|", "as if a and b were added in place of subtracted",
         "precision"},
        {"10", "s|sum += w.first + t. /|sum += 1.0f /|", "as if the weights were left out",
         "precision"},
        {"10", "s|w.first + t. /|w[t] /|", "does the index of w count from the first target", NULL},
        {"10", "s|(1.0f + factor|(factor|", "as if the 1 of 1 + x were left out", NULL},
        {"10", "s|first + t < n)|first + t < n - 1)|",
         "the sum has the first 14 of 15 targets alone: does the loop over j end too soon?",
         "precision"},
        {"10", "s|distance.t. += apart|distance[t] = apart|", "is it assigned in place of added",
         NULL},
        {"10", "s|+= apart . apart;|+= apart;|",
         "200 of 200 elements wrong, here by 3.1 and 7e-05 is allowed; each of these is as if "
         "the "
         "differences were added as they are, not squared",
         "look at the quotient"},
        {"10",
         "/^        float distance/d; s|^    float sum = 0.0f;|& float distance[TARGETS] = "
         "{};|",
         "the distances of each tile of targets began with those of the tile before",
         "look at the quotient"},
        {"10", "s|0.5 / ((double)h . h)|1 / 2 / ((double)h * h)|",
         "is the factor 0, as 1 / 2 of ints is, or are shares", "precision"},
        {"10",
         "s|w.first + t. / (1.0f + factor . distance.t.)|w[first + t] / 1.0f + factor * "
         "distance[t]|",
         "w / 1 + x is (w / 1) + x, so that 1 + x needs parentheses", NULL},
        {"10", "s|factor . distance.t.|distance[t] / factor|",
         "as if the distance were divided by 1 / (2 h^2), by which it is to be multiplied", NULL},
        {"11", "s|i <= r; ++i|i < r; ++i|",
         "each of these is as if the product with the diagonal of A were left out: is that a <",
         NULL},
        {"11", "s|\\(sum.*\\) [*] |\\1 + |",
         "as if each value of A and that of B were added, where they are to be multiplied",
         "rows changed too early"},
        {"11", "s|first = (n - 1) / TILE . TILE|first = n - TILE|",
         "as if the first tile of rows to be changed, of 8, began at row 25, where it is to "
         "begin "
         "at row 32",
         "the first of these"},
        {"11", "s|first = (n - 1) / TILE . TILE|first = n - 1|",
         "as if the first tile of rows to be changed, of 8, began at row 6, where it is to "
         "begin "
         "at "
         "row 0",
         "the first of these"},
        {"11", "s|step = -TILE|step = -1|",
         "as if the loop over tiles of 8 rows went on by 1, where it is to go on by 8", NULL},
        {"11", "s|first = (n - 1).*|first = 0;|; s|step = -TILE|step = TILE|",
         "as if the sum took rows of B that had been changed already: in which order", "divide"},
        {"11", "s|k < row; k += TILE|k < row - TILE; k += TILE|",
         "as if the tile next to the one on the diagonal of A were left out", "divide"},
        {"11", "s|int k = 0; k < row|int k = TILE; k < row|",
         "as if the tile farthest from the diagonal of A were left out", "divide"},
        {"11", "s|k < row; k += TILE|k <= row; k += TILE|",
         "as if the products of the tile on the diagonal of A were added twice", NULL},
        {"11", "s|row >= 0 \\&\\&|row > 0 \\&\\&|",
         "as if nothing were added to the old B: is this row reached", NULL},
        {"11", "s|\\] += sum.r.;|] = sum[r];|", "as if the sum were stored in place of the old B",
         NULL},
        {"11", "s|\\] += sum.r.;|] -= sum[r];|", "as if the sum were subtracted", NULL},
        {"11",
         "/^        double sum.TILE. = {};/d; s|^    for (int row = first; row >= 0|    double "
         "sum[TILE] = {};\\n&|",
         "only in row 0; each of these is as if the sums of a tile of 8 rows began with those "
         "of "
         "the tile before it: are they set to 0 anew for each tile?",
         "blocks and threads"},
        {"12", "s|sum += a_k.tx..ty.|sum = a_k[tx][ty]|",
         "only in the tiles of 16 x 16 on the diagonal: look at what is done there unlike "
         "beside "
         "it; each of these is as if the half",
         "no rows, columns"},
        {"12", "s|sum += a_k.tx..ty.|sum += a_k[ty][tx]|",
         "were added twice, and the other one left out: does a thread take its own half",
         "no rows, columns"},
        {"12", "/^            sum += dot(b_k, a_k/s|sum|if (l >= k) sum|",
         "120 of 153 elements wrong, tolerance 1.1e-12; each of these is as if the half with "
         "A[l][i] B[k][i] were all of the sum, and the other half missing: where the thread at "
         "(l, "
         "k) is to compute it, does it so whatever k and l are, and are both halves added?; "
         "that",
         "no rows, columns"},
        {"12", "/^            sum += dot(b_k, a_k/s|sum|if (l > k) sum|",
         "each of these is as if the threads above the diagonal alone had added a half: where "
         "the "
         "thread at (l, k) is to compute it,",
         "where each sum begins"},
        {"12", "/^            sum += dot(b_k, a_k/s|sum|if (tx < ty) sum|",
         "each of these is as if the threads below the diagonal alone had added a half: where "
         "the ",
         "where each sum begins"},
        {"12", "s|dot(b_k, a_k, ty, tx);|dot(a_k, a_k, ty, tx);|",
         "as if A were multiplied by A, and B left out", "no rows, columns"},
        {"12",
         "s|sum += dot(b_k, a_k, ty, tx);|for (int i = 0; i < TILE; ++i) sum += b_k[ty][i] + "
         "a_k[tx][i];|",
         "each of these is as if the elements of A and of B were added, where they are to be "
         "multiplied",
         "no rows, columns"},
        {"12", "s|0.5 [*] sum|sum|", "as if the factor 1/2 were left out", "counted 2 times"},
        {"12",
         "s|            sum += dot(b_k, a_k, ty, tx);|            sum = dot(b_k, a_k, ty, "
         "tx);|",
         "the sum has the last 3 of 35 terms alone: does the sum begin anew", NULL},
        {"12", "s|sum += a_k.tx..ty.|sum += sum + a_k[tx][ty]|",
         "the half with A[l][i] B[k][i] were added twice, beside the other one", NULL},
        {"12", "s|c.(size_t)k . n + l.|c[(size_t)l * n + k]|",
         "C[1][0] was written: it lies below the diagonal and must stay as it is; it holds "
         "what "
         "belongs in C[0][1], which nobody has written: are row and column exchanged in C's "
         "index?; that value was stored at ",
         NULL},
        {"12", "s| \\&\\& l >= k||",
         "C[1][0] was written: it lies below the diagonal and must stay as it is; it holds "
         "what "
         "C[0][1] does, and all on and above the diagonal are right: does the store's "
         "condition "
         "compare row and column?; that value",
         "exchanged"},
        {"13", "s|return min(x, y)|return max(x, y)|",
         "is min, not max or +; and a maximum begins with 0", NULL},
        {"13", "s|__vimax3_u32|__vimin3_u32|", "of several paths the widest counts, max, not min",
         NULL},
        {"13", "s|return __vimax3_u32(x, y, z);|return max(x, y);|",
         "does the maximum of three take all three", "squarings"},
        {"13",
         "s|return min(x, y)|return __float_as_uint(__uint_as_float(x) * __uint_as_float(y))|",
         "NaN comes in where 0 is multiplied by infinity", NULL},
        {"13", "s|arcs = 2; arcs < p->n - 1|arcs = 1; arcs < p->n|",
         "at most 1.05 x the solution's 3,462; 10 kernels are launched, the solution's are 8: "
         "does "
         "the problem take as many? Else count the products",
         "12,288: the tiles should be used as given"},
        {"13", "s|arcs [*]= 2|++arcs|",
         "at most 1.5 x the solution's 136,672; this may come of the same; else a minimum and "
         "a "
         "maximum are one instruction each",
         NULL},
        {"16", "s|old . (0.5f . p.dt|old * (p.dt|",
         "206 of 384 wrong; each of these is as if the 1/2 of a dt^2 / 2 were left out of x "
         "(K5); ",
         "out of v (K6)"},
        {"16", "s|v + 0.5f . p.dt|v + p.dt|",
         "as if the 1/2 were left out of v (K6), or its change added twice", "find their row"},
        {"16", "s|^        update<<<.*|&\\n&|",
         "each of these is as if all updates were made twice in a step", "counted"},
        {"16", "s|p->energies + 2 . step|p->energies|",
         "the energies of all steps went to the place of step 0, where each step has its own",
         NULL},
        {"16", "s|p->energies + 2 . step|p->energies + step|",
         "at place `step`, where there are two of each step: 2 * step", NULL},
        {"16", "s|^        update<<<|        if (step == 0) update<<<|",
         "x changed (K5) in the first step alone", NULL},
        {"16", "s|p.force.at. / p.mass;|p.force[at];|",
         "the force were not divided by the mass in v (K6)", NULL},
        {"16", "s|(a + old); |(a + a); |", "v (K6) took the new a for the old one", NULL},
        {"16", "s|= (p->n - 1) / THREADS + 1;|= p->n / THREADS;|",
         "these are the energies of the first 896 of 1000 particles: does the grid have a "
         "thread",
         NULL},
        {"16", "s|step < p->steps;|step < p->steps - 1;|",
         "as if the energies of the last step were not added", NULL},
        {"16", "s|p.velocity.at. = v + 0|p.velocity[at] += v + 0|",
         "99 of 99 wrong; each of these is as if the old v were added twice in v (K6), as by "
         "+= "
         "where v is in the sum already",
         "counted 4 times"},
        {"16", "s|p.position.at. += v|p.position[at] += p.position[at] + v|",
         "384 of 384 wrong; each of these is as if the old x were added twice in x (K5)",
         "counted"},
        {"16", "s|p.position.at. += v|p.position[at] += (i > 120 ? 0.01f : 0.0f) + v|",
         "24 of 387 wrong; only in particles 121 to 128: look at the blocks and threads that "
         "compute these, and at their indices",
         "387 wrong; K5"},
        {"17", "s|square += (double)v|square = (double)v|",
         "the kinetic energy had component z of v alone, as where a square is assigned", NULL},
        {"17",
         "/^    atomicAdd/d; s|^        square += (double)v.*|&\\n        "
         "atomicAdd(\\&energies[0], (double)p.potential[i]); atomicAdd(\\&energies[1], 0.5 * "
         "p.mass * square);|",
         "as if both energies were added within the loop over components", "add every particle"},
        {"17",
         "/^    atomicAdd(.energies.1/d; s|^        square += (double)v.*|&\\n        "
         "atomicAdd(\\&energies[1], 0.5 * p.mass * square);|",
         "as if the kinetic energy were added within the loop over components",
         "add every particle"},
        {"17", "s|const float a = p.force|const int a = p.force|",
         "as if f / m were kept in an int, without its fraction", NULL},
        {"17", "s|const float v = p.velocity.at., old|const int v = p.velocity[at], old|",
         "the old v and the old a were kept in ints, without their fractions", NULL},
        {"17", "s|(double)v . v;|(double)p.velocity[at] * p.velocity[at];|",
         "the kinetic energy took the new v, as where v changes (K6) before it has been "
         "counted",
         NULL},
        {"18", "s|return block . (all / blocks) + min.*|return block * (all / blocks);|",
         "the sum has the first 512 of 528 products alone: does the loop over k end too soon? "
         "Or, "
         "where blocks share k out, is the last part not added, or a share rounded down, so "
         "that "
         "no block has the last panels?",
         NULL},
        {"18",
         "s|parts.(size_t)place_of(s, block, tile) . TILE . TILE.|parts[place_of(s, block, "
         "tile)]|",
         "the first of these has the products of k = 0 to 143 of C[0][0] to C[0][3], in place "
         "of "
         "all of its own: do the parts in scratch memory overlap, 4 of them one element apart, "
         "where each takes a whole tile?",
         "alpha and beta"},
        {"01", "s|b.(size_t)i . n + col.|b[(size_t)i * n + row]|",
         "it has in C[0][1] A[0][0] * B[0][0] where A[0][0] * B[0][1] belongs, A[1][0] * "
         "B[1][0] "
         "where A[1][0] * B[1][1] belongs and 15 more that are not right: B's row is right, "
         "and "
         "its column is C's row; look at the index with which B is loaded",
         "alpha and beta"},
        {"02", "s|first_k + i, col)|first_k, col)|",
         "B's row is the first of each 16, and its column is right", "alpha and beta"},
        {"02", "s|first_k + i % TILE_K)|first_k + i / TILE_K)|",
         "A's row is right, and its column is what its row should be, within tiles of 16",
         "alpha and beta"},
        {"03", "s|(first_k + ty) . n + col|(first_k + tx) * n + col|",
         "B's row is what its column should be, and its column is right", "alpha and beta"},
        {"03", "s|a_tile.ty..i.|a_tile[i][tx]|",
         "A's row is what its column should be, and its column is C's column", "alpha and beta"},
        {"04", "s|a_tile.ty + e . ROWS..i.|a_tile[i][tx]|",
         "A's row is what its column should be, within tiles of 32, and its column is C's "
         "column, "
         "within tiles of 32",
         "alpha and beta"},
        {"09", "s|return .(const float4 .)from;|return make_float4(0, 0, 0, 0);|",
         "it has in C[0][0] no A[0][0] * B[0][0], no A[0][2] * B[2][0] and 1 more that are not "
         "right; B[0][0] is in no product: is it loaded",
         "begin too late"},
        {"08", "s|a_tile.now..i..ty + v|a_tile[now][i][tx + v|",
         "A's row is C's column, within tiles of 16, and its column is right", "alpha and beta"},
        {"02", "s|first_k += TILE_K|first_k += 1|",
         "A[0][1] * B[1][0] 2 times, A[0][2] * B[2][0] 3 times and 14 more that are not right; "
         "what adds them again: a loop whose step is too short",
         "alpha and beta"},
        {"05", "s|q < COLS; ++q)$|q < ROWS; ++q)|",
         "B[0][32] is in no product: is it loaded, or 0 in its place, and does the loop that "
         "multiplies it reach it?",
         "and k is 7"},
        {"06", "s|a_tile.TILE_K..TILE + 1.|a_tile[TILE_K][SIDE]|",
         "threads beside each other write 16 elements apart: is that the length of a row, and is "
         "more indexed in it?",
         "leaves out a thread coordinate"},
        {"06", "s|<<<blocks, SIDE . SIDE|<<<blocks, SIDE|",
         "as many as the block has threads: does the launch start as many threads as the kernel "
         "counts on? The block has 16 threads",
         NULL},
        {"01",
         "s|(int)(element / n)|(int)(element % n)|; s|col = (int)(element % n)|col = (int)(element "
         "/ n)|",
         "this is that of element 33: is its row 33 / 65, and its column 33 % 65, by the 65 "
         "columns?",
         NULL},
        {"13", "s|return min(x, y);|return (word)min((float)x, (float)y);|",
         "each of these is nearly right: a float has 24 bits", "the order of max and min"},
        {"17", "s|square += (double)v . v;|square += v;|", "v were added in place of its square",
         NULL},
        {"17", "s|v = p.velocity.at., old|v = p.velocity[i], old|",
         "y and z took the v of x, which is the new one by then", "add every particle once"},
        {"16", "s|(a + old)|a + old|",
         "the old a were added to v (K6) without dt / 2, as where it stands outside the "
         "parentheses",
         NULL},
        {"16", "s|p.position.at. +=|p.position[i] +=|",
         "as if x had all that is added to x, y and z (K5): is each stored at the place of its own",
         NULL},
        {"00c", "s|apart = 16; apart > 0|apart = THREADS / 2; apart > 0|",
         "does a shuffle by 32 lanes or more, which a warp has not, give each lane its own value",
         NULL},
        {"06",
         "s|__syncthreads(); // all have read the tiles: only now may the next panel overwrite "
         "them||",
         "this write is of the loop's next iteration: a __syncthreads() is missing after the read, "
         "from line 42 to the end of the loop",
         "between the two is missing"},
        {"07", "s|EACH = TILE . TILE / THREADS|EACH = 2|",
         "495 of 1023 elements in all; rows 8 to 15 of every 16: does each thread store all",
         "some elements only"},
        {"15",
         "s|b_k = thread / 32 % 2 . 8 + thread % 2 . 4|b_k = thread % 4 * 4|; s|b_col = thread / "
         "64 "
         ". 16 + thread % 32 / 2|b_col = thread / 4|",
         "each write to b_tile takes 2 wavefronts where 1 would do", NULL},
        {"00a", "s|<<<blocks, THREADS,|<<<blocks > 0, 1,|",
         "the launch has 1 block of 1 thread: does the kernel count on more?", NULL},
        {"01", "s|^    store(|    for (int t = 0; t < 2; ++t) store(|",
         "with alpha 1 and beta 0 each of its products is right: look at alpha and beta, and "
         "whether C is stored more than once",
         "the loop over k, and alpha"},
        {"08", "s|panel . TILE_K + a_k|panel + a_k|",
         "A[0][1] * B[8][0] where A[0][8] * B[8][0] belongs: A's row is right", "alpha and beta"},
        {"15", "s|b.col . row_b + first_k + b_k.|b[(first_k + b_k) * row_b + col]|",
         "A[0][4] * B[4][0] where A[0][4] * B[0][4] belongs", "alpha and beta"},
        {"18", "s|s.blocks + s.all / s.panels - 1|s.blocks|",
         "\n  FAIL  -m 128 -n 64 -k 528 --beta 0: out_of_bounds at ", NULL},
        {"18", "s|s.blocks + s.all / s.panels - 1|s.blocks|",
         "right after the end of workspace (131072 bytes), for which the row's workspace "
         "function "
         "asked: does that function count all places, in bytes, and is no place's number, or "
         "its "
         "first element, larger, as that of a block that has no part?\n",
         NULL},
        {"18", "s|s.blocks + s.all / s.panels - 1|0|",
         "that is a null pointer; is it p->workspace, for which the row's workspace function "
         "asks "
         "for 0 bytes?\n",
         NULL},
        {"18", "s|return block + tile;|return block;|",
         "and those of k = 0 to 15 of C[64][0] are there in their place: do two parts have the "
         "same place in scratch memory?; that value was stored at ",
         "alpha and beta"},
        {"18", "s|return block + tile;|return block - tile;|",
         "; in scratch memory: has each part that a block stores a place of its own?\n", NULL},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!run_lab_takes(i, 3))
            continue;
        cr_assert_eq(setenv("CHANGE", cases[i].change, 1), 0);
        run_lab_shell(&result,
                      "F=$(mktemp -d); sed \"$CHANGE\" solutions/%s_*/kernel.cu > $F/kernel.cu; "
                      "./run exercise%s --runtime sim --source $F/kernel.cu; S=$?; rm -r $F; exit "
                      "$S",
                      cases[i].exercise, cases[i].exercise);
        cr_expect(strstr(result.out, cases[i].says), "%s, %s: no '%s' but\n%s%s", cases[i].exercise,
                  cases[i].change, cases[i].says, result.out, result.err);
        cr_expect(!cases[i].says_not || !strstr(result.out, cases[i].says_not),
                  "%s, %s: '%s' in\n%s", cases[i].exercise, cases[i].change, cases[i].says_not,
                  result.out);
    }
}

/* The inputs that show what it multiplies are gone when the next one is launched. */
Test(exercise_faults, a_right_kernel_behind_one_that_was_asked, .timeout = 60)
{
    run_lab_shell(
        &result, "F=$(mktemp -d); sed 's|first_k + i, col)|first_k, col)|' "
                 "solutions/02_*/kernel.cu > $F/wrong.cu; cp solutions/02_*/kernel.cu $F/right.cu; "
                 "./run compare --runtime sim --source $F/wrong.cu --source $F/right.cu "
                 "--check-only -m 33 --alpha -1.5 --beta 0.75; S=$?; rm -r $F; exit $S");
    cr_expect_eq(result.status, 1, "%s%s", result.out, result.err);
    cr_expect(strstr(result.out, "B's row is the first of each 16"), "%s", result.out);
    cr_expect(strstr(result.out, "\nright.cu.tile_16x128") && strstr(result.out, "  ok\n"), "%s",
              result.out);
}

/* Of a single key both orders of a block's counts may fit: neither is said. */
Test(exercise_faults, one_key_tells_no_order, .timeout = 60)
{
    run_lab_shell(&result,
                  "F=$(mktemp -d); sed 's|keys.i. [*] LANES + lane|keys[i] + lane * BINS|' "
                  "solutions/00d_*/kernel.cu > $F/kernel.cu; ./run exercise00d --runtime sim -n 1 "
                  "--seed 9 --source $F/kernel.cu; rm -r $F");
    cr_expect(strstr(result.out, "this is as if each bin's counts were added at one index and read "
                                 "at another, such as bin * lanes + lane and bin + lane * bins"),
              "%s%s", result.out, result.err);
}

/* In a small window, too, the first test whose values tell a cause says it. */
Test(exercise_faults, a_cause_is_told_in_a_small_window, .timeout = 120)
{
    run_lab_shell(&result,
                  "F=$(mktemp -d); sed 's|if (i < count)|if (i < count - 1)|' "
                  "solutions/09_*/kernel.cu > $F/kernel.cu; ./run exercise09 --runtime sim --fit "
                  "22x200 --source $F/kernel.cu; sed 's|count > 2 ? from.2.|count > 3 ? "
                  "from[2]|; s|count > 0 ? from.0.|count > 1 ? from[0]|' "
                  "solutions/09_*/kernel.cu > $F/kernel.cu; ./run exercise09 --runtime sim --fit "
                  "22x200 --source $F/kernel.cu; rm -r $F");
    static const char *const rows[] = {
        "\n  FAIL  -m 9 -n 130 -k 5: unwritten: C[0][129] was never written, 9 of 1170 elements in "
        "all; only the last column: does a guard, a count or a loop end one too soon?\n",
        "\n  FAIL  -m 3 -n 3 -k 7: unwritten\n",
        "\n  FAIL  -m 9 -n 131 -k 5 --alpha -1.5 --beta 0.75: wrong: C[0][130]: expected 2.134683, "
        "got 0.4936826; 9 of 1179 elements wrong, tolerance 5.2e-06; only the last column; no "
        "product is in the last\n",
        "\n  FAIL  -m 3 -n 3 -k 7: wrong\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(strstr(result.out, rows[i]), "no '%s' in\n%s", rows[i], result.out);
}

/* What each row found is its own; what it comes of is told once, where the words are the same. */
Test(exercise_faults, a_cause_is_told_once, .timeout = 120)
{
    static const char *const rows[] = {
        "\n  FAIL  -n 9 -m 65: wrong: B[0][0]: expected -0.0633268132742975, got "
        "0.440795906166052; 585 of 585 elements wrong, tolerance 2.7e-14; each of these is as if "
        "the sum were stored",
        "\n  FAIL  -n 1 -m 1: wrong: B[0][0]: expected -0.0633268132742975, got 0.440795906166052; "
        "1 of 1 elements wrong, tolerance 1.8e-15; this is as if the sum were stored",
        "\n  FAIL  -n 8 -m 64: wrong: B[0][0]: expected -0.0633268132742975, got "
        "0.440795906166052; 512 "
        "of 512 elements wrong, tolerance 2.2e-14; as above\n"};
    run_lab_shell(&result,
                  "F=$(mktemp -d); sed 's|\\] += sum.r.;|] = sum[r];|' solutions/11_*/kernel.cu > "
                  "$F/kernel.cu; ./run exercise11 --runtime sim --source $F/kernel.cu; rm -r $F");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect(strstr(result.out, rows[i]), "no '%s' in\n%s", rows[i], result.out);
    cr_expect_eq(count(result.out, "were stored in place of the old B"), 2, "%s", result.out);
}

/* All tests and goals, and the status of the whole. */
Test(exercise_faults, json, .timeout = 120)
{
    run_with("if (p->m == 1) { printf(\"noise\\n\"); fflush(stdout); }", "--json -");
    cr_expect_eq(strncmp(result.out, "{\n  \"schema\": 1,", 16), 0, "%s", result.out);
    cr_expect(!strstr(result.out, "noise"), "JSON has standard output to itself:\n%s", result.out);
    run_with("if (p->m == 1) exit(3);", "--json -");
    cr_expect_eq(result.status, 1);
    cr_expect_eq(strncmp(result.out, "{\n  \"schema\": 1,", 16), 0, "%s", result.out);
    cr_expect(strstr(result.out, "\n  \"status\": \"forbidden\",\n  \"passed\": false,"), "%s",
              result.out);
    cr_expect_eq(count(result.out, "\"options\": "), 10, "seven tests, three goals:\n%s",
                 result.out);
    cr_expect_eq(count(result.out, "\"status\": \"ok\""), 4, "%s", result.out);
    run_lab(&result, "exercise05 --source harness/tests/submissions/wrong/race.cu --json -");
    cr_expect(strstr(result.out, "race.cu\",\n      \"line\": 12,\n      \"passed\": false"), "%s",
              result.out);
    run_lab(&result, "exercise05 --source harness/tests/submissions/wrong/does_not_compile.cu "
                     "--json -");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "\n  \"status\": \"build_error\",\n  \"message\": "), "%s",
              result.out);
    run_lab(&result, "exercise05 --source harness/tests/submissions/unknown/"
                     "cluster_barrier_with_beta.cu --json -");
    cr_expect_eq(result.status, 3);
    cr_expect(strstr(result.out, "\n  \"status\": \"unsupported\",\n  \"passed\": false,"), "%s",
              result.out);
    run_lab(&result, "exercise04 --source \"$LAB_TEST_BUILD\"/solution/09.so --json -");
    cr_expect_eq(result.status, 1);
    cr_expect(strstr(result.out, "\n  \"status\": \"goal_missed\",\n  \"passed\": false,"), "%s",
              result.out);
    run_lab(&result, "solution01 --json -");
    cr_expect_eq(result.status, 0);
    cr_expect(strstr(result.out, "\n  \"status\": \"ok\",\n  \"passed\": true,"), "%s", result.out);
    cr_expect_eq(count(result.out, "\"passed\": true"), 1 + 7 + 2, "%s", result.out);
    run_lab(&result, "solution01 -m 16 --json -");
    cr_expect(strstr(result.out, "\"kernels\": ["), "with sizes it is a run like any:\n%s",
              result.out);
}

/* Neither a process nor a file: of `run`, and of the program that it starts, by itself. */
Test(exercise_faults, an_interrupt_leaves_nothing, .timeout = 60)
{
    run_lab_leave_to_test_all();
    static const char *const programs[] = {
        "./run", "env LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim \"$LAB_TEST_BUILD\"/lab"};
    cr_assert_eq(setenv("LAB_LINE_SECONDS", "50", 1), 0);
    for (int i = 0; i < 2; i++) {
        if (!run_lab_takes(i, 2))
            continue;
        run_lab_shell(&result,
                      "F=$(mktemp -d); sed 's/^    const int blocks/    for (;;) ;\\n&/' "
                      "solutions/05_*/kernel.cu > $F/kernel.cu; LAB_SCRATCH=$F timeout -s TERM 4 "
                      "%s exercise05 --runtime sim --source $F/kernel.cu; sleep 1; pgrep -f "
                      "$F/kernel.cu; find $F -name 'run-*' -o -name 'source-*'; rm -r $F",
                      programs[i]);
        const char *begun = strstr(result.out, "local memory.\n\n");
        cr_assert(strstr(result.out, "exercise05: ") && begun, "%s", result.out);
        cr_expect_str_empty(begun + strlen("local memory.\n\n"), "left of %s: %s", programs[i],
                            begun);
    }
}

/* A process that has used a GPU leaves its children none: who starts them makes no call at all. */
Test(exercise_faults, the_device_is_for_the_processes_of_the_tests, .timeout = 120)
{
    run_lab_leave_to_test_all();
    if (getenv("LAB_TEST_RUNTIME") && strcmp(getenv("LAB_TEST_RUNTIME"), "sim") != 0)
        cr_skip_test("this one starts the simulator's program itself");
    run_lab_shell(
        &result,
        "F=$(mktemp -d); { echo '#include <dlfcn.h>'; echo '#include <stdio.h>'; echo '#include "
        "<unistd.h>'; for f in cudaGetDevice cudaGetDeviceProperties cudaDeviceGetAttribute "
        "cudaStreamCreate cudaGetLastError cudaMemGetInfo cudaDeviceSynchronize; do echo \"int "
        "$f(void *a, void *b, void *c) { dprintf(2, \\\"call of %%d\\\\n\\\", getpid()); return "
        "((int (*)(void *, void *, void *))dlsym(RTLD_NEXT, \\\"$f\\\"))(a, b, c); }\"; done; } > "
        "$F/spy.c; ${CC:-cc} -w -D_GNU_SOURCE -shared -fPIC -o $F/spy.so $F/spy.c -ldl; "
        "LD_LIBRARY_PATH=\"$LAB_TEST_BUILD\"/sim LD_PRELOAD=$F/spy.so \"$LAB_TEST_BUILD\"/lab "
        "solution01 "
        "--runtime sim & P=$!; wait $P; echo \"call of $P\"; rm -r $F");
    const char *own = strstr(result.out, "\ncall of ");
    cr_assert(own && strstr(result.err, "call of "), "%s%s", result.out, result.err);
    cr_expect(!strstr(result.err, own + 1), "%s", result.err);
}

/* One whom Ctrl-Z has stopped is not late: what counts is the time that it had. */
Test(exercise_faults, a_job_that_was_stopped_is_not_late, .timeout = 120)
{
    run_lab_leave_to_test_all();
    run_lab_shell(&result,
                  "F=$(mktemp -d); { echo '#include <unistd.h>'; sed 's/^    const int blocks/    "
                  "if (p->m == 65) usleep(1500000);\\n&/' solutions/05_*/kernel.cu; } > "
                  "$F/kernel.cu; LAB_LINE_SECONDS=8 setsid ./run exercise05 --runtime sim --source "
                  "$F/kernel.cu > $F/out & P=$!; until grep -q 'k 7$' $F/out; do sleep 0.1; done; "
                  "kill -STOP -$P; sleep 9; kill -CONT -$P; wait $P; S=$?; cat $F/out; rm -r $F; "
                  "exit $S");
    cr_expect(strstr(result.out, "\n  ok    -m 65 -n 129 -k 9\n"), "%d: %s%s", result.status,
              result.out, result.err);
}

/* The line that begins with `label`, behind it. */
static const char *line_of(const char *text, const char *label)
{
    const char *line = strstr(text, label);
    return line ? line + strlen(label) : "";
}

/* A solution that stores eight times looks worse where the goals look, beside what was given, which
 * may be wrong. */
Test(exercise_faults, beside_the_solution, .timeout = 120)
{
    char folder[] = "/tmp/lab-beside-XXXXXX", written[256];
    cr_assert(mkdtemp(folder));
    run_lab_shell(&result,
                  "sed 's/^    [*]c = /    for (int i = 0; i < 8; i++) *(volatile float *)c = /' "
                  "solutions/01_*/kernel.cu > %s/eight.cu && ! cmp -s %s/eight.cu "
                  "solutions/01_*/kernel.cu",
                  folder, folder);
    cr_assert_eq(result.status, 0, "%s", result.err);
    run_lab(&result, "compare solution01 --source %s/eight.cu --json %s/json", folder, folder);
    cr_expect_eq(result.status, 0, "%s%s", result.out, result.err);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors written "));
    cr_expect(strstr(written, " 8,192 ") && strstr(written, " 65,536 (8 x) "), "%s", result.out);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors read "));
    cr_expect(*written && !strstr(written, " x)"), "%s", result.out);
    cr_expect(strstr(result.out, "  time ms") && strstr(result.out, "\nas_given.cu.transposed "),
              "%s", result.out);
    run_lab(&result, "compare exercise01 solution01");
    cr_expect(result.status == 1 && strstr(result.out, "\nsectors written ") &&
                  !strstr(result.out, "as_given"),
              "untouched, it is there once:\n%s", result.out);
    snprintf(written, sizeof written, "%.80s", line_of(result.out, "\nsectors read "));
    cr_expect(strstr(written, " 0 (wrong) "), "what reads nothing is not the best: %s", result.out);
    run_lab_shell(&result, "awk -f harness/exercise/stub.awk solutions/07_*/kernel.cu > %s/fed.cu",
                  folder);
    run_lab(&result, "compare solution07 --source %s/fed.cu", folder);
    cr_expect(strstr(result.out, " times as long as solution07.fed: it is limited by latency, "),
              "why it is slower: %s", result.out);
    run_lab(&result, "compare exercise01 solution01 --check-only");
    cr_expect(!strstr(result.out, "sectors written"), "%s", result.out);
    run_lab_shell(&result, "rm -r %s", folder);
}
