// C = op(A) op(B), with m, n and k from the command line, in the type of the file's first variant
// and in a form that it solves: the form without transposed operands, if it solves that.
static struct lab_gemm problem;
static double *a_host, *b_host; // the elements, whatever their type

// A random matrix of `count` elements: as doubles on the host, in the variant's type on the
// device.
static void *random_matrix(size_t count, double **host)
{
    const float *values = random_values<float>(count);
    *host = (double *)on_host(count * sizeof(double));
    for (size_t i = 0; i < count; ++i)
        (*host)[i] = values[i];
    return problem.type == LAB_GEMM_F64 ? on_device(*host, count * sizeof(double))
                                        : on_device(values, count * sizeof(float));
}

static void *output(void)
{
    return problem.type == LAB_GEMM_F64 ? (void *)problem.c_double : (void *)problem.c;
}

static size_t element_bytes(void)
{
    return problem.type == LAB_GEMM_F64 ? sizeof(double) : sizeof(float);
}

static void reset(void)
{
    must(cudaMemset(output(), 0xFF, (size_t)problem.m * problem.n * element_bytes()), "reset");
}

// Compares with sums in double precision: k multiply-adds in any order are off by no more than k
// roundings of the sum of all amounts.
static size_t wrong(void)
{
    const size_t count = (size_t)problem.m * problem.n;
    const double rounding = problem.type == LAB_GEMM_F64 ? DBL_EPSILON : FLT_EPSILON;
    static void *c_host;
    size_t bad = 0;
    c_host = c_host ? c_host : on_host(count * element_bytes());
    must(cudaMemcpy(c_host, output(), count * element_bytes(), cudaMemcpyDeviceToHost), "result");
    const struct sample sample = {count};
    for (size_t i = 0; i < sample.count(); ++i) {
        const size_t at = sample.place(i), row = at / problem.n, col = at % problem.n;
        double sum = 0.0, amount = 0.0;
        for (size_t l = 0; l < (size_t)problem.k; ++l) {
            const double term =
                a_host[problem.a_is_transposed ? l * problem.m + row : row * problem.k + l] *
                b_host[problem.b_is_transposed ? col * problem.k + l : l * problem.n + col];
            sum += term;
            amount += fabs(term);
        }
        const double got =
            problem.type == LAB_GEMM_F64 ? ((double *)c_host)[at] : ((float *)c_host)[at];
        bad += !(fabs(got - sum) <= (problem.k + 2) * rounding * amount);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int m = size_of(argc, argv, 1, 2048), n = size_of(argc, argv, 2, m),
              k = size_of(argc, argv, 3, m);
    const unsigned flags = lab_step.variants[0].flags, any = flags & LAB_GEMM_ALL;
    problem.type = flags & LAB_GEMM_DOUBLES ? LAB_GEMM_F64 : LAB_GEMM_F32;
    problem.a_is_transposed = any && !(any & (LAB_GEMM_NN | LAB_GEMM_NT));
    problem.b_is_transposed = any && !(any & (LAB_GEMM_NN | LAB_GEMM_TN));
    problem.m = m, problem.n = n, problem.k = k;
    problem.alpha = 1.0f, problem.alpha_double = 1.0;
    problem.row_a = problem.a_is_transposed ? m : k;
    problem.row_b = problem.b_is_transposed ? k : n;
    problem.row_c = n;
    void *const a = random_matrix((size_t)m * k, &a_host), *const b = random_matrix((size_t)k * n,
                                                                                    &b_host);
    void *const c = on_device(NULL, (size_t)m * n * element_bytes());
    if (problem.type == LAB_GEMM_F64)
        problem.a_double = (const double *)a, problem.b_double = (const double *)b,
        problem.c_double = (double *)c;
    else
        problem.a = (const float *)a, problem.b = (const float *)b, problem.c = (float *)c;
    printf("C = A%s B%s, %s, m=%d n=%d k=%d\n", problem.a_is_transposed ? "'" : "",
           problem.b_is_transposed ? "'" : "", problem.type == LAB_GEMM_F64 ? "double" : "float", m,
           n, k);
    return run_variants(&problem, &problem.workspace, 2.0 * m * n * k, reset, wrong);
}
