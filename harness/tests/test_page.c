/* A run as a page for a browser: what the file holds, and, in `make test-all`, what a browser draws
 * of it. What it shows of one warp, a terminal has as text. Concerns report and run. */
#include "tests/run_lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct run_lab result;

/* Writes the page of a run to the file that LAB_PAGE names in the shell commands behind it. */
static void expect_of_page(const char *arguments, const char *commands)
{
    run_lab_shell(&result,
                  "LAB_PAGE=$(mktemp -d)/page.html; export LAB_PAGE; "
                  "./run %s --runtime sim --html \"$LAB_PAGE\" < /dev/null > /dev/null; "
                  "{ %s; }; status=$?; rm -r \"${LAB_PAGE%%/*}\"; exit $status",
                  arguments, commands);
    cr_expect_eq(result.status, 0, "%s: %s%s", arguments, result.out, result.err);
}

/* How often a browser shows an element, and that it complains of nothing. */
#define BROWSER                                                                                    \
    "drawn() { chromium-headless-shell --no-sandbox --disable-gpu --virtual-time-budget=5000 "     \
    "--window-size=$1,1200 --enable-logging=stderr --dump-dom \"file://$LAB_PAGE\" 2> "            \
    "\"$LAB_PAGE.said\" > \"$LAB_PAGE.dom\" || { tail -n 5 \"$LAB_PAGE.said\"; return 1; }; "      \
    "! grep -a CONSOLE \"$LAB_PAGE.said\"; }; "                                                    \
    "count() { grep -o \"$1\" \"$LAB_PAGE.dom\" | wc -l; }; "

Test(page, is_one_file_with_the_run_in_it)
{
    expect_of_page("step01 -n 64",
                   "grep -q 'd3js.org' \"$LAB_PAGE\" && "
                   "sed -n '/id=\"result\"/,/<.script>/p' \"$LAB_PAGE\" | sed '1d;$d' | "
                   "grep -q '\"target\": \"step01\"' && "
                   "! grep -oE '(src|href)=\"?(https?:)?//[^\"]*' \"$LAB_PAGE\" && "
                   "[ $(wc -c < \"$LAB_PAGE\") -lt 1500000 ]");
}

/* A file's name and what a kernel does wrong are texts of others. */
Test(page, no_text_ends_the_element_that_it_stands_in)
{
    run_lab_shell(&result, "d=$(mktemp -d) && mkdir \"$d/<\" && "
                           "{ printf '#error \"</script><h1>\"\\n' > \"$d/<\"'/script>.cu'; "
                           "./run step01 --source \"$d/<\"'/script>.cu' --runtime sim -n 32 --html "
                           "$d/page.html < /dev/null > /dev/null 2>&1; grep -c '</script>' "
                           "$d/page.html; rm -r \"$d\"; }");
    cr_expect_str_eq(result.out, "5\n",
                     "the library's, the run's, the table's, the counters' and the page's: %s%s",
                     result.out, result.err);
}

Test(page, refusals)
{
    run_lab_expect_error(2, "give a file", "step01 --html -");
    run_lab_expect_error(2, "No such file", "step01 --html /nowhere/page.html");
    run_lab_expect_error(2, "--html is for a run", "plan step13 --html x.html");
    run_lab_expect_error(2, "--html is for a run", "step01 --thorough --html x.html");
}

/* What the page makes of the recorded addresses is what the simulator counted, in all rows. A
 * longer row changes what is drawn. */
#define TRIED                                                                                      \
    "sed -i 's#</body>#<script>"                                                                   \
    "const all = rows.flatMap(row => row.accesses ? row.accesses.list : []);"                      \
    "const shared = all.filter(one => isShared(one) \\&\\& one.kind !== \"copy\");"                \
    "const differ = shared.filter(one => passesOf(one, one.place).count !== one.wavefronts);"      \
    "document.getElementById(\"padding\").value = 1;"                                              \
    "document.getElementById(\"padding\").dispatchEvent(new Event(\"input\"));"                    \
    "document.title = `${shared.length ? \"some\" : \"none\"} and ${differ.length} differ`;"       \
    "</script></body>#' \"$LAB_PAGE\"; "

