# The plan of step 13: which design of a time step is the fastest? Three kinds of runs say it:
#
# 1. every design on one particle: its launches, waits and hand-overs, with next to no work;
# 2. the signature of each kernel, alone: what its launch takes for n particles and for one;
# 3. every design on n particles.
#
# From 1 and 2 follows what 3 will take: a design's time on one particle, plus the time that the kernels on its longest path take more
# for n. For merged kernels that time is scaled by the part of their values that is left. Nothing is fitted. All of it is printed, and
# written to a file where one is given, before the third kind is run. The rows are given designs. From md.graph the plan also finds all
# that the dependences allow, and predicts them from 2 (merges.awk).
#uses graph.awk merges.awk
#run always n=1
#run variant=slices
#show forecast
#run
#more

# The stages' rows that a problem in open space has. In a path a word is a launch and a digit is a kernel. Of launches side by side the
# path has the one that takes longest.
BEGIN {
    read_graph("md.graph")
    problem["n"] = 1 # values of a particle
    designs = split("slices seven_graph merged one_launch streams graph all_steps", design, " ")
    path["slices"] = path["seven_graph"] = "1 2 3 4 5 6 7"
    path["merged"] = "1 2 3 4 567"
    path["one_launch"] = "1 234567"
    path["streams"] = path["graph"] = "1 3 567"
    path["all_steps"] = "1234567"
}

END {
    predict()
    work_out()
    if (want == "forecast") {
        print_forecast()
        print_found()
    } else if (want == "forecast_in_json") {
        put_forecast()
    } else if (want == "more") {
        printf "%d\t", runs
        put_found()
        print ""
    } else {
        print_measured()
        print_found_measured()
    }
}

# --- predictions, in milliseconds ---

# Signatures: launches of the design that has one for each kernel.
function predict(    k, launch) {
    has_k1 = sweep["given.kernels"] != "rest"
    left_out[1] = !has_k1
    for (k = 1; k <= rows_of_graph; k++) {
        one_of_row[k] = of_row(1, row_name[k], "ms")
        measured_ms[k] = of_row(3, row_name[k], "ms")
    }
    launch = 0
    for (k = has_k1 ? 1 : 2; k <= 7; k++) {
        launch++
        of_one[k] = of_row(1, "slices", "launch" launch "_ms")
        of_all[k] = of_row(2, "slices", "launch" launch "_ms")
    }
    count_ranked = 0
    if (of_row(1, "slices", "launch1_ms") != "" && of_row(2, "slices", "launch1_ms") != "")
        for (k = 1; k <= designs; k++)
            if ((one[design[k]] = of_row(1, design[k], "ms")) != "") {
                predicted[design[k]] = one[design[k]] + work_of(path[design[k]])
                rank(design[k])
            }
}

# Keeps the designs that are predicted in their order, the fastest first.
function rank(name,    i) {
    for (i = ++count_ranked; i > 1 && predicted[ranked[i - 1]] > predicted[name]; i--)
        ranked[i] = ranked[i - 1]
    ranked[i] = name
}

# What n particles take more than one particle, along the path.
function work_of(path,    launch, launches, i, k, kernel, sum) {
    launches = split(path, launch, " ")
    for (i = 1; i <= launches; i++)
        for (k = 1; k <= length(launch[i]); k++) {
            kernel = substr(launch[i], k, 1)
            sum += (computes[kernel] ? 1 : part_left(set_of(named(launch[i])))) * most(0, of_all[kernel] - of_one[kernel])
        }
    return sum
}

# "K5+K6+K7", as the graph has it, for "567".
function named(digits) {
    gsub(/[0-9]/, "+K&", digits)
    return substr(digits, 2)
}

function shown(path) {
    if (!has_k1)
        sub(/^1 ?/, "", path)
    return path
}

# --- what is printed ---

function print_forecast(    k, i) {
    printf "plan %s on %s (%s)\n%s  n=%d%s\n\n", sweep["target"], device(), sweep["arch"], run[2, "title"], run[2, "n"],
           has_k1 ? "" : ", without the forces"
    print "signatures, alone, with a launch each; microseconds\n\nkernel  particle 1  particles n  values of a particle"
    for (k = 1; k <= 7; k++)
        if (of_all[k] != "")
            printf "K%d      %10.2f  %11.2f  %20d\n", k, 1e3 * of_one[k], 1e3 * of_all[k], moved(bit[k], 0)
    print "\ndesigns by what they are to take, before any of them is run on n particles; microseconds\n\n" \
          "design       longest path        particle 1  predicted"
    for (i = 1; i <= count_ranked; i++)
        printf "%-11s  %-18s  %10.2f  %9.2f\n", ranked[i], shown(path[ranked[i]]), 1e3 * one[ranked[i]], 1e3 * predicted[ranked[i]]
}

# Times are in milliseconds, as in all JSON. Designs are in the order of their ranks.
function put_forecast(    k, i, items) {
    printf "\"n\": %d,\n  \"signatures\": [", run[2, "n"]
    for (k = 1; k <= 7; k++)
        if (of_all[k] != "")
            printf "%s\n    {\"kernel\": %d, \"one_ms\": %.10g, \"all_ms\": %.10g, \"values\": %d}", items++ ? "," : "", k, of_one[k],
                   of_all[k], moved(bit[k], 0)
    printf "\n  ],\n  \"designs\": ["
    for (i = 1; i <= count_ranked; i++)
        printf "%s\n    {\"rank\": %d, \"name\": \"%s\", \"path\": \"%s\", \"one_ms\": %.10g, \"predicted_ms\": %.10g}",
               (i > 1 ? "," : ""), i, ranked[i], shown(path[ranked[i]]), one[ranked[i]], predicted[ranked[i]]
    printf "\n  ],\n  "
    put_found()
}

function measured(name) { return of_row(3, name, "ms") }

# A design's place by measured time, from 1.
function place_of(name,    i, place) {
    place = 1
    for (i = 1; i <= count_ranked; i++)
        place += measured(ranked[i]) < measured(name)
    return place
}

function print_measured(    i, name) {
    printf "\nthe same, %s\n\ndesign       predicted  %s  off  place\n", sweep["is_sim"] ? "and as it is modelled" : "and measured",
           sweep["is_sim"] ? "modelled" : "measured"
    for (i = 1; i <= count_ranked; i++) {
        name = ranked[i]
        printf "%-11s  %9.2f  %8.2f  %+3.0f%%  %5d\n", name, 1e3 * predicted[name], 1e3 * measured(name),
               times(100, over(predicted[name], measured(name)) - 1), place_of(name)
    }
}
