# The study of step 05: time and counters of many block shapes, at the paper's 8192 and at 2048. 8192 would take days on the
# simulator: there the size is 512, on a slice that is as full.
#run study gpu:n=2048/8192 sim:n=512
#plots
#more

# What is said of a row, in the order of the paper's table I. For each nvprof metric of the paper it is the counter of Nsight
# Compute that replaced the metric.
BEGIN {
    measures = split("time_ms global_load shared_load stall_memory_dependency shared_efficiency occupancy registers", measure, " ")
    counter["global_load"] = "smsp__inst_executed_op_global_ld.sum"
    counter["shared_load"] = "smsp__inst_executed_op_shared_ld.sum"
    counter["stall_memory_dependency"] = "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct"
    counter["shared_efficiency"] = "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"
    counter["occupancy"] = "sm__warps_active.avg.pct_of_peak_sustained_active"
    title["time_ms"] = "time, ms"
    title["stall_memory_dependency"] = "stall_memory_dependency, %"
    title["shared_efficiency"] = "shared_efficiency, %"
    title["occupancy"] = "achieved_occupancy, %"
    format["time_ms"] = "%.4g"
    format["global_load"] = format["shared_load"] = "%.0f"
    format["stall_memory_dependency"] = format["shared_efficiency"] = format["occupancy"] = "%.1f"
    best_of_paper = "b16x16_v64"
    device_of_paper = "GeForce GTX 1050 Max-Q, CUDA 10.1"
    size_of_paper = 8192
}
$1 == "paper" { best[$2] = $3; cublas[$2] = $4 }

END {
    if (want == "tables")
        tables()
    else if (want == "more")
        more()
    else if (can_plot())
        for (number = 1; number <= 10; number++)
            plot_figure(number)
}

# Achieved occupancy if it was counted, else the occupancy that the GPU has room for.
function measured(r, i, which) {
    if (which == "time_ms")
        return row[r, i, "ms"]
    if (which == "registers")
        return row[r, i, "registers"]
    if (which == "occupancy" && row[r, i, counter[which]] == "")
        return times(100, row[r, i, "occupancy"])
    return row[r, i, counter[which]]
}

# --- shapes, and the loads that follow from them ---

# Takes a shape from the name of a row, "b16x8_v4" or "b16x16_v64_k32": a block of so many threads, each of which computes so many
# values of C, a square; the length of a panel, which is the k that are in shared memory at a time.
function is_shape(name,    part) {
    if (name !~ /^b[1-9][0-9]*x[1-9][0-9]*_v[1-9][0-9]*(_k[1-9][0-9]*)?$/)
        return 0
    split(substr(name, 2), part, /[xvk_]+/)
    wide = part[1]
    high = part[2]
    values = part[3]
    inner = part[4] == "" ? 16 : part[4]
    side = int(sqrt(values) + 0.5)
    return side * side == values
}

function is_row_of_shape(r, i) { return !row[r, i, "is_baseline"] && is_shape(row[r, i, "name"]) }

function pieces(size, piece) { return int((size + piece - 1) / piece) }

# Predicts the load instructions of warps for the shape that is_shape() took: (1 / (width side) + 1 / (height side)) m n k / 32 from
# global memory and (1 + 1/4) / side m n k / 32 from shared memory, where m and n are rounded up to whole blocks and k to whole
# panels. A block loads each element of its two tiles once a panel, 32 elements with one instruction. For each k a thread reads
# `side` elements of B, one by one, and `side` elements of A, of which one instruction reads four neighbouring k.
function predict(m, n, k,    panels) {
    panels = pieces(m, high * side) * pieces(n, wide * side) * pieces(k, inner)
    predicted["global_load"] = panels * (high + wide) * side * inner / 32
    predicted["shared_load"] = panels * wide * high / 32 * inner * (side + side / 4)
}

