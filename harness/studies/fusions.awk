# The plan of step 08: which kernels of a summation should be one? It is made from a row that has a launch for each of its kernels, on
# a problem of size 1 and on the whole one; summation.graph says what they read and write. Then come the rows that are such designs.
#uses graph.awk merges.awk
#run always m=1 n=1 k=1 variant=cuda_gemv
#run variant=cuda_gemv
#show forecast
#run variant=cuda_gemv,cuda_unfused,fused
#more

BEGIN { read_graph("summation.graph") }

END {
    problem["m"] = run[2, "m"]
    problem["n"] = run[2, "n"]
    problem["k"] = run[2, "k"]
    for (k = 1; k <= kernels; k++) {
        of_one[k] = of_row(1, row_name[1], "launch" k "_ms")
        of_all[k] = of_row(2, row_name[1], "launch" k "_ms")
    }
    for (r = 1; r <= rows_of_graph; r++) {
        one_of_row[r] = of_row(1, row_name[r], "ms")
        measured_ms[r] = of_row(3, row_name[r], "ms")
    }
    work_out()
    if (want == "forecast") {
        printf "plan %s on %s (%s)\n%s  %s\n\n", sweep["target"], device(), sweep["arch"], run[2, "title"], run[2, "sizes"]
        print "signatures, alone, with a launch each; microseconds\n\nkernel      size 1     this size"
        for (k = 1; k <= kernels; k++)
            if (of_all[k] != "")
                printf "%-8s  %8.2f  %12.2f\n", name_of[k], 1e3 * of_one[k], 1e3 * of_all[k]
        print_found()
    } else if (want == "forecast_in_json") {
        put_found()
    } else if (want == "more") {
        printf "%d\t", runs
        put_found()
        print ""
    } else {
        print_found_measured()
    }
}
