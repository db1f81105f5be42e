/* The reference of sums over pairs of points, in double precision for every element: products by
 * cublasDgemm in pieces, distances, exponentials and sums on the host; and what an error may be. */
#include "families/pairwise/pairwise.h"

#include "base/numbers.h"
#include "base/status.h"

#include <cublas_v2.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { SOURCES = 4096, TARGETS = 1024, MOST_VALUES = 1 << 24, SAMPLES = 64, MOST_THREADS = 16 };
enum { FEW_PAIRS = 1 << 14, STAGED = LAB_STAGING_BYTES / sizeof(float) };

/* A piece of the problem: SOURCES by TARGETS pairs, or fewer if points are long. */
struct piece {
    int first_source, sources, first_target, targets;
};

/* What the pieces are computed from. Matrices have double precision, with points in sequence. */
struct workshop {
    struct lab_problem *p;
    double *a_device, *b_device, *c_device;
    double *points;   /* points of a piece, on their way to the device */
    double *products; /* (sources, targets) */
    double *b_norm, *weight;
    int sources, targets; /* of a whole piece */
    double farthest;      /* the largest |b_j| */
};

/* --- what an error may be ------------------------------------------------------------------------
 *
 * The bound on |got - V_i|, got in FP32 by |a|^2 + |b|^2 - 2 a b; u = 2^-24, d_ij = |a_i - b_j|^2,
 * x_ij = d_ij / (2 h^2), S_i = sum over j of K_ij |w_j|.
 *
 * The distance. A sum of K products, one after another, rounds with an error of at most u times the
 * partial sum, of standard deviation below u / sqrt(3) times that. Partial sums grow as j/K at
 * most, so over K additions the deviation is u / sqrt(3) * sqrt(K / 3) = u sqrt(K) / 3 times the
 * sum of the magnitudes; six of them, over all pairs, are 2 u sqrt(K). That sum is |a|^2, |b|^2 and
 * at most |a| |b|. So the three terms err by 2 u sqrt(K) (|a|^2 + |b|^2 + 2 |a| |b|) = 2 u sqrt(K)
 * (|a| + |b|)^2. Putting them together rounds a few times more, relative to the same: 8 u. This is
 * the cancellation: far from the origin (|a| + |b|)^2 is large, however small d is, and what is
 * lost is lost to every kernel that uses the identity. With D = (2 sqrt(K) + 8) u (|a_i| + max
 * |b|)^2 / (2 h^2) the exponent errs by D at most and K_ij by the factor exp(D). (That a distance
 * below 0 counts as 0 only helps.)
 *
 * The exponent. Scale, product and, for a base of 2, log2(e) round: 4 u x_ij. The exponential: 2
 * ulp, 4 u, and 4 u for the weight. The sum over j: by the same argument as above, 2 u sqrt(N) S_i,
 * and 4 u. Results below the least normal number may become 0: 2^-126 for each term.
 *
 *     allowed_i = S_i (exp(D) - 1) + exp(D) u (4 sum K x |w| + (2 sqrt(N) + 12) S_i)
 *                 + N max|w| 2^-126
 *
 * where D is small. Where it is not, S_i (exp(D) - 1) is summed term by term with distances that do
 * not get below 0, since K is at most 1; or S_i (1 - exp(-D)), by which sums may be too small, is
 * taken if it is more.
 *
 * Kernels other than the exponential stay within the same bound if D is multiplied by their
 * steepness.
 *
 * For K = 32, N = 1024, h = 1 in the unit cube this is about 2e-5 of S_i. One of 1024 targets left
 * out is about 1e-3 of it; products in TF32 err by 2^-11 each and show as well. */

static const double U = 0x1p-24, SMALL_ERROR = 0.01;

static double exponent_error(const struct workshop *s, double a_norm)
{
    const struct pairwise_state *of = s->p->state;
    double reach = sqrt(a_norm) + s->farthest, h = of->h;
    return of->kernel.steepness * (2.0 * sqrt(of->k) + 8.0) * U * reach * reach / (2.0 * h * h);
}

/* Sums over the targets of a piece. */
struct sums {
    double value, scale, moment; /* of K w, K |w| and K x |w| */
    double inflated;             /* of K' |w|, with every distance as small as its error allows */
};