function predict_row(r, i) {
    is_row_of_shape(r, i)
    predict(run[r, "m"], run[r, "n"], run[r, "k"])
}

function is_counted(r, i) { return measured(r, i, "global_load") != "" && measured(r, i, "shared_load") != "" }

# Counts are whole numbers, so they must be equal.
function is_as_predicted(r, i) {
    return measured(r, i, "global_load") == predicted["global_load"] && measured(r, i, "shared_load") == predicted["shared_load"]
}

# --- the paper's figures ---

# Makes the grid of a figure: points along an axis, and a value of each series at each. Experiment 1 of the paper has four numbers
# of values, experiment 2 three blocks.
function make_figure(number, r) {
    points = series = has_values = 0
    is_log = number != 5 && number != 8 && number != 10
    if (number == 1)
        over_blocks(number, r, "time_ms", "1", ", 1 value per thread")
    else if (number == 2)
        over_values(number, r, "time_ms", "16x16", ", blocks of 16x16")
    else if (number == 3)
        over_values(number, r, "global_load shared_load stall_memory_dependency", "16x16", ", blocks of 16x16")
    else if (number == 4 || number == 5 || number == 9 || number == 10)
        over_blocks(number, r, number == 4 ? "time_ms" : number == 5 ? "stall_memory_dependency" : \
                    number == 9 ? "global_load" : "shared_efficiency", "1 4 16 64", "")
    else
        over_values(number, r, number == 6 ? "shared_load" : number == 7 ? "time_ms" : "occupancy", "8x8 16x16 32x16", "")
}

function name_figure(number, r, what, over_what, of) {
    figure_title = "figure " number ": " (sweep["is_sim"] && what == "time, ms" ? "modelled " : "") what " over " over_what of
}

function title_of(which) { return which in title ? title[which] : which }

function set_value(p, s, name, which, r) {
    grid[p, s] = (r, name) in index_of ? measured(r, index_of[r, name], which) : ""
    has_values = has_values || grid[p, s] != ""
}

function add_series(label, which) {
    series_label[++series] = label
    series_format[series] = format[which]
}

function over_blocks(number, r, which, list, of,    value, count, block, blocks, s, b) {
    name_figure(number, r, title_of(which), "the block's shape", of)
    axis = "block"
    count = split(list, value, " ")
    for (s = 1; s <= count; s++)
        add_series(value[s] " value" (value[s] == 1 ? "" : "s"), which)
    if (number == 1) { # with the kernel that uses no shared memory
        point_label[++points] = "none: step 01"
        grid[points, 1] = run[r, "first_stage"] == "" ? "" : measured(r, run[r, "first_stage"], which)
        has_values = grid[points, 1] != ""
    }
    blocks = split("8x8 16x8 16x16 32x16 32x32", block, " ")
    for (b = 1; b <= blocks; b++) {
        point_label[++points] = block[b]
        for (s = 1; s <= count; s++)
            set_value(points, s, "b" block[b] "_v" value[s], which, r)
    }
}

function over_values(number, r, list, blocks, of,    which, whichs, block, count, value, b, w, s) {
    whichs = split(list, which, " ")
    name_figure(number, r, whichs > 1 ? "loads and waits" : title_of(which[1]), "values per thread", of)
    axis = "values"
    points = split("1 4 16 36 64 100 144", point_label, " ")
    count = split(blocks, block, " ")
    for (b = 1; b <= count; b++)
        for (w = 1; w <= whichs; w++) {
            add_series(whichs > 1 ? which[w] : block[b], which[w])
            for (s = 1; s <= points; s++)
                set_value(s, series, "b" block[b] "_v" point_label[s], which[w], r)
        }
}

$1 == "row" && $4 == "name" { index_of[$2, $5] = $3 }