static void expect_wavefronts(const char *arguments, const char *drawn)
{
    char commands[4096];
    snprintf(commands, sizeof commands,
             BROWSER TRIED "for width in 1280 390; do drawn $width && "
                           "grep -q '<title>some and 0 differ' \"$LAB_PAGE.dom\" && "
                           "[ \"$(grep -o 'data-wavefronts=\"[0-9]*' \"$LAB_PAGE.dom\" | "
                           "sed 's/.*\"//' | tr '\\n' ' ')\" = '%s' ] || exit 1; done",
             drawn);
    expect_of_page(arguments, commands);
}

/* Of the line that takes most, each row that has it, then the first of them with a padded row. */
Test(page, a_warp_is_drawn_as_it_was_counted)
{
    run_lab_leave_to_test_all();
    expect_wavefronts("step04 -m 256", "32 1 1 ");
    expect_wavefronts("step07 -m 256", "8 2 ");
    expect_wavefronts("step12 -m 256", "4 ");
}

/* A run that counts nothing has what each line did from a small one beside it. */
Test(page, has_the_lines_of_a_run_that_did_not_count)
{
    expect_of_page("step13", "grep -q 'id=\"simulated\"' \"$LAB_PAGE\"");
    expect_of_page("step13 -n 100", "! grep -q 'id=\"simulated\"' \"$LAB_PAGE\"");
    run_lab(&result, "step13 -n 100 --lines --runtime sim --json -");
    cr_expect(strstr(result.out, "\"sources\": {\n    \"") && strstr(result.out, "__global__"),
              "the text of the lines that are counted");
}

/* An element a cell as long as there are 64 cells; then what is wrong of those that share one. */
Test(page, has_where_an_output_is_wrong)
{
    static const char command[] =
        "step01 --source .built/tests/kernels/broken/last_row_unwritten.cu "
        "--runtime sim -n 70 -k 3 -m ";
    run_lab(&result, "%s 3 --json -", command);
    cr_expect(strstr(result.out, "\"rows\": 3,") && strstr(result.out, "\"columns\": 70,") &&
                  strstr(result.out, "\"row\": 2,") && strstr(result.out, "\"0000000000"),
              "%s", result.out);
    const char *const last = strstr(result.out, "\"fffffff");
    cr_assert(last, "%s", result.out);
    cr_expect_eq(strspn(last + 1, "f"), 2 * 64, "%s", last);
    run_lab(&result, "%s 640 --json -", command);
    cr_expect(strstr(result.out, "\"1a1a1a1a"), "a tenth of the last cells: %s", result.out);
}

/* A line for each row and a point for each of its runs, and what is drawn follows the choice. */
Test(page, a_study_is_drawn_over_its_sizes)
{
    run_lab_leave_to_test_all();
    expect_of_page(
        "sweep step04 --sms 3", BROWSER
        "for width in 1280 390; do drawn $width && [ $(count 'class=\"line\"') = 4 ] && "
        "[ $(count '<circle') = 32 ] && [ $(count '<tr>') = 9 ] || exit 1; done; "
        "sed -i 's#</body>#<script>const choice = document.getElementById(\"quantity\");"
        "choice.selectedIndex = 1; choice.dispatchEvent(new Event(\"change\"));"
        "</script></body>#' \"$LAB_PAGE\"; drawn 1280 && [ $(count ' milliseconds<') = 32 ]");
}

/* A bar and a point for each row that has a time, on a wide screen and on a phone; each mark under
 * the roofs has a name. */
