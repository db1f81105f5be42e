/* JSON and the page. */
#include "run/files.h"

#include "base/status.h"
#include "report/json.h"
#include "report/page.h"

int lab_files_check(const struct lab_options *options)
{
    int status = options->json ? lab_json_check(options->json) : LAB_EXIT_OK;
    if (status == LAB_EXIT_OK && options->forecast)
        status = lab_json_check(options->forecast);
    return status == LAB_EXIT_OK && options->html ? lab_page_check(options->html) : status;
}

int lab_files_write(const struct lab_options *options, const struct lab_result *result)
{
    const int status = options->json ? lab_json_write(result, options->json) : LAB_EXIT_OK;
    return status == LAB_EXIT_OK && options->html ? lab_page_write(result, options->html) : status;
}