function print_figure(number, r,    p, s) {
    make_figure(number, r)
    if (!has_values) {
        print "\n" figure_title ": not counted here"
        return
    }
    printf "\n%s\n%-13s", figure_title, axis
    for (s = 1; s <= series; s++)
        printf "  %s", right(most(11, length(series_label[s])), series_label[s])
    print ""
    for (p = 1; p <= points; p++) {
        printf "%-13s", point_label[p]
        for (s = 1; s <= series; s++)
            printf "%s", cell(most(11, length(series_label[s])), series_format[s], grid[p, s])
        print ""
    }
}

# --- tables ---

function tables(    r, i, spills) {
    print head() ", block shapes of " run[1, "title"] " " run[1, "usual_type"]
    for (r = 1; r <= runs; r++) {
        printf "\n--- m=%d n=%d k=%d\n\n", run[r, "m"], run[r, "n"], run[r, "k"]
        print_shapes(r)
        for (i = 1; i <= 10; i++)
            print_figure(i, r)
        print_predictions(r)
        print_table(r)
    }
    print "\nof its figures the paper's text gives no numbers: they are in its table I alone"
    if (!sweep["is_sim"])
        return
    print "times are modelled from the counters, not measured, and occupancy is what the GPU has room for;\n" \
          "waits are not counted on the simulator"
    for (i = 1; i <= run[1, "rows"]; i++)
        spills = spills || row[1, i, "spills"]
    if (spills)
        print "no time is modelled of shapes with local bytes: their registers are spilled, which the model does not see"
    if (!sweep["has_sizes"])
        print "\non the simulator the size is 512, in place of 2048 and 8192; -n gives another"
}

function print_shapes(r,    i, reference) {
    reference = run[r, "timed_reference"]
    printf "%-15s  registers  local B  shared B  occupancy  %9s     GFLOPS  %9s\n", "shape",
           sweep["is_sim"] ? "modelled" : "time ms", reference ? "of cuBLAS" : ""
    for (i = 1; i <= run[r, "rows"]; i++) {
        if (!is_row_of_shape(r, i))
            continue
        printf "%-15s", row[r, i, "name"]
        if (row[r, i, "skipped"] != "") {
            print "  " row[r, i, "skipped"]
            continue
        }
        printf "%s%s%s%s%s%s", cell(9, "%d", row[r, i, "registers"]), cell(7, "%d", row[r, i, "local_bytes"]),
               cell(8, "%d", row[r, i, "shared_bytes"]), cell(9, "%.1f%%", times(100, row[r, i, "occupancy"])),
               cell(9, "%.4g", row[r, i, "ms"]), cell(9, "%.0f", row[r, i, "gflops"])
        print reference ? cell(9, "%.1f%%", times(100, over(row[r, reference, "ms"], row[r, i, "ms"]))) : ""
    }
}

function print_predictions(r,    i, counted, as_predicted) {
    printf "\nloads as predicted from the shape, and as counted\n%-15s     global_load         counted     shared_load" \
           "         counted\n", "shape"
    for (i = 1; i <= run[r, "rows"]; i++) {
        if (!is_row_of_shape(r, i))
            continue
        predict_row(r, i)
        printf "%-15s%s%s%s%s", row[r, i, "name"], cell(14, "%.0f", predicted["global_load"]),
               cell(14, "%.0f", measured(r, i, "global_load")), cell(14, "%.0f", predicted["shared_load"]),
               cell(14, "%.0f", measured(r, i, "shared_load"))
        counted += is_counted(r, i)
        as_predicted += is_counted(r, i) && is_as_predicted(r, i)
        print !is_counted(r, i) ? "" : is_as_predicted(r, i) ? "  equal" : "  differs"
    }
    if (counted)
        printf "%d of %d shapes counted as predicted\n", as_predicted, counted
    else
        print "nothing was counted: --profile does"
}

