/* gnuplot as a child of a study. */
#include "report/plot.h"

#include "base/paths.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

bool lab_plot_can(const struct lab_sweep *sweep, FILE *stream)
{
    if (sweep->draws || has_gnuplot())
        return true;
    fputs("\nno plot: gnuplot is not here; install it, or take the figures from --json\n", stream);
    return false;
}

/* Runs gnuplot. Output so far is flushed first, so that it comes first, and only once. */
static bool plot(const struct lab_sweep *sweep, lab_plot_fn *send, const void *what,
                 const char *file)
{
    fflush(NULL);
    FILE *gnuplot = popen("gnuplot 2>/dev/null", "w");
    if (!gnuplot)
        return false;
    send(sweep, what, file, gnuplot);
    return pclose(gnuplot) == 0;
}

void lab_plot_file(const struct lab_sweep *sweep, lab_plot_fn *send, const void *what,
                   const char *name, FILE *stream)
{
    char path[LAB_PATH_BYTES];
    if (!has_gnuplot())
        return;
    lab_build_path(path, "plots");
    mkdir(path, 0777);
    lab_build_path(path, "plots/%s-%s-%s.svg", sweep->target, sweep->is_sim ? "sim" : "gpu", name);
    fprintf(stream, plot(sweep, send, what, path) ? "plot: %s\n" : "gnuplot failed: %s\n", path);
}
