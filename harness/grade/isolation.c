/* Tries which protection is there: bubblewrap, a filter of system calls, limits. Refuses to grade
 * with too little for the user who grades. */
#include "grade/isolation.h"

#include "grade/sandbox/confine.h"
#include "base/files.h"
#include "base/status.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The recorder makes a system call that a submission may not make. */
static bool is_filtered(bool isolate, const struct lab_account *account)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    char recorder[LAB_PATH_BYTES];
    struct lab_confined how;
    struct lab_confine what = {.words = {recorder, "probe"},
                               .environment = environment,
                               .isolate = isolate,
                               .account = *account,
                               .seconds = 10.0,
                               .file_bytes = 1 << 20,
                               .output_bytes = 4096};
    lab_build_path(recorder, "recorder");
    lab_confine_bind(&what, recorder, false);
    lab_confine_run(&what, &how);
    bool filtered = how.signal == SIGSYS;
    lab_confined_free(&how);
    return filtered;
}

/* Without bubblewrap a compiler can read what its user may read, which for root is everything;
 * without a filter, so can a submission. */
static int check_rest(const struct lab_isolation_terms *terms, bool filtered, const char *why)
{
    bool asked = strcmp(terms->which, "none") == 0;
    if (terms->force)
        return LAB_EXIT_OK;
    if (geteuid() == 0)
        return lab_complain(
            asked ? LAB_EXIT_USAGE : LAB_EXIT_MISSING,
            "root does not grade without bubblewrap (%s): what a compiler may read, "
            "its messages may show; grade as another user, or with --account NAME, or add --force",
            asked ? "--isolation none" : why);
    if (!filtered)
        return lab_complain(LAB_EXIT_MISSING,
                            "this system has no filter of system calls (seccomp), and there is no "
                            "bubblewrap (%s): a submission could read files; --force grades anyway",
                            asked ? "--isolation none" : why);
    return LAB_EXIT_OK;
}

/* With a user of its own in place of bubblewrap. Whether that user may read what it must not is
 * tried once all folders are there. */
static int choose_account(const struct lab_isolation_terms *terms, struct lab_account *account,
                          char *text, size_t size)
{
    if (strcmp(terms->which, "full") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--isolation full is bubblewrap, which --account takes "
                                            "the place of: give one of them");
    if (strcmp(terms->runtime, "gpu") == 0)
        return lab_complain(LAB_EXIT_USAGE, "--runtime gpu: with --account none is timed, since "
                                            "the solution would lie where that user may read");
    int status = lab_account_find(terms->account, account);
    if (status != LAB_EXIT_OK)
        return status;
    snprintf(text, size, "as the user %s, and limits", terms->account);
    if (terms->force || is_filtered(false, account))
        return LAB_EXIT_OK;
    return lab_complain(LAB_EXIT_MISSING,
                        "--account %s: that user cannot run the recorder, or this system has no "
                        "filter of system calls (seccomp)",
                        terms->account);
}

int lab_isolation_choose(const struct lab_isolation_terms *terms, bool *isolate,
                         struct lab_account *account, char *text, size_t size)
{
    char why[256] = "";
    *isolate = false;
    *account = (struct lab_account){.user = 0};
    if (terms->account)
        return choose_account(terms, account, text, size);
    *isolate = strcmp(terms->which, "none") != 0 && lab_confine_can_isolate(why, sizeof why);
    if (!*isolate && strcmp(terms->which, "full") == 0)
        return lab_complain(LAB_EXIT_MISSING,
                            "--isolation full: %s; install the package bubblewrap, or use "
                            "--isolation none",
                            why);
    bool filtered = is_filtered(*isolate, account);
    snprintf(text, size, "%s%s%s%s",
             *isolate ? "isolated by bubblewrap, and limits" : "limits only",
             *isolate || !why[0] ? "" : ": ", *isolate ? "" : why,
             filtered ? "" : "; no filter of system calls here");
    return *isolate ? LAB_EXIT_OK : check_rest(terms, filtered, why);
}