Test(page, a_browser_draws_all_rows)
{
    run_lab_leave_to_test_all();
    expect_of_page(
        "step04", BROWSER
        "for width in 1280 390; do drawn $width && [ $(count 'class=\"bar') = 4 ] && "
        "[ $(count '<circle') = 4 ] && [ $(count 'class=\"ceiling\"') = 1 ] && "
        "[ $(count 'class=\"ceiling-of-level') = 2 ] && [ $(count 'class=\"level') = 12 ] && "
        "[ $(count 'role=\"img\" aria-label=\"[a-z0-9_.]*, [^\"]* a byte moved, ') = 12 ] && "
        "[ $(count '<title>[a-z0-9_.]*: [0-9.,]* GFLOPS') -ge 4 ] && "
        "[ $(count 'class=\"limit') = 16 ] && [ $(count 'class=\"goes') -ge 5 ] && [ $(count "
        "'<code>') -ge 1 ] || exit 1; "
        "done");
    expect_of_page(
        "step01 --source .built/tests/kernels/broken/last_row_unwritten.cu -m 40 -n 50 -k 3",
        BROWSER "drawn 390 && [ $(count 'class=\"where') = 1 ] && "
                "[ $(count 'class=\"bad') = 50 ] && [ $(count 'class=\"shown') = 1 ]");
    /* Of a race both accesses are shown; counters say in words what they are. */
    expect_of_page("step02 --source .built/tests/kernels/broken/no_second_barrier.cu -m 40",
                   BROWSER "drawn 1280 && [ $(count 'class=\"chosen\"') = 2 ]");
    expect_of_page("step01 -m 64 --profile",
                   BROWSER "drawn 1280 && [ $(count '> sectors loaded<') = 1 ]");
    expect_of_page("step00a -n 65536", BROWSER "drawn 1280 && [ $(count '<tr') -ge 4 ]");
}

/* What double buffering and asynchronous copies do: their warps do not wait for global memory any
 * more. Each warp's spans leave no gap. */
Test(page, has_one_block_over_time)
{
    static const char check[] =
        "import json, os, re; page = open(os.environ['LAB_PAGE']).read(); "
        "run = json.loads(re.search('id=.result.>(.*?)</script>', page, re.S).group(1)); "
        "rows = {row['name']: row['timeline'] for row in run['kernels']}; "
        "share = lambda name, kind: rows[name]['sums'][kind] / sum(rows[name]['sums'].values()); ";
    char command[2048];
    snprintf(command, sizeof command,
             "python3 -c \"%s"
             "one, two = [share(name, 'waits for global memory') for name in "
             "('step05.values_8x8', 'double_buffered')]; "
             "assert one > 0.2 and two < 0.05, (one, two); "
             "assert rows['double_buffered']['from'] == 'model'; "
             "warps = rows['double_buffered']['warps']; assert len(warps) == 8; "
             "assert all(a[0] + a[1] == b[0] for warp in warps for a, b in zip(warp, warp[1:]))\"",
             check);
    expect_of_page("step06", command);
    if (!run_lab_tries_all())
        return;
    snprintf(
        command, sizeof command,
        "python3 -c \"%s"
        "assert share('any_async', 'waits for global memory') < 0.01; "
        "assert share('any', 'waits for a copy') == 0 < share('any_async', 'waits for a copy'); "
        "under_way = rows['any_async']['kinds'].index('copy under way'); "
        "assert any(span[2] == under_way for span in rows['any_async']['warps'][0])\" && "
        "[ $(wc -c < \"$LAB_PAGE\") -lt 1500000 ]",
        check);
    expect_of_page("step12", command);
}

/* A lane for each warp on a wide screen and on a phone; another row and fewer cycles draw other
 * spans, and nothing is wider than the screen. */
