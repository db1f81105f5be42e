// All-pairs shortest paths of a random graph, with the number of vertices from the command line: a
// problem for each type and semiring that some variant does, with paths if variants do only these.
static struct lab_apsp problem;
static void *w_host, *d_host;
static int *expected, *next_host; // lengths as ints; INT_MAX where there is no path. Another
                                  // semiring uses negated weights, or weights 0

static size_t element_bytes()
{
    return problem.type == LAB_APSP_U16 ? sizeof(unsigned short) : sizeof(float);
}

// Reads an element of a matrix of the problem's type. Weights and lengths are whole numbers, so
// they are exact.
static int read_length(const void *matrix, size_t at)
{
    if (problem.semiring == LAB_APSP_OR_AND) {
        const unsigned short truth = ((const unsigned short *)matrix)[at];
        return truth == 1 ? 0 : truth == 0 ? INT_MAX : -1;
    }
    if (problem.semiring == LAB_APSP_MAX_PLUS) {
        const float length = ((const float *)matrix)[at];
        return length > -1e9f && length < 1e9f ? -(int)length : length < 0.0f ? INT_MAX : INT_MIN;
    }
    if (problem.type == LAB_APSP_S32)
        return ((const int *)matrix)[at];
    if (problem.type == LAB_APSP_U16) {
        const unsigned short length = ((const unsigned short *)matrix)[at];
        return length == 65535 ? INT_MAX : length;
    }
    const float length = ((const float *)matrix)[at];
    return length >= 0.0f && length < 1e9f ? (int)length : length > 0.0f ? INT_MAX : -1;
}
static void write_length(void *matrix, size_t at, int length)
{
    if (problem.semiring == LAB_APSP_OR_AND)
        ((unsigned short *)matrix)[at] = length != INT_MAX;
    else if (problem.semiring == LAB_APSP_MAX_PLUS)
        ((float *)matrix)[at] = length == INT_MAX ? -INFINITY : (float)-length;
    else if (problem.type == LAB_APSP_S32)
        ((int *)matrix)[at] = length;
    else if (problem.type == LAB_APSP_U16)
        ((unsigned short *)matrix)[at] = length == INT_MAX ? 65535 : (unsigned short)length;
    else
        ((float *)matrix)[at] = length == INT_MAX ? INFINITY : (float)length;
}

static void reset(void)
{
    const size_t count = (size_t)problem.n * problem.n;
    must(cudaMemset(problem.d, 0x81, count * element_bytes()), "reset");
    if (problem.next)
        must(cudaMemset(problem.next, 0x81, count * sizeof(int)), "reset");
}

// Whether the next vertex from i to j is right: -1 where there is no path; else the rest of the
// path is shorter than the whole by the arc that leads to it.
static bool is_next(size_t i, size_t j)
{
    const size_t n = problem.n;
    const int step = next_host[i * n + j], length = expected[i * n + j];
    if (i == j || length == INT_MAX)
        return step == -1;
    if (step < 0 || step >= problem.n || step == (int)i)
        return false;
    const int arc = read_length(w_host, i * n + step), rest = expected[step * n + j];
    return arc != INT_MAX && rest != INT_MAX && arc + rest == length;
}

static size_t wrong(void)
{
    const size_t n = problem.n, count = n * n;
    size_t bad = 0;
    must(cudaMemcpy(d_host, problem.d, count * element_bytes(), cudaMemcpyDeviceToHost), "result");
    if (problem.next)
        must(cudaMemcpy(next_host, problem.next, count * sizeof(int), cudaMemcpyDeviceToHost),
             "result");
    for (size_t at = 0; at < count; ++at)
        bad +=
            read_length(d_host, at) != expected[at] || (problem.next && !is_next(at / n, at % n));
    return bad;
}

