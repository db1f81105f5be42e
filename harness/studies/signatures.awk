# The study of step 13: signatures of its kernels, of merged kernels and of pairs at the same time, over the threads of a block, and
# whole programs of them, beside those of the paper on reuse and refactoring of kernels. First comes a kernel that does next to nothing, for what a launch takes. On the
# simulator K1 would take minutes to look at all pairs of 10000 particles.
#uses graph.awk
#run always study n=1 kernels=7
#run study kernels=1 gpu:n=10000 sim:n=2000
#run study kernels=2/3/4/5/6/7/23 n=10000
#run study kernels=17 gpu:n=10000 sim:n=2000
#run study kernels=56/67/567 n=10000
#run study kernels=all gpu:n=10000 sim:n=2000
#run study kernels=rest n=10000

# In places: 0 is here, then come the paper's GPUs, with what a launch takes on each, as the paper says.
BEGIN {
    read_graph("md.graph")
    problem["n"] = 1 # values of a particle
    split("32 64 128 256 512", threads, " ")
    split("S1050,GTX 480", gpu, ",")
    launch[1] = 21
    launch[2] = 7
}
$1 == "program" {
    program[++programs] = $2
    parts_of[programs] = $3
    seconds[programs] = $4
}
$1 == "form" {
    form[++forms] = $3
    kernels_of[forms] = $2
    of_paper[forms] = $4
    for (g = 1; g <= 2; g++) {
        registers[g, forms] = $(g == 1 ? 5 : 11)
        for (b = 1; b <= 5; b++)
            paper[g, forms, b] = $((g == 1 ? 5 : 11) + b)
    }
}
$1 == "row" && $4 == "is_ok" && $2 > 1 && !(row[$2, $3, "name"] in run_of) { run_of[row[$2, $3, "name"]] = $2 }
$1 == "row" && $4 == "name" && $5 == "program_separate" { with_programs[++have_programs] = $2 } # all kernels, then all but K1

END {
    has_times = row[runs, 1, "ms"] != ""
    for (i = 1; i <= run[1, "rows"]; i++)
        launch[0] = least(launch[0], times(1e3, row[1, i, "ms"]))
    printf "sweep %s on %s (%s)\n%s  n=%d\n\n%s over the threads of a block\n", sweep["target"], device(), sweep["arch"],
           run[runs, "title"], run[runs, "n"], !has_times ? "thousands of instructions of warps" : \
           sweep["is_sim"] ? "microseconds, modelled from the counters, not measured," : "microseconds"
    print_here()
    if (sweep["is_sim"] && !sweep["has_sizes"])
        print "\non the simulator K1 has n=2000, in place of 10000; -n gives another"
    for (g = 1; g <= 2; g++) {
        printf "\nthe paper's, %s, n=10000: microseconds, with a launch each\n", gpu[g]
        print_paper(g)
    }
    if (has_times) {
        print_best()
        print_merges()
        print_pairs()
        print_programs()
    }
}

# A figure of the form's row with so many threads.
function of_form(f, b, figure,    name) {
    name = form[f] "_" threads[b]
    return name in run_of ? of_row(run_of[name], name, figure) : ""
}

# Microseconds; if nothing is timed, thousands of instructions of warps.
function time(place, f, b) {
    if (place)
        return paper[place, f, b]
    return has_times ? times(1e3, of_form(f, b, "ms")) : times(1e-3, of_form(f, b, "instructions"))
}

# --- a line for each form ---

function print_here(    f, b, most_registers) {
    printf "%-14s  registers", "form"
    for (b = 1; b <= 5; b++)
        printf "  %7d", threads[b]
    print ""
    for (f = 1; f <= forms; f++) {
        most_registers = 0
        for (b = 1; b <= 5; b++)
            most_registers = most(most_registers, of_form(f, b, "registers") + 0)
        if (most_registers)
            print_form(form[f], most_registers, 0, f)
    }
}

function print_paper(g,    f) {
    for (f = 1; f <= forms; f++)
        if (of_paper[f] != "" && paper[g, f, 5] != "")
            print_form(of_paper[f], registers[g, f], g, f)
}

function print_form(name, its_registers, place, f,    b) {
    printf "%-14s  %9s", name, its_registers
    for (b = 1; b <= 5; b++)
        printf "%s", cell(7, "%.2f", time(place, f, b))
    print ""
}

# --- each at its best ---

# The fastest of these kernels over forms and numbers of threads: sets best_form, 0 if there is none, and best_b. `apart`: only forms
# with a launch for each kernel, which the paper does not have. `like`: of forms with such names.
function best(kernels, place, apart, like,    f, b, found) {
    best_form = 0
    for (f = 1; f <= forms; f++)
        for (b = 1; kernels_of[f] == kernels && (of_paper[f] == "") == apart && form[f] ~ like && b <= 5; b++)
            if (time(place, f, b) + 0 > 0 && (found == "" || time(place, f, b) < found)) {
                found = time(place, f, b)
                best_form = f
                best_b = b
            }
    return found
}