Test(page, a_browser_draws_one_block_over_time)
{
    run_lab_leave_to_test_all();
    expect_of_page(
        "step06", BROWSER
        "for width in 1280 390; do drawn $width && [ $(count 'class=\"warp\"') = 8 ] && "
        "[ $(count 'waits for global memory [0-9.]*%') = 1 ] && "
        "[ $(count '<title>warp 7 ') -ge 20 ] || exit 1; done; "
        "sed -i 's#</body>#<script>const before = document.querySelectorAll(\"\\#time "
        "rect\").length;"
        "for (const [id, value] of [[\"time-row\", \"step05.values_8x8\"], [\"time-shown\", 0]]) {"
        "const input = document.getElementById(id); input.value = value; "
        "input.dispatchEvent(new Event(\"input\")); }"
        "const after = document.querySelectorAll(\"\\#time rect\").length;"
        "document.title = `${before > after ? \"fewer\" : \"more\"} spans of ${"
        "document.getElementById(\"time-length\").textContent} cycles, ${"
        "document.documentElement.scrollWidth <= innerWidth ? \"none\" : \"some\"} too wide`;"
        "</script></body>#' \"$LAB_PAGE\"; for width in 1280 390; do drawn $width && "
        "grep -q '<title>fewer spans of 500 cycles, none too wide' \"$LAB_PAGE.dom\" || exit 1; "
        "done");
}

/* A warp-specialized kernel: its warps wait at barriers in shared memory and for tensor cores, and
 * copies and products are shown beside. A box has its place in shared memory. */
Test(page, has_the_pipeline_of_specialized_warps)
{
    expect_of_page(
        "step15.5 -m 64",
        "python3 -c \"import json, os, re; page = open(os.environ['LAB_PAGE']).read(); "
        "run = json.loads(re.search('id=.result.>(.*?)</script>', page, re.S).group(1)); "
        "row = [row for row in run['kernels'] if row['name'] == 'halves'][0]; "
        "time = row['timeline']; kinds = time['kinds']; "
        "waits = lambda warp, kind: sum(span[1] for span in time['warps'][warp] if span[2] == "
        "kinds.index(kind)); "
        "assert waits(4, 'waits at an mbarrier') > 0 < waits(4, 'waits for tensor cores'); "
        "assert waits(0, 'copy under way') > 0 == waits(0, 'products under way'); "
        "assert waits(4, 'products under way') > 0 == waits(4, 'copy under way'); "
        "boxes = [line['box'] for line in row['lines'] if 'box' in line]; "
        "assert len(boxes) == 1 and boxes[0]['swizzle'] == boxes[0]['row_bytes'] == 128, boxes\"");
}

/* Fragments of mma.sync where that line is chosen, as PTX lays them out; of a copy by a tensor map
 * the pieces of its box, moved by the swizzle. */
Test(page, a_browser_draws_fragments_and_boxes)
{
    run_lab_leave_to_test_all();
#define CHOOSE(opcode)                                                                             \
    "sed -i 's#</body>#<script>[...document.querySelectorAll(\"\\#source tr button\")].find("      \
    "button => (button.closest(\"td\").title || \"\").includes(\"" opcode "\")).click();"          \
    "</script></body>#' \"$LAB_PAGE\"; "
    expect_of_page("step15.1 -m 128",
                   BROWSER CHOOSE("mma.sync") "drawn 1280 && [ $(count 'data-matrix=') = 3 ] && "
                                              "[ $(count 'data-lane=\"5\"') = 10 ] && "
                                              "[ $(count 'A.9..5.: lane 5, register 3<') = 1 ] && "
                                              "[ $(count 'B.5..1.: lane 5, register 1<') = 1 ] && "
                                              "[ $(count 'C.9..3.: lane 5, register 3<') = 1 ]");
    expect_of_page("step15.5 -m 64",
                   BROWSER CHOOSE("bulk.tensor") "drawn 390 && [ $(count 'data-piece=') = 64 ] && "
                                                 "[ $(count '>3: 0<') = 1 ] && "
                                                 "grep -o '<g data-piece=\"3.0\" "
                                                 "transform=\"translate(187,67)\"' "
                                                 "\"$LAB_PAGE.dom\"");
}

/* As of a GPU, with a simulated run beside it: the row that has clock reads shows them, the others
 * the model. */