// Chooses variants as the harness does: a flag that is not set requires nothing.
static bool does(const struct lab_variant *variant)
{
    static const unsigned types[] = {LAB_APSP_FLOATS, LAB_APSP_INTS, LAB_APSP_SHORTS};
    const unsigned flags = variant->flags, all_types = types[0] | types[1] | types[2];
    const unsigned rings = flags & LAB_APSP_ALL_SEMIRINGS;
    const bool paths_alone = (flags & LAB_APSP_PATHS) && !(flags & LAB_APSP_LENGTHS);
    return (!(flags & all_types) || (flags & types[problem.type])) &&
           ((rings ? rings : LAB_APSP_SHORTEST) & LAB_APSP_SHORTEST << problem.semiring) &&
           paths_alone == (problem.next != NULL);
}

static int solve(int n)
{
    const size_t count = (size_t)n * n;
    w_host = on_host(count * element_bytes());
    d_host = on_host(count * element_bytes());
    expected = (int *)on_host(count * sizeof(int));
    next_host = (int *)on_host(count * sizeof(int));
    for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to) { // about ten arcs leave a vertex, of weights 1 to 100
            bool is_arc = (next_random() + 1.0) * n < 20.0;
            int weight = (int)((next_random() + 1.0) * 50.0) + 1;
            if (problem.semiring == LAB_APSP_OR_AND)
                weight = 0;
            if (problem.semiring == LAB_APSP_MAX_PLUS) {
                is_arc = is_arc && from < to; // no cycles
                weight = -weight;
            }
            expected[(size_t)from * n + to] = from == to ? 0 : is_arc ? weight : INT_MAX;
            write_length(w_host, (size_t)from * n + to, expected[(size_t)from * n + to]);
        }
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const int first = expected[(size_t)i * n + k], then = expected[(size_t)k * n + j];
                int &own = expected[(size_t)i * n + j];
                if (first != INT_MAX && then != INT_MAX && first + then < own)
                    own = first + then;
            }
    problem.w = on_device(w_host, count * element_bytes());
    problem.d = on_device(NULL, count * element_bytes());
    if (problem.next)
        problem.next = (int *)on_device(NULL, count * sizeof(int));
    printf("all-pairs %s, %s%s, n=%d\n",
           problem.semiring == LAB_APSP_MAX_PLUS ? "longest paths"
           : problem.semiring == LAB_APSP_OR_AND ? "reachability"
                                                 : "shortest paths",
           problem.type == LAB_APSP_S32   ? "int"
           : problem.type == LAB_APSP_U16 ? "unsigned short"
                                          : "float",
           problem.next ? ", with paths" : "", n);
    return run_variants(&problem, &problem.workspace, 2.0 * n * n * n, reset, wrong);
}

int main(int argc, char **argv)
{
    static int wanted; // a placeholder for the next vertices until they have memory
    static const struct {
        enum lab_apsp_semiring semiring;
        enum lab_apsp_type type;
        bool paths;
    } problems[] = {
        {LAB_APSP_MIN_PLUS, LAB_APSP_F32, false}, {LAB_APSP_MIN_PLUS, LAB_APSP_S32, false},
        {LAB_APSP_MIN_PLUS, LAB_APSP_U16, false}, {LAB_APSP_MAX_PLUS, LAB_APSP_F32, false},
        {LAB_APSP_OR_AND, LAB_APSP_U16, false},   {LAB_APSP_MIN_PLUS, LAB_APSP_F32, true},
        {LAB_APSP_MIN_PLUS, LAB_APSP_S32, true},  {LAB_APSP_MIN_PLUS, LAB_APSP_U16, true}};
    int failed = 0;
    variant_fits = does;
    problem.n = size_of(argc, argv, 1, 512);
    for (const auto &one : problems) {
        problem.semiring = one.semiring;
        problem.type = one.type;
        problem.next = one.paths ? &wanted : NULL;
        bool any = false;
        for (int i = 0; i < lab_step.variant_count; ++i)
            any |= does(&lab_step.variants[i]);
        if (any)
            failed |= solve(problem.n);
    }
    return failed;
}
