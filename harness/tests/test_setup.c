/* What `make setup` and the makefile do on machines of other kinds: with toolkits of other
 * versions, with and without a driver, offline, without the right to install. The machines are made
 * of stand-ins by setup_cases.sh. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void try_case(const char *name)
{
    char command[8192], said[16384];
    const char *root = getenv("LAB_TEST_ROOT");
    if (getenv("LAB_TEST_SANITIZE"))
        cr_skip_test("about a build without sanitizers");
    snprintf(command, sizeof command, "bash '%s/harness/tests/setup_cases.sh' %s 2>&1",
             root ? root : ".", name);
    FILE *pipe = popen(command, "r");
    cr_assert(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    cr_expect_eq(pclose(pipe), 0, "%s: %s", name, said);
}

#define CASE(name)                                                                                 \
    Test(setup, name)                                                                              \
    {                                                                                              \
        try_case(#name);                                                                           \
    }

CASE(no_toolkit_and_no_driver)
CASE(no_toolkit_for_the_tests)
CASE(driver_but_no_toolkit)
CASE(driver_that_does_not_answer)
CASE(toolkit_12_on_the_path)
CASE(toolkit_12_by_name)
CASE(another_toolkit_13)
CASE(toolkit_in_a_path_with_spaces)
CASE(nvcc_that_is_not_there)
CASE(toolkit_for_this_processor)
CASE(no_goal)
CASE(offline_before_setup)
CASE(offline_after_setup)
CASE(no_root_and_no_compiler)
CASE(no_root_and_no_simulator)
CASE(lock_of_apt_is_held)
CASE(no_apt)
CASE(build_folder_with_spaces)
CASE(build_folder_of_another_user)
CASE(run_before_and_after_the_build)
CASE(what_is_built_is_told)
CASE(objects_compiled_beforehand)
