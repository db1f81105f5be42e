// C = alpha A B + beta C, with m, n and k from the command line.
static struct lab_gemm problem;
static float *a_host, *b_host, *c_host;

static void reset(void)
{
    must(cudaMemset(problem.c, 0xFF, (size_t)problem.m * problem.n * sizeof(float)), "reset");
}

// Against sums in double precision: k multiply-adds in any order are off by no more than k
// roundings of the sum of all amounts.
static size_t wrong(void)
{
    const size_t count = (size_t)problem.m * problem.n;
    size_t bad = 0;
    must(cudaMemcpy(c_host, problem.c, count * sizeof(float), cudaMemcpyDeviceToHost), "result");
    const struct sample sample = {count};
    for (size_t i = 0; i < sample.count(); ++i) {
        const size_t at = sample.place(i), row = at / problem.n, col = at % problem.n;
        double sum = 0.0, amount = 0.0;
        for (size_t l = 0; l < (size_t)problem.k; ++l) {
            const double term = (double)a_host[row * problem.k + l] * b_host[l * problem.n + col];
            sum += term;
            amount += fabs(term);
        }
        bad += !(fabs(c_host[at] - sum) <= (problem.k + 2) * FLT_EPSILON * amount);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const int m = size_of(argc, argv, 1, 2048), n = size_of(argc, argv, 2, m),
              k = size_of(argc, argv, 3, m);
    a_host = random_values<float>((size_t)m * k);
    b_host = random_values<float>((size_t)k * n);
    c_host = (float *)on_host((size_t)m * n * sizeof(float));
    problem.m = m, problem.n = n, problem.k = k;
    problem.alpha = 1.0f;
    problem.row_a = k, problem.row_b = n, problem.row_c = n;
    problem.a = (const float *)on_device(a_host, (size_t)m * k * sizeof(float));
    problem.b = (const float *)on_device(b_host, (size_t)k * n * sizeof(float));
    problem.c = (float *)on_device(NULL, (size_t)m * n * sizeof(float));
    printf("C = A B, float, m=%d n=%d k=%d\n", m, n, k);
    return run_rows(&problem, &problem.workspace, 2.0 * m * n * k, reset, wrong);
}
