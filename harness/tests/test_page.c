/* A run as a page for a browser: what the file holds, and, in `make test-all`, what a browser draws
 * of it. Concerns report and run. */
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
    "\"$LAB_PAGE.said\" > \"$LAB_PAGE.dom\"; ! grep -a CONSOLE \"$LAB_PAGE.said\"; }; "            \
    "count() { grep -o \"$1\" \"$LAB_PAGE.dom\" | wc -l; }; "

Test(page, is_one_file_with_the_run_in_it, .timeout = 60)
{
    expect_of_page("step01 -n 64",
                   "grep -q 'd3js.org' \"$LAB_PAGE\" && "
                   "sed -n '/id=\"result\"/,/<.script>/p' \"$LAB_PAGE\" | sed '1d;$d' | "
                   "grep -q '\"target\": \"step01\"' && "
                   "! grep -oE '(src|href)=\"?(https?:)?//[^\"]*' \"$LAB_PAGE\" && "
                   "[ $(wc -c < \"$LAB_PAGE\") -lt 1500000 ]");
}

/* A file's name and what a kernel does wrong are texts of others. */
Test(page, no_text_ends_the_element_that_it_stands_in, .timeout = 60)
{
    run_lab_shell(&result, "d=$(mktemp -d) && mkdir \"$d/<\" && "
                           "{ printf '#error \"</script><h1>\"\\n' > \"$d/<\"'/script>.cu'; "
                           "./run step01 --source \"$d/<\"'/script>.cu' --runtime sim -n 32 --html "
                           "$d/page.html < /dev/null > /dev/null 2>&1; grep -c '</script>' "
                           "$d/page.html; rm -r \"$d\"; }");
    cr_expect_str_eq(result.out, "3\n", "the library's, the run's and the page's: %s%s", result.out,
                     result.err);
}

Test(page, refusals)
{
    run_lab_expect_error(2, "give a file", "step01 --html -");
    run_lab_expect_error(2, "No such file", "step01 --html /nowhere/page.html");
    run_lab_expect_error(2, "--html is for a run", "sweep step01 --html x.html");
    run_lab_expect_error(2, "--html is for a run", "step01 --thorough --html x.html");
}

/* A bar and a point for each row that has a time, on a wide screen and on a phone. */
Test(page, a_browser_draws_all_rows, .timeout = 300)
{
    run_lab_leave_to_test_all();
    expect_of_page("step04", BROWSER
                   "for width in 1280 390; do drawn $width && [ $(count '<rect') = 4 ] && "
                   "[ $(count '<circle') = 4 ] && [ $(count 'class=\"ceiling\"') = 1 ] || exit 1; "
                   "done");
    expect_of_page("step00a -n 65536", BROWSER "drawn 1280 && [ $(count '<tr') -ge 4 ]");
}