Test(page, clock_reads_stand_in_the_place_of_the_model)
{
    run_lab_leave_to_test_all();
    expect_of_page(
        "step06", BROWSER
        "python3 -c \"import json, os, re; path = os.environ['LAB_PAGE']; "
        "page = open(path).read(); found = re.search('id=.result.>(.*?)</script>', page, re.S); "
        "run = json.loads(found.group(1)); "
        "[row.pop('timeline') for row in run['kernels'] if row['name'] != 'double_buffered']; "
        "time = [row for row in run['kernels'] if 'timeline' in row][0]['timeline']; "
        "time['from'] = 'clocks'; time['kinds'][0] = 'runs'; "
        "time['sums'] = {'runs': time['sums'].pop('issues'), **time['sums']}; "
        "text = lambda name, json_text: '<script type=\\'application/json\\' id=\\'' + name + "
        "'\\'>' + json_text.replace('<', '\\\\\\\\u003c') + '</script>'; "
        "begin = page.rindex('<script', 0, found.start()); "
        "open(path, 'w').write(page[:begin] + text('result', json.dumps(run)) + "
        "text('simulated', found.group(1)) + page[found.end():])\" && "
        "drawn 1280 && [ $(count 'Measured: the warps of block 0') = 1 ] && "
        "[ $(count '>runs [0-9.]*%') = 1 ] && "
        "sed -i 's#</body>#<script>const input = document.getElementById(\"time-row\"); "
        "input.value = \"step05.values_8x8\"; input.dispatchEvent(new Event(\"input\"));"
        "</script></body>#' \"$LAB_PAGE\" && drawn 1280 && [ $(count 'By the model, block 0') = 1 "
        "]");
}

/* The line that a kernel file has a text in. */
static int line_with(const char *file, const char *text)
{
    int line = 0;
    run_lab_shell(&result, "grep -nF -- '%s' \"${LAB_TEST_ROOT:-.}/%s\"", text, file);
    cr_assert_eq(sscanf(result.out, "%d:", &line), 1, "%s in %s: %s", text, file, result.err);
    return line;
}

static void expect_view(int line, const char *options, const char *const said[])
{
    run_lab(&result, "step04 -m 64 --runtime sim --banks %d %s", line, options);
    cr_expect_eq(result.status, 0, "%s", result.err);
    for (int i = 0; said[i]; i++)
        cr_expect(strstr(result.out, said[i]), "line %d %s has no '%s': %s", line, options, said[i],
                  result.out);
}

Test(bank_view, lanes_over_banks_and_sectors)
{
    static const char file[] = "steps/04_padding/kernel.cu";
    const int store = line_with(file, "a_tile[tx][ty] = at(");
    const int load = line_with(file, "return row < rows && col < cols");
    run_lab_shell(&result, "[ $(grep -c './run step04 --banks %d$' docs/pages/profiling.md) = 1 ]",
                  store);
    cr_expect_eq(result.status, 0, "docs/pages/profiling.md names another line than %d", store);
    expect_view(store, "",
                (const char *const[]){"warp 0 of block 0\n\n"
                                      "store to a_tile, 4 bytes a lane: 32 wavefronts\n",
                                      "        1  0  .  .", "        2  1  .  .",
                                      "      ... and 24 more\n", "4 bytes a lane: 1 wavefront\n",
                                      "        1  0  1  2  3  4  5  6", NULL});
    /* The second warp has the next row of the block: bank 1. */
    expect_view(store, "--warp 3,1",
                (const char *const[]){"warp 1 of block 3\n", "        1  .  0  .", NULL});
    expect_view(load, "",
                (const char *const[]){"load from A, 4 bytes a lane: 4 sectors\n",
                                      "   byte       32  lanes 8-15\n", NULL});
    expect_view(1, "",
                (const char *const[]){"at line 1 that warp goes to no memory; it does", NULL});
}