# Table II, with the times of its kernels.
function print_best(    k, place) {
    print "\neach kernel at its best: registers, threads of a block, memory, microseconds"
    printf "kernel  %-25s  %-25s  %s\n", "here", gpu[1], gpu[2]
    for (k = 1; k <= 7; k++) {
        printf "K%d    ", k
        for (place = 0; place <= 2; place++)
            if (best(k, place, 0) == "")
                printf "  %25s", ""
            else
                printf "  %3d  %3d  %s  %7.2f", place ? registers[place, best_form] : of_form(best_form, best_b, "registers"),
                       threads[best_b], (place ? of_paper[best_form] ~ /sh/ : form[best_form] ~ /shared/) ? "shared" : "global", time(place, best_form, best_b)
        print ""
    }
}

# Signatures of the kernels alone, and what they predict for the merged kernel: one launch, plus their times without launches, scaled
# by the bytes that are left. Nothing is fitted. This is strategy 1, where a value is loaded once; so it is held against its fastest form.
function print_merge(place, kernels,    k, one, apart, merged, busy, predicted, by_1) {
    merged = best(kernels, place, 0)
    apart = 0
    for (k = 1; k <= length(kernels); k++)
        apart = plus(apart, best(substr(kernels, k, 1), place, 0))
    if (apart == "" || merged == "")
        return
    busy = apart - length(kernels) * launch[place]
    predicted = launch[place] + busy * part_of(kernels)
    by_1 = best(kernels, place, 0, "_1_")
    printf "%-8s  %-8s  %8.2f  %8.2f  %8.2f  %8.2f  %9.2f%s%s  %6.2fx  %7.2fx  %6.2fx\n", place ? gpu[place] : "here", kernels,
           launch[place], apart, merged, merged - launch[place], predicted,
           cell(6, "%.2f", by_1), cell(5, "%+.0f%%", times(100, plus(over(predicted, by_1), -1))), apart / merged,
           busy / (merged - launch[place]), 1 / part_of(kernels)
}

function part_of(kernels) {
    gsub(/[0-9]/, "+K&", kernels)
    return part_left(set_of(substr(kernels, 2)))
}

function print_merges(    place) {
    print "\nmerged, each at its best: what the signatures alone predict for strategy 1, and its best; what is gained, and what\n" \
          "of that is left when launches are taken off both sides; microseconds"
    printf "%-8s  %-8s  a launch     apart    merged  its work  predicted    by 1    off     gain   of work    bytes\n", "", "kernels"
    for (place = 0; place <= 2; place++) {
        print_merge(place, "56")
        print_merge(place, "67")
        print_merge(place, "567")
    }
}

# Two kernels one after the other and at the same time. Here both are rows, of the same size.
function print_pair(place, pair, shown,    apart, together) {
    apart = place ? plus(best(substr(pair, 1, 1), place, 0), best(substr(pair, 2, 1), place, 0)) : best(pair, 0, 1)
    together = best(pair, place, 0)
    if (apart != "" && together != "")
        printf "%-8s  %-8s  %8.2f  %8.2f  %5.1f%%\n", place ? gpu[place] : "here", shown, apart, together, 100 * (1 - together / apart)
}

function print_pairs(    place) {
    print "\nat the same time, in two streams, each at its best; microseconds"
    printf "%-8s  %-8s     apart  together   saved\n", "", "kernels"
    for (place = 0; place <= 2; place++) {
        print_pair(place, "23", "2, 3")
        print_pair(place, "17", "7, 1")
    }
}

# --- whole programs ---

# The times of a program's parts alone, each at its best: "1 23 4 567".
function sum_of_parts(parts, place,    part, number, i, sum) {
    number = split(parts, part, " ")
    sum = 0
    for (i = 1; i <= number; i++)
        sum = plus(sum, best(part[i], place, 0))
    return sum
}

# Microseconds or seconds, and what is gained relative to the first program.
function with_gain(format, value, first) {
    return cell(9, format, value) cell(6, "%.1f%%", value == first ? "" : times(100, plus(1, times(-1, over(value, first)))))
}

function time_of_program(k, i) { return times(1e3, of_row(with_programs[k], "program_" program[i], "ms")) }

function print_programs(    i, k, line) {
    if (!have_programs)
        return
    print "\nwhole programs, microseconds of a time step and what is gained: here, and by the times of the GTX 480 above;\n" \
          "seconds of all steps, as the paper has them for the GTX 480"
    printf "%-20s", "program"
    for (k = 1; k <= have_programs; k++)
        printf "  %9s  gained", k == 1 ? "n=" run[with_programs[k], "n"] : "no K1"
    print "    by parts  gained    seconds  gained"
    for (i = 1; i <= programs; i++) {
        line = left(20, program[i])
        for (k = 1; k <= have_programs; k++)
            line = line with_gain("%.2f", time_of_program(k, i), time_of_program(k, 1))
        line = line with_gain("%.2f", sum_of_parts(parts_of[i], 2), sum_of_parts(parts_of[1], 2)) \
               with_gain("%.3f", seconds[i], seconds[1])
        sub(/ +$/, "", line)
        print line
    }
}
