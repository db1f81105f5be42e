/* The double-precision BLAS of the drop-in cuBLAS. */
#include "handle.h"

#define REAL               double
#define CUBLAS(name)       cublasD##name
#define INDEX(name)        cublasId##name
#define BLAS               sim_blas_double
#define OPENBLAS           sim_openblas_double
#define SIM_NAME(function) "cublasD" function

#include "level1.inc"
#include "level2.inc"
#include "level3.inc"
#include "lu.inc"