/* In the order of the kernel, of a loop two turns; element 1024 of B is row 16 of 64 columns, where
 * the second tile starts. The text of another warp differs in what it touches. */
Test(warp_trace, lines_with_what_they_touch)
{
    static const char *const said[] = {"block_16x16, warp 0 of block 0\n",
                                       "load, lane 0: A[0] is ",
                                       "32 lanes, 4 sectors\n",
                                       "store, lane 0: a_tile[0] becomes ",
                                       "load, lane 0: B[0] is ",
                                       "__syncthreads();",
                                       "load, lane 0: A[16] is ",
                                       "load, lane 0: B[1024] is ",
                                       "more lines of further iterations\n",
                                       "store, lane 0: C[0] becomes ",
                                       "block_32x32, warp 0 of block 0\n"};
    run_lab(&result, "step03 -m 64 --runtime sim --trace 0,0");
    cr_expect_eq(result.status, 0, "%s", result.err);
    const char *at = result.out;
    for (size_t i = 0; at && i < sizeof said / sizeof said[0]; i++) {
        const char *const next = strstr(at, said[i]);
        cr_expect(next, "no '%s' after: %s", said[i], at);
        at = next;
    }
    double loaded = 0, stored = 1;
    const char *const load = strstr(result.out, "A[0] is ");
    const char *const store = strstr(result.out, "a_tile[0] becomes ");
    cr_assert(load && store && sscanf(load, "A[0] is %lf", &loaded) == 1 &&
              sscanf(store, "a_tile[0] becomes %lf", &stored) == 1);
    cr_expect_eq(loaded, stored, "what is loaded goes to the tile");
    cr_expect_gt(strstr(result.out, "A[32] is"), strstr(result.out, "block_32x32, warp"),
                 "the third iteration: %s", result.out);
    run_lab(&result, "step03 -m 64 --runtime sim --trace 1,1");
    cr_expect(strstr(result.out, "warp 1 of block 1\n") && strstr(result.out, "A[128] is") &&
                  strstr(result.out, "B[144] is"),
              "rows 2 and 3 of the tile, and its second column of tiles: %s", result.out);
    run_lab(&result, "step03 -m 64 --runtime sim --trace 999,0");
    cr_expect(strstr(result.out, "the first launch has no such block, or warp"), "%s", result.out);
}

/* On a terminal each line waits for Enter, and q ends. */
Test(warp_trace, goes_on_with_enter)
{
    run_lab_shell(&result, "printf '\\n\\nq\\n' | script -qec './run step03 -m 64 --runtime sim "
                           "--trace 0,0' /dev/null");
    cr_expect(strstr(result.out, "Enter goes on"), "%s%s", result.out, result.err);
    cr_expect_not(strstr(result.out, "__syncthreads"), "the fourth line: %s", result.out);
}

Test(warp_trace, refusals)
{
    run_lab_expect_error(2, "--trace 1: give a block", "step03 --trace 1");
    run_lab_expect_error(2, "--trace 0,32: give a block", "step03 --trace 0,32");
    run_lab_expect_error(2, "--trace goes without --banks and --warp",
                         "step03 --trace 0,0 --banks 3");
    run_lab_expect_error(2, "--trace counts on the simulator", "step03 --trace 0,0 --runtime gpu");
}