static struct sums sum_row(const struct workshop *s, const double *products, int targets,
                           double a_norm, double error)
{
    const struct pairwise_state *of = s->p->state;
    struct sums sums = {0};
    double factor = 1.0 / (2.0 * (double)of->h * of->h);
    bool inflate = error > SMALL_ERROR;
    for (int j = 0; j < targets; j++) {
        double distance = a_norm + s->b_norm[j] - 2.0 * products[j];
        double x = distance > 0.0 ? distance * factor : 0.0, weight = fabs(s->weight[j]);
        double kernel = of->kernel.value(x);
        sums.value += kernel * s->weight[j];
        sums.scale += kernel * weight;
        if (kernel > 0.0) /* else x may be infinite */
            sums.moment += kernel * x * weight;
        if (inflate)
            sums.inflated += of->kernel.value(x > error ? x - error : 0.0) * weight;
    }
    return sums;
}

static void add_sums(struct pairwise_element *to, int targets, const struct sums *sums,
                     double error)
{
    bool inflated = error > SMALL_ERROR;
    double more = inflated ? sums->inflated - sums->scale : sums->scale * expm1(error);
    double less = -sums->scale * expm1(-error);
    double blown = sums->scale + more, times = sums->scale > 0.0 ? blown / sums->scale : 1.0;
    to->value += sums->value;
    to->scale += sums->scale;
    to->allowed += more > less ? more : less;
    to->allowed += U * (4.0 * sums->moment * times + (2.0 * sqrt(targets) + 12.0) * blown);
}

/* --- a piece, its sources shared among threads -------------------------------------------------*/

struct share {
    const struct workshop *shop;
    const struct piece *piece;
    int first, last; /* sources of the piece */
};

static double norm_of(const float *point, int k)
{
    double sum = 0.0;
    for (int i = 0; i < k; i++)
        sum += (double)point[i] * point[i];
    return sum;
}

static void *sum_share(void *argument)
{
    const struct share *share = argument;
    const struct workshop *s = share->shop;
    struct lab_problem *p = s->p;
    struct pairwise_state *of = p->state;
    float *point = malloc(of->k * sizeof *point);
    for (int i = share->first; i < share->last && point; i++) {
        size_t source = (size_t)share->piece->first_source + i;
        pairwise_fill(p, PAIRWISE_A, point, source * of->k, of->k);
        double norm = norm_of(point, of->k), error = exponent_error(s, norm);
        struct sums sums = sum_row(s, s->products + (size_t)i * share->piece->targets,
                                   share->piece->targets, norm, error);
        add_sums(&of->expected[source], of->n, &sums, error);
    }
    bool done = point != NULL;
    free(point);
    return done ? NULL : argument;
}

static bool sum_piece(const struct workshop *s, const struct piece *piece)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (int)cores;
    pthread_t threads[MOST_THREADS];
    struct share shares[MOST_THREADS];
    bool started[MOST_THREADS] = {false}, right = true;
    if ((double)piece->sources * piece->targets < FEW_PAIRS || piece->sources < count)
        count = 1;
    for (int t = 0; t < count; t++) {
        shares[t] = (struct share){s, piece, (int)((long)piece->sources * t / count),
                                   (int)((long)piece->sources * (t + 1) / count)};
        started[t] = count > 1 && pthread_create(&threads[t], NULL, sum_share, &shares[t]) == 0;
    }
    for (int t = 0; t < count; t++) {
        void *failed = NULL;
        if (started[t])
            pthread_join(threads[t], &failed);
        else
            failed = sum_share(&shares[t]);
        right = right && !failed;
    }
    return right;
}

/* --- products by cuBLAS ------------------------------------------------------------------------*/