# Table I, with the paper's best kernel by its listing, the same kernel here, the fastest here, and the library.
function print_table(r,    i, m, own, fastest, reference) {
    own = place[r, best_of_paper]
    for (i = 1; i <= run[r, "rows"]; i++) {
        reference = reference == "" && row[r, i, "is_reference"] ? i : reference
        if (is_row_of_shape(r, i) && row[r, i, "ms"] != "" && (fastest == "" || row[r, i, "ms"] < row[r, fastest, "ms"]))
            fastest = i
    }
    is_shape(best_of_paper)
    predict(size_of_paper, size_of_paper, size_of_paper)
    predicted["time_ms"] = "" # and no other of these
    printf "\nthe paper's table I, at %d on a %s, and here at %d\n%-24s", size_of_paper, device_of_paper, run[r, "n"], ""
    printf "    paper's best  by its listing  paper's cuBLAS  %14s  %14s  %14s\n", best_of_paper, row[r, fastest, "name"],
           (reference == "" ? "" : "cuBLAS")
    for (i = 1; i <= measures; i++) {
        m = measure[i]
        printf "%-24s%s%s%s%s%s%s\n", (m == "time_ms" ? "time, ms" : m), cell(14, "%.4g", best[m]),
               cell(14, "%.4g", predicted[m]), cell(14, "%.4g", cublas[m]), cell(14, "%.4g", measured(r, own, m)),
               cell(14, "%.4g", measured(r, fastest, m)), cell(14, "%.4g", measured(r, reference, m))
    }
}

# --- plots: of the last run; figure 7 in characters, too ---

function plot_figure(number,    p, s, data, script, of) {
    make_figure(number, runs)
    if (!has_values)
        return
    for (p = 1; p <= points; p++) {
        data = data "\"" point_label[p] "\""
        for (s = 1; s <= series; s++)
            data = data point(grid[p, s], "%.6g")
        data = data "\n"
    }
    of = figure_title ", m = n = k = " run[runs, "n"] (sweep["is_sim"] ? " (simulated)" : "")
    script = "set grid\n" (is_log ? "set logscale y" : "set yrange [0:*]") "\nset format y '%g'\nset xlabel '" axis \
             "'\nset offsets 0.3, 0.3, 0, 0\nset title \"" of "\"\nset key outside top center horizontal noenhanced\n" \
             "set title noenhanced\nplot"
    for (s = 1; s <= series; s++)
        script = script (s > 1 ? "," : "") " $data using " (s + 1) ":xtic(1) with linespoints title '" series_label[s] "'"
    plot("figure" number, "900,480", data, script, number == 7)
}

# --- JSON ---

function loads() { return sprintf("{\"global_load\": %.0f, \"shared_load\": %.0f}", predicted["global_load"], predicted["shared_load"]) }

function kernel(name, figures,    i, text) {
    for (i = 1; i <= measures; i++)
        text = text (i > 1 ? ", " : "") "\"" measure[i] "\": " figures[measure[i]]
    return "\"" name "\": {" text "}"
}

function more(    r, i, text) {
    for (r = 1; r <= runs; r++) {
        text = ""
        for (i = 1; i <= run[r, "rows"]; i++) {
            if (!is_row_of_shape(r, i))
                continue
            predict_row(r, i)
            text = text (text == "" ? "" : ", ") sprintf("{\"name\": \"%s\", \"width\": %d, \"height\": %d, \"values\": %d, " \
                   "\"inner\": %d, \"predicted\": %s%s}", row[r, i, "name"], wide, high, values, inner, loads(),
                   !is_counted(r, i) ? "" : ", \"counted_as_predicted\": " (is_as_predicted(r, i) ? "true" : "false"))
        }
        is_shape(best_of_paper)
        predict(size_of_paper, size_of_paper, size_of_paper)
        printf "%d\t\"shapes\": [%s], \"paper\": {\"device\": \"%s\", \"size\": %d, \"row\": \"%s\", %s, %s, " \
               "\"best_by_its_listing\": %s}\n", r, text, device_of_paper, size_of_paper, best_of_paper,
               kernel("best", best), kernel("cublas", cublas), loads()
    }
}
