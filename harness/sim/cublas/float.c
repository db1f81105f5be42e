/* The single-precision BLAS of the drop-in cuBLAS. */
#include "handle.h"

#define REAL               float
#define CUBLAS(name)       cublasS##name
#define INDEX(name)        cublasIs##name
#define BLAS               sim_blas_float
#define OPENBLAS           sim_openblas_float
#define SIM_NAME(function) "cublasS" function

#include "level1.inc"
#include "level2.inc"
#include "level3.inc"
#include "lu.inc"