/* Sends points of A or B, from `first` on, in double precision; also computes norms if asked. */
static cudaError_t send_points(struct workshop *s, enum pairwise_array which, int first, int count,
                               double *device, double *norms)
{
    struct lab_problem *p = s->p;
    const struct pairwise_state *of = p->state;
    float *staged = p->staging;
    for (int i = 0; i < count; i++)
        for (int done = 0; done < of->k; done += STAGED) {
            int piece = of->k - done < STAGED ? of->k - done : STAGED;
            pairwise_fill(p, which, staged, ((size_t)first + i) * of->k + done, piece);
            for (int l = 0; l < piece; l++)
                s->points[(size_t)i * of->k + done + l] = staged[l];
            if (norms)
                norms[i] = (done ? norms[i] : 0.0) + norm_of(staged, piece);
        }
    return cudaMemcpy(device, s->points, (size_t)count * of->k * sizeof(double),
                      cudaMemcpyHostToDevice);
}

static cudaError_t multiply(struct workshop *s, const struct piece *piece)
{
    const double one = 1.0, zero = 0.0;
    const struct lab_problem *p = s->p;
    const struct pairwise_state *of = p->state;
    cudaError_t status =
        send_points(s, PAIRWISE_A, piece->first_source, piece->sources, s->a_device, NULL);
    if (status == cudaSuccess &&
        cublasDgemm(p->cublas, CUBLAS_OP_T, CUBLAS_OP_N, piece->targets, piece->sources, of->k,
                    &one, s->b_device, of->k, s->a_device, of->k, &zero, s->c_device,
                    piece->targets) != CUBLAS_STATUS_SUCCESS)
        status = cudaErrorUnknown;
    if (status == cudaSuccess)
        status = cudaStreamSynchronize(p->stream);
    return status == cudaSuccess
               ? cudaMemcpy(s->products, s->c_device,
                            (size_t)piece->sources * piece->targets * sizeof(double),
                            cudaMemcpyDeviceToHost)
               : status;
}

/* Computes all pieces of these targets. */
static cudaError_t sum_targets(struct workshop *s, int first_target, int targets)
{
    struct lab_problem *p = s->p;
    const struct pairwise_state *of = p->state;
    cudaError_t status = send_points(s, PAIRWISE_B, first_target, targets, s->b_device, s->b_norm);
    for (int j = 0; j < targets; j++) {
        float weight;
        pairwise_fill(p, PAIRWISE_W, &weight, (size_t)first_target + j, 1);
        s->weight[j] = weight;
    }
    for (long first = 0; first < of->m && status == cudaSuccess; first += s->sources) {
        struct piece piece = {(int)first, lab_least(s->sources, (int)(of->m - first)), first_target,
                              targets};
        status = multiply(s, &piece);
        if (status == cudaSuccess && !sum_piece(s, &piece))
            status = cudaErrorMemoryAllocation;
        const double before = (double)first_target * of->m;
        atomic_store(&p->expected_share,
                     (before + (double)targets * (double)(first + piece.sources)) /
                         ((double)of->n * of->m));
    }
    return status;
}

static void find_farthest(struct workshop *s)
{
    struct lab_problem *p = s->p;
    const struct pairwise_state *of = p->state;
    float *staged = p->staging;
    double most = 0.0;
    for (long j = 0; j < of->n; j++) {
        double norm = 0.0;
        for (int done = 0; done < of->k; done += STAGED) {
            int piece = lab_least(of->k - done, STAGED);
            pairwise_fill(p, PAIRWISE_B, staged, (size_t)j * of->k + done, piece);
            norm += norm_of(staged, piece);
        }
        most = norm > most ? norm : most;
    }
    s->farthest = sqrt(most);
}

static cudaError_t open_workshop(struct workshop *s, struct lab_problem *p)
{
    const struct pairwise_state *of = s->p->state;
    int fit = of->k < MOST_VALUES ? MOST_VALUES / of->k : 1;
    size_t sources = lab_least(lab_least(SOURCES, fit), of->m),
           targets = lab_least(lab_least(TARGETS, fit), of->n);
    size_t more = sources > targets ? sources : targets, k = of->k;
    *s = (struct workshop){.p = p,
                           .sources = (int)sources,
                           .targets = (int)targets,
                           .points = malloc(more * k * sizeof(double)),
                           .products = malloc(sources * targets * sizeof(double)),
                           .b_norm = malloc(targets * sizeof(double)),
                           .weight = malloc(targets * sizeof(double))};
    if (!s->points || !s->products || !s->b_norm || !s->weight)
        return cudaErrorMemoryAllocation;
    cudaError_t status = cudaMalloc((void **)&s->a_device, sources * k * sizeof(double));
    if (status == cudaSuccess)
        status = cudaMalloc((void **)&s->b_device, targets * k * sizeof(double));
    if (status == cudaSuccess)
        status = cudaMalloc((void **)&s->c_device, sources * targets * sizeof(double));
    return status;
}

