# The study of the matrix product: GFLOPS over size, cubes from 64 to 8192, at sizes that tiles fit and sizes beside these. It
# stops earlier on the simulator, where large sizes would take hours.
#run lot gpu:n=256/511/512/513/1000/1023/1024/1025/2047/2048/2049/4095/4096/4097/8191/8192/8193 sim:n=64/128/256/257/384/512/513/768
#plots

BEGIN { last_on_sim = 768; last_on_gpu = 8193 }

END {
    if (want == "tables")
        tables()
    else if (can_plot())
        for (first = 1; first <= runs; first = last + 1)
            plot_group(first, last = last_of_group(first))
}

# Runs of one form and type are consecutive, and have the same rows.
function last_of_group(first,    last) {
    for (last = first; last < runs && group_of(last + 1) == group_of(first); last++)
        ;
    return last
}

function group_of(r) { return run[r, "form"] " " run[r, "type"] }

function is_cube(r) { return run[r, "m"] == run[r, "n"] && run[r, "n"] == run[r, "k"] }
function size_of(r)    { return is_cube(r) ? run[r, "n"] : run[r, "m"] " x " run[r, "n"] " x " run[r, "k"] }

# Speeds are compared with the library's, or the first stage's where the library's work is not simulated.
function speed(r, i) { return row[r, i, "gflops"] }
function ratio(r, i) { return over(speed(r, i), speed(r, run[r, "base"])) }

# --- tables ---

function tables(    first, last) {
    print head()
    for (first = 1; first <= runs; first = last + 1)
        print_group(first, last = last_of_group(first))
    if (sweep["is_sim"])
        print_notes()
    if (!sweep["is_sim"] || sweep["has_sizes"] || sweep["given.lot"])
        return
    printf "\non the simulator the sizes end at %d, in place of %d; -n gives another\n", last_on_sim, last_on_gpu
    if (fills_few_sms && !sweep["given.sms"] && sweep["sms"] > 3)
        printf "small sizes fill a part of all %d SMs: --sms 3 takes a slice that they fill\n", sweep["sms"]
}

BEGIN { fills_few_sms = 1 }

# What a run of one size says, too: rows without a modelled time, and steps whose times no GPU has confirmed.
function print_notes(    first, last, r, i, sizes, bytes) {
    for (first = 1; first <= runs; first = last + 1) {
        last = last_of_group(first)
        for (i = 1; i <= run[first, "rows"]; i++) {
            sizes = ""
            for (r = first; r <= last; r++)
                if (row[r, i, "is_ok"] && row[r, i, "local_bytes"] + 0 > 0 && not_0(speed(r, i)) == "") {
                    sizes = sizes (sizes == "" ? "" : ", ") size_of(r)
                    bytes = row[r, i, "local_bytes"]
                }
            if (sizes != "")
                printf "\nno modelled time of %s%s%s at %s: its machine code has %d bytes of each thread in\n" \
                       "local memory (spilled registers, or arrays), whose traffic the model does not see\n", row[first, i, "name"],
                       (run[first, "form"] == "" ? "" : " " run[first, "form"]), " " type_of(first), sizes, bytes
        }
    }
    if (substr(sweep["target"], 5) + 0 > 7)
        print "\nmodelled times of steps after 07 have not been validated on a GPU"
}

function print_group(first, last,    base) {
    base = run[first, "base"]
    size_width = 9
    for (r = first; r <= last; r++)
        size_width = most(size_width, length(size_of(r)))
    printf "\n%s%s %s%s\n\n", run[first, "title"], (run[first, "form"] == "" ? "" : " " run[first, "form"]), type_of(first),
           run[first, "factors"]
    print "GFLOPS over size" (sweep["is_sim"] ? ", modelled from the counters, not measured" : "")
    print_names(first)
    for (r = first; r <= last; r++) {
        printf "%s", right(size_width, size_of(r))
        for (i = 1; i <= run[r, "rows"]; i++)
            printf "%s", cell(width_of(first, i), "%.0f", not_0(speed(r, i)))
        print ""
    }
    if (base == "")
        return
    print "\ntimes the speed of " row[first, base, "name"]
    print_names(first)
    for (r = first; r <= last; r++) {
        printf "%s", right(size_width, size_of(r))
        for (i = 1; i <= run[r, "rows"]; i++)
            printf "%s", cell(width_of(first, i), "%.2fx", not_0(ratio(r, i)))
        print ""
    }
    print_over_all(first, last, "mean") # geometric: these are ratios
    print_over_all(first, last, "least")
}

function type_of(r) { return run[r, "type"] == "" ? run[r, "usual_type"] : run[r, "type"] }
function width_of(first, i) { return most(9, length(row[first, i, "name"])) }

function print_names(first) {
    printf "%s", right(size_width, is_cube(first) ? "m = n = k" : "m x n x k")
    for (i = 1; i <= run[first, "rows"]; i++)
        printf "  %s", right(width_of(first, i), row[first, i, "name"])
    print ""
}

# Of a row that has a ratio at all sizes.
function print_over_all(first, last, which,    sum, lowest, count) {
    printf "%s", right(size_width, which)
    for (i = 1; i <= run[first, "rows"]; i++) {
        sum = count = 0
        lowest = ""
        for (r = first; r <= last; r++)
            if (ratio(r, i) + 0 > 0) {
                sum += log(ratio(r, i))
                lowest = least(lowest, ratio(r, i))
                count++
            }
        printf "%s", cell(width_of(first, i), "%.2fx", count <= last - first ? "" : which == "mean" ? exp(sum / count) : lowest)
    }
    print ""
}

# --- plots ---

function plot_group(first, last,    data, script, of, is_all) {
    is_all = first == 1 && last == runs
    for (r = first; r <= last; r++) {
        data = data run[r, "n"]
        for (i = 1; i <= run[r, "rows"]; i++)
            data = data point(not_0(speed(r, i)), "%g")
        data = data "\n"
    }
    of = sweep["target"] (run[first, "form"] == "" ? "" : " " run[first, "form"]) (run[first, "type"] == "" ? "" : " " run[first, "type"])
    script = "set grid\nset logscale x 2\nset logscale y\nset format y '%g'\nset xlabel '" (is_cube(first) ? "m = n = k" : "n") \
             "'\nset ylabel 'GFLOPS" (sweep["is_sim"] ? " (modelled)" : "") "'\nset title '" of \
             "'\nset key outside top center horizontal noenhanced\nplot"
    for (i = 1; i <= run[first, "rows"]; i++)
        script = script (i > 1 ? "," : "") " $data using 1:" (i + 1) " with linespoints" \
                 (row[first, i, "is_baseline"] ? " dashtype 2" : "") " title '" row[first, i, "name"] "'"
    plot("gflops" (is_all ? "" : "-" (run[first, "form"] == "" ? "nn" : run[first, "form"]) "-" \
                                     (run[first, "type"] == "" ? "f32" : run[first, "type"])), "900,480", data, script, 1)
}
