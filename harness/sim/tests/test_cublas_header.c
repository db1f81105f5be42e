/* The project's own declarations of cuBLAS agree with the toolkit's, where its header is installed:
 * the compiler refuses two declarations that differ, and the names of statuses show their values.
 */
#include <criterion/criterion.h>

#if __has_include(<cublas_api.h>)
#include <cublas_api.h>
#define SIM_CUBLAS_FUNCTIONS_ONLY
#include "sim/cublas/include/cublas_v2.h"
#include <cublasLt.h> /* the project's, which takes the toolkit's in, too */

Test(cublas_header, statuses_have_the_same_values)
{
#define EXPECT(status) cr_expect_str_eq(cublasGetStatusName(status), #status)
    EXPECT(CUBLAS_STATUS_SUCCESS);
    EXPECT(CUBLAS_STATUS_NOT_INITIALIZED);
    EXPECT(CUBLAS_STATUS_ALLOC_FAILED);
    EXPECT(CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(CUBLAS_STATUS_ARCH_MISMATCH);
    EXPECT(CUBLAS_STATUS_MAPPING_ERROR);
    EXPECT(CUBLAS_STATUS_EXECUTION_FAILED);
    EXPECT(CUBLAS_STATUS_INTERNAL_ERROR);
    EXPECT(CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT(CUBLAS_STATUS_LICENSE_ERROR);
}
#else
Test(cublas_header, statuses_have_the_same_values)
{
    cr_skip_test("no cuBLAS header of the toolkit here");
}
#endif