static void close_workshop(struct workshop *s)
{
    cudaFree(s->a_device);
    cudaFree(s->b_device);
    cudaFree(s->c_device);
    free(s->points);
    free(s->products);
    free(s->b_norm);
    free(s->weight);
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* V_i by differences of coordinates, without the identity. */
static double direct_element(struct lab_problem *p, size_t source)
{
    struct pairwise_state *of = p->state;
    double sum = 0.0;
    for (long j = 0; j < of->n; j++) {
        double distance = 0.0;
        float weight;
        for (int i = 0; i < of->k; i++) {
            float a, b;
            pairwise_fill(p, PAIRWISE_A, &a, source * of->k + i, 1);
            pairwise_fill(p, PAIRWISE_B, &b, (size_t)j * of->k + i, 1);
            distance += ((double)a - b) * ((double)a - b);
        }
        pairwise_fill(p, PAIRWISE_W, &weight, j, 1);
        sum += of->kernel.value(distance / (2.0 * (double)of->h * of->h)) * weight;
    }
    return sum;
}

/* The reference is trusted only after a sample of it agrees with the definition, to a thousandth of
 * the error that a kernel may make. A sample has at least one element, and takes only a moment. */
static int verify_reference(struct lab_problem *p)
{
    struct pairwise_state *of = p->state;
    double work = (double)of->n * of->k;
    int samples = work * SAMPLES > 2e7 ? (int)(2e7 / work) + 1 : SAMPLES;
    size_t step = of->m / samples + 1;
    for (size_t i = 0; i < (size_t)of->m; i += step) {
        const struct pairwise_element *element = &of->expected[i];
        double direct = direct_element(p, i);
        if (!(fabs(direct - element->value) <= 1e-3 * element->allowed))
            return lab_complain(LAB_EXIT_MISSING,
                                "the reference itself is wrong: by cublasDgemm V[%zu] = %.15g, by "
                                "the definition %.15g",
                                i, element->value, direct);
    }
    return LAB_EXIT_OK;
}

static void finish(struct lab_problem *p)
{
    struct pairwise_state *of = p->state;
    double underflow = of->n * (double)FLT_MIN;
    of->tolerance = 0.0;
    for (int i = 0; i < of->m; i++) {
        struct pairwise_element *element = &of->expected[i];
        if (element->scale > underflow && element->allowed > of->tolerance * element->scale)
            of->tolerance = element->allowed / element->scale;
        element->allowed += underflow;
    }
}

int pairwise_make_reference(struct lab_problem *p)
{
    struct pairwise_state *of = p->state;
    struct workshop shop = {.p = p};
    of->expected = calloc(of->m, sizeof *of->expected);
    of->got = malloc(of->m * sizeof *of->got);
    if (!of->expected || !of->got)
        return lab_complain(LAB_EXIT_USAGE,
                            "the check of m=%d needs %.1f GiB of the host's memory, which are not "
                            "there; give smaller -m",
                            of->m,
                            (double)of->m * (sizeof *of->expected + sizeof *of->got) / (1 << 30));
    cudaError_t status = open_workshop(&shop, p);
    if (status == cudaSuccess)
        find_farthest(&shop);
    for (long first = 0; first < of->n && status == cudaSuccess; first += shop.targets)
        status = sum_targets(&shop, (int)first, lab_least(shop.targets, (int)(of->n - first)));
    close_workshop(&shop);
    if (status == cudaErrorMemoryAllocation)
        return lab_complain(LAB_EXIT_USAGE,
                            "no memory for the reference of m=%d n=%d k=%d; give "
                            "smaller -m -n -k",
                            of->m, of->n, of->k);
    if (status != cudaSuccess)
        return lab_complain(LAB_EXIT_MISSING, "the reference, by cublasDgemm, failed: %s",
                            cudaGetErrorString(status));
    finish(p);
    return verify_reference(p);
}
