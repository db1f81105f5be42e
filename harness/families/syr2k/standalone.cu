// The upper triangle of C = (B A' + A B') / 2, with n, p and q from the command line.
static struct lab_syr2k problem;
static double *a_host, *b_host, *c_host;

static void reset(void)
{
    const size_t bytes = (size_t)problem.n * problem.n * sizeof(double);
    must(cudaMemset(problem.c, 0xFF, bytes), "reset");
}

// The host sums in the same precision: each sum is off by no more than so many roundings of the sum
// of all amounts. What is below the diagonal must still be NaN.
static size_t wrong(void)
{
    const size_t n = problem.n, length = (size_t)problem.p * problem.q;
    size_t bad = 0;
    must(cudaMemcpy(c_host, problem.c, n * n * sizeof(double), cudaMemcpyDeviceToHost), "result");
    const struct sample sample = {n * n};
    for (size_t i = 0; i < sample.count(); ++i) {
        const size_t at = sample.place(i), k = at / n, l = at % n;
        double sum = 0.0, amount = 0.0;
        for (size_t x = 0; x < length; ++x) {
            const double one = a_host[l * length + x] * b_host[k * length + x];
            const double other = a_host[k * length + x] * b_host[l * length + x];
            sum += 0.5 * (one + other);
            amount += 0.5 * (fabs(one) + fabs(other));
        }
        if (l < k)
            bad += !isnan(c_host[at]);
        else
            bad += !(fabs(c_host[at] - sum) <= 4.0 * (length + 2) * DBL_EPSILON * amount);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1, 256), p = size_of(argc, argv, 2, 64),
              q = size_of(argc, argv, 3, p);
    const size_t count = (size_t)n * p * q;
    a_host = random_values<double>(count);
    b_host = random_values<double>(count);
    c_host = (double *)on_host((size_t)n * n * sizeof(double));
    problem.n = n, problem.p = p, problem.q = q;
    problem.a = (const double *)on_device(a_host, count * sizeof(double));
    problem.b = (const double *)on_device(b_host, count * sizeof(double));
    problem.c = (double *)on_device(NULL, (size_t)n * n * sizeof(double));
    printf("C = (B A' + A B') / 2, double, l >= k, n=%d p=%d q=%d\n", n, p, q);
    return run_variants(&problem, &problem.workspace, 2.0 * n * (n + 1) * p * q, reset, wrong);
}