/* On three SMs: 3 x 128 lanes x 2 x 1.98 GHz, and the share of DRAM that they have. */
Test(roofline, as_text)
{
    run_lab(&result, "step04 -m 256 --sms 3 --roofline --runtime sim");
    cr_expect_eq(result.status, 0, "%s", result.err);
    cr_expect(strstr(result.out, "roofline: 42.7 operations for each byte") &&
                  strstr(result.out, "the roof is arithmetic, 1521 GFLOPS; DRAM") &&
                  strstr(result.out, "|##"),
              "%s", result.out);
    /* A conflict takes all turns of the pipe for the same tile. */
    const char *const row = strstr(result.out, "\n  conflict ");
    float roof = 0, pipe = 0, l2 = 0, dram = 0;
    cr_assert(row && sscanf(strrchr(strtok(strdup(row + 1), "\n"), '|'), "| %f%% %f%% %f%% %f%%",
                            &roof, &pipe, &l2, &dram) == 4);
    cr_expect(pipe > 90 && l2 < 20 && dram < 20 && roof < 20, "%s", row);
    cr_expect_not(strstr(result.out, "H200 GFLOPS"), "%s", result.out);
    run_lab(&result, "step04 --roofline --runtime sim --check-only -m 64");
    cr_expect(strstr(result.out, "no roofline: no variant has a time"), "%s", result.out);
    run_lab(&result, "step00a --roofline --runtime sim -n 1000");
    cr_expect(strstr(result.out, "no roofline: the operations"), "%s", result.out);
}

/* Where no time is known, what was recorded stands in its place; else it is asked for. */
Test(recorded, speeds_stand_beside_the_rows)
{
    run_lab(&result, "step00a -n 1000 --runtime sim");
    cr_expect_not(strstr(result.out, "H200"), "another size: %s", result.out);
    run_lab(&result, "step00a --runtime sim");
    cr_expect(strstr(result.out, "  H200 GB/s  ") && strstr(result.out, "  3944  ") &&
                  strstr(result.out, "recorded on an NVIDIA H200 at 67108864"),
              "%s", result.out);
    run_lab(&result, "step00a --beside --runtime sim --json -");
    cr_expect(strstr(result.out, "\"recorded\": {\n        \"gpu\": \"H200\",") &&
                  strstr(result.out, "\"gb_per_s\": 3944"),
              "%s", result.out);
    if (run_lab_tries_all()) {
        run_lab(&result, "step04 --beside --runtime sim --json -");
        cr_expect(strstr(result.out, "\"gflops\": 5807"), "%s", result.out);
    }
    run_lab(&result, "step12 -m 64 --form nt --beside --runtime sim");
    cr_expect_not(strstr(result.out, "H200"), "another form was not recorded so: %s", result.out);
    run_lab(&result, "step11 -n 64 --type u16 --beside --runtime sim");
    cr_expect_not(strstr(result.out, "H200"), "nor another type: %s", result.out);
}

/* What was recorded is of each option's default, of an H200, and of rows that run. */
Test(recorded, no_speed_stands_beside_a_run_with_other_options)
{
    static const char *const others[] = {"step13 -n 64 --kernels rest", "step13 -n 64 --steps 2",
                                         "step13 -n 64 --cutoff 2",     "step04 -m 64 --alpha 2",
                                         "step04 -m 64 --arch gtx970",  "step04 -m 64 --arch t4"};
    for (int i = 0; i < (int)(sizeof others / sizeof *others); i++) {
        run_lab(&result, "%s --beside --runtime sim", others[i]);
        cr_expect(result.status == 0 && !strstr(result.out, "H200"), "%s: %s%s", others[i],
                  result.out, result.err);
    }
    run_lab(&result, "step13 -n 64 --steps 1 --beside --runtime sim");
    cr_expect(strstr(result.out, "H200 GFLOPS"), "the default, given: %s", result.out);
    run_lab(&result, "step04 -m 64 --beside --runtime sim --arch h200");
    cr_expect(strstr(result.out, "H200 GFLOPS"), "%s", result.out);
}

Test(bank_view, refusals)
{
    run_lab_expect_error(2, "--warp is for --banks, --html and --clocks", "step04 --warp 0,0");
    run_lab_expect_error(2, "--warp 1: give a block", "step04 --banks 3 --warp 1");
    run_lab_expect_error(2, "--warp 0,32: give a block", "step04 --banks 3 --warp 0,32");
    run_lab_expect_error(2, "--banks", "step04 --banks 0");
    run_lab_expect_error(2, "--banks counts on the simulator", "step04 --banks 3 --runtime gpu");
}
