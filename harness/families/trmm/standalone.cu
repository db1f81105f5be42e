// B = B + triu(A) B, in place, with n and m from the command line.
static struct lab_trmm problem;
static double *a_host, *b_host, *result;

static void reset(void)
{
    const size_t bytes = (size_t)problem.n * problem.m * sizeof(double);
    must(cudaMemcpy(problem.b, b_host, bytes, cudaMemcpyHostToDevice), "reset");
}

// The host sums in the same precision: each sum is off by no more than n roundings of the sum of
// all amounts.
static size_t wrong(void)
{
    const size_t count = (size_t)problem.n * problem.m;
    size_t bad = 0;
    must(cudaMemcpy(result, problem.b, count * sizeof(double), cudaMemcpyDeviceToHost), "result");
    const struct sample sample = {count};
    for (size_t i = 0; i < sample.count(); ++i) {
        const size_t at = sample.place(i), row = at / problem.m, col = at % problem.m;
        double sum = b_host[at], amount = fabs(sum);
        for (size_t k = row; k < (size_t)problem.n; ++k) {
            const double term = a_host[row * problem.n + k] * b_host[k * problem.m + col];
            sum += term;
            amount += fabs(term);
        }
        bad += !(fabs(result[at] - sum) <= 2.0 * (problem.n + 2) * DBL_EPSILON * amount);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 1024), m = size_of(argc, argv, 2, n);
    a_host = random_values<double>((size_t)n * n);
    b_host = random_values<double>((size_t)n * m);
    result = (double *)on_host((size_t)n * m * sizeof(double));
    for (int row = 0; row < n; ++row) // what stands below the diagonal must not be read
        for (int col = 0; col < row; ++col)
            a_host[(size_t)row * n + col] = NAN;
    problem.n = n, problem.m = m;
    problem.a = (const double *)on_device(a_host, (size_t)n * n * sizeof(double));
    problem.b = (double *)on_device(b_host, (size_t)n * m * sizeof(double));
    printf("B = B + triu(A) B, double, in place, n=%d m=%d\n", n, m);
    return run_variants(&problem, &problem.workspace, (double)n * (n + 1) * m, reset, wrong);
}
