/**
 * @file openblas.h
 * @brief The OpenBLAS functions that the drop-in cuBLAS calls. The first use loads OpenBLAS.
 *
 * Loading OpenBLAS takes longer than everything else that the simulator does when it starts.
 */
#ifndef SIM_CUBLAS_OPENBLAS_H
#define SIM_CUBLAS_OPENBLAS_H

/** Arguments of the CBLAS interface. */
enum {
    SIM_BLAS_COLUMN_MAJOR = 102,
    SIM_BLAS_NO_TRANSPOSE = 111,
    SIM_BLAS_TRANSPOSE = 112,
    SIM_BLAS_UPPER = 121,
    SIM_BLAS_LOWER = 122,
    SIM_BLAS_NON_UNIT = 131,
    SIM_BLAS_UNIT = 132,
    SIM_BLAS_LEFT = 141,
    SIM_BLAS_RIGHT = 142
};

#define REAL      float
#define BLAS_TYPE sim_blas_float
#include "openblas.inc"
#undef REAL
#undef BLAS_TYPE
#define REAL      double
#define BLAS_TYPE sim_blas_double
#include "openblas.inc"
#undef REAL
#undef BLAS_TYPE

/** The functions, or NULL (reported once) when OpenBLAS cannot be loaded. Thread-safe. */
const struct sim_blas_float *sim_openblas_float(void);
const struct sim_blas_double *sim_openblas_double(void);

#endif
