# The study of the kernel-summation paper: K in {32, 64, 128, 256} by M from 1024 to 524288 at N = 1024; the products alone, of step 07
# (as in cuda_unfused) and of cuBLAS; and the kernels of the study's own. The simulator has two smaller M, since the large ones would
# take hours. Other rows of step 08 lead from one of those named here to the next.
#run k=32/64/128/256 gpu:m=1024/8192/32768/131072/524288 sim:m=1024/4096 n=1024 variant=cublas_unfused,cublas_gemv,cuda_gemv,cuda_unfused,fused,fused_fast,tensor_cores gpu:energy=1 sim:energy=0
#run all target=step07.3 k=32/64/128/256 gpu:m=1024/8192/32768/131072/524288 sim:m=1024/4096 n=1024
#run all study k=32/64/128/256 gpu:m=131072 sim:m=1024 n=1024 energy=0
#plots
#more

$1 == "paper" {
    cublas_peak[$2, $3] = $4
    fused_peak[$2, $3] = $5
    saved[$2, $3] = $6
}

# Runs of each part: the paper's problem, the product alone, the study's own kernels.
$1 == "run" && $3 == "family" && $4 == "gemm" { part[$2] = "product" }
$1 == "row" && $4 == "is_of_study" { part[$2] = "layouts" }
$1 == "row" && $4 == "name" && part[$2] == "" { part[$2] = "paper" }

END {
    names = split("cublas_unfused cublas_gemv cuda_gemv cuda_unfused fused fused_fast tensor_cores", name, " ")
    unfused = 4 # the first so many are
    # What speedups, shares and savings refer to: where a library's work is not counted, our own takes its place.
    base = sweep["is_sim"] ? "cuda_unfused" : "cublas_unfused"
    base_gemv = sweep["is_sim"] ? "cuda_gemv" : "cublas_gemv"
    if (want == "tables")
        tables()
    else if (want == "more")
        more()
    else if (can_plot())
        plots()
}

function paper_of(r, figures) { return figures[run[r, "k"], run[r, "m"]] }
function speedup(r, over_what, which) { return over(of_row(r, over_what, "ms"), of_row(r, which, "ms")) }

# The paper gives its figure 6 as a plot. Both rows count the same operations, so its table II says by how much Fused was faster.
function speedup_of_paper(r) { return over(paper_of(r, fused_peak), paper_of(r, cublas_peak)) }

function traffic(r, which, unit) {
    return unit == "DRAM bytes" ? plus(of_row(r, which, "dram__bytes_read.sum"), of_row(r, which, "dram__bytes_write.sum")) \
                                : plus(of_row(r, which, "lts__t_sectors_op_read.sum"), of_row(r, which, "lts__t_sectors_op_write.sum"))
}

function any(which, figure,    r) {
    for (r = 1; r <= runs; r++)
        if (part[r] == "paper" && of_row(r, which, figure) + 0 > 0)
            return 1
    return 0
}

# --- the paper's tables: a line for each of its runs ---

function put(text) { printf "%15s", text }
function put_cell(format, value) { printf "%s", cell(13, format, not_0(value)) }

function begin(title) { printf "\n%s\n   K       M", title }
function begin_line(r) { printf "%4d %7d", run[r, "k"], run[r, "m"] }

function put_names(i) {
    for (i = 1; i <= names; i++)
        put(name[i])
}

# One figure of each row that the paper compares.
function table(title, what,    r, i) {
    begin(title)
    put_names()
    if (what == "efficiency")
        printf "%15s%15s", "GTX970 cuBLAS", "GTX970 Fused"
    print ""
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        begin_line(r)
        for (i = 1; i <= names; i++)
            if (what == "efficiency")
                put_cell("%.1f%%", times(1e11, over(of_row(r, name[i], "gflops"), run[r, "peak_fp32"])))
            else
                put_cell("%.4g", of_row(r, name[i], what))
        if (what == "efficiency") {
            put_cell("%.1f%%", paper_of(r, cublas_peak))
            put_cell("%.1f%%", paper_of(r, fused_peak))
        }
        print ""
    }
}

# The times of all rows, with the repeatable forms if they were asked for.
function table_of_times(    r, i, which) {
    begin(sweep["is_sim"] ? "modelled time, ms" : "time, ms")
    for (i = 1; i <= run[1, "rows"]; i++)
        printf "  %13s", row[1, i, "name"]
    print ""
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        begin_line(r)
        for (i = 1; i <= run[1, "rows"]; i++) {
            which = row[1, i, "name"]
            printf "%s", cell(most(13, length(which)), "%.4g", of_row(r, which, "ms"))
        }
        print ""
    }
}

function table_of_speedups(    r, i, j) {
    begin("speedup (the paper's figure 6)")
    for (i = unfused + 1; i <= names; i++)
        for (j = 1; j <= unfused; j++)
            put(name[i])
    printf "%15s\n%12s", "GTX970 Fused", ""
    for (i = unfused + 1; i <= names; i++)
        for (j = 1; j <= unfused; j++)
            put(name[j])
    printf "%15s\n", "over cuBLAS"
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        begin_line(r)
        for (i = unfused + 1; i <= names; i++)
            for (j = 1; j <= unfused; j++)
                put_cell("%.2fx", speedup(r, name[j], name[i]))
        put_cell("%.2fx", speedup_of_paper(r))
        print ""
    }
}

function table_of_traffic(of, unit,    r, i) {
    begin(unit ", and per cent of that of " of " (the paper's figure 8)")
    put(of)
    for (i = 1; i <= names; i++)
        if (name[i] != of)
            put(name[i])
    print ""
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        begin_line(r)
        put_cell("%.4g", traffic(r, of, unit))
        for (i = 1; i <= names; i++)
            if (name[i] != of)
                put_cell("%.1f%%", times(100, over(traffic(r, name[i], unit), traffic(r, of, unit))))
        print ""
    }
}

function table_of_energy(how, figure,    r, i, own, whole) {
    begin("energy " how ", mJ, and saved against " base " (the paper's table III)")
    put(base)
    for (i = unfused + 1; i <= names; i++)
        printf "%15s%15s", name[i], "saved"
    printf "%15s\n", "GTX970 saved"
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        whole = of_row(r, base, figure)
        begin_line(r)
        put_cell("%.4g", times(1e3, whole))
        for (i = unfused + 1; i <= names; i++) {
            own = of_row(r, name[i], figure)
            put_cell("%.4g", times(1e3, own))
            printf "%s", cell(13, "%.1f%%", own == "" || whole == "" ? "" : 100 * (1 - own / whole))
        }
        put_cell("%.1f%%", paper_of(r, saved))
        print ""
    }
}

BEGIN { components = split("joules_arithmetic joules_shared joules_l2 joules_dram", component, " ") }

function table_of_components(    r, i, c) {
    begin("modelled energy by component, per cent (the paper's figure 9)")
    printf "  %-15s%15s%15s%15s%15s\n", "kernel", "arithmetic", "shared memory", "L2", "DRAM"
    for (r = 1; r <= runs; r++)
        for (i = 1; i <= names; i++) {
            if (part[r] != "paper" || of_row(r, name[i], "joules_modelled") == "")
                continue
            begin_line(r)
            printf "  %-15s", name[i]
            for (c = 1; c <= components; c++)
                put_cell("%.1f", 100 * of_row(r, name[i], component[c]) / of_row(r, name[i], "joules_modelled"))
            print ""
        }
}

# --- what the study takes beside the paper's problem ---

function table_of_products(    r, own, theirs) {
    print "\nthe product alone, time of that of step 07 over cuBLAS's (the paper's figure 7)\n" \
          "   K       M         placed         cuBLAS     over cuBLAS"
    for (r = 1; r <= runs; r++) {
        if (part[r] != "product")
            continue
        own = of_row(r, "placed", "ms")
        theirs = of_row(r, run[r, "reference"], "ms")
        begin_line(r)
        print cell(13, "%.4g", own) cell(13, "%.4g", theirs) cell(13, "%.2fx", over(own, theirs))
    }
    print sweep["is_sim"] ? "modelled, ms; what cuBLAS does is not simulated" : "in ms"
}

# A count for each multiply-add of a warp.
function each(r, i, counter) {
    return times(32, over(row[r, i, counter], row[r, i, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"]))
}

function table_of_layouts(    r, i) {
    printf "\nthe paper's kernel in the layout of its figure 5, microtiles, and what it weighs that against\n" \
           "   K       M  %-16s   time ms    speed  threads  registers  local B  occupancy  wavefronts   conflicts     sectors\n",
           "kernel"
    for (r = 1; r <= runs; r++)
        for (i = 1; i <= run[r, "rows"]; i++) {
            if (part[r] != "layouts" || !row[r, i, "is_of_study"] || !row[r, i, "is_ok"])
                continue
            begin_line(r)
            printf "  %-16s", row[r, i, "name"]
            print cell(8, "%.4g", row[r, i, "ms"]) cell(7, "%.2fx", over(of_row(r, "microtiles", "ms"), row[r, i, "ms"])) \
                  cell(7, "%d", row[r, i, "threads_x"]) cell(9, "%d", row[r, i, "registers"]) \
                  cell(7, "%d", row[r, i, "local_bytes"]) cell(9, "%.0f%%", times(100, row[r, i, "occupancy"])) \
                  cell(10, "%.4f", each(r, i, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")) \
                  cell(10, "%.4f", each(r, i, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")) \
                  cell(10, "%.4f", each(r, i, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))
        }
    print "wavefronts and conflicts of loads from shared memory, and sectors loaded, for each multiply-add of a warp"
}

# --- the whole ---

function has_part(which,    r) {
    for (r = 1; r <= runs; r++)
        if (part[r] == which)
            return 1
    return 0
}

function tables(    counts) {
    counts = any(base, "lts__t_sectors_op_read.sum")
    print head() ", " run[1, "title"] " " run[1, "usual_type"] ", n=" run[1, "n"]
    table_of_times()
    table("FLOP efficiency, achieved over peak (the paper's table II)", "efficiency")
    table_of_speedups()
    # relative to the strong baseline, and to the paper's own unfused form, which also writes K
    for (i = 1; i <= 2; i++)
        if (any(i == 1 ? base : base_gemv, "lts__t_sectors_op_read.sum")) {
            table_of_traffic(i == 1 ? base : base_gemv, "L2 sectors")
            table_of_traffic(i == 1 ? base : base_gemv, "DRAM bytes")
        }
    if (counts)
        table("L2 misses, sectors read from DRAM, in 1000 warp instructions (the paper's figure 2)", "misses")
    if (any(base, "joules"))
        table_of_energy("measured, of the whole board", "joules")
    if (any(base, "joules_modelled")) {
        table_of_energy("modelled from the counters", "joules_modelled")
        table_of_components()
    }
    if (has_part("product"))
        table_of_products()
    if (has_part("layouts"))
        table_of_layouts()
    print "\nGTX970: the paper's values, on a GeForce GTX 970 with cuBLAS 7.0; its speedup is the ratio of its\n" \
          "efficiencies in table II"
    if (counts)
        print "traffic is counted with cold caches at the start of every kernel"
    if (!sweep["is_sim"])
        return
    print "times are modelled from the counters, not measured: " sweep["device"] ". What cuBLAS does is not simulated:\n" \
          "its rows have no time, and cuda_unfused and cuda_gemv stand in their place"
    if (!sweep["given.m"])
        print "on the simulator M is 1024 and 4096, in place of 1024 to 524288; -m gives another"
}

# The paper's values, so that a plot needs no other source.
function more(    r) {
    for (r = 1; r <= runs; r++)
        if (part[r] == "paper" && (run[r, "k"], run[r, "m"]) in saved)
            printf "%d\t\"paper\": {\"device\": \"GeForce GTX 970, cuBLAS 7.0\", \"cublas_unfused_percent_of_peak\": %s, " \
                   "\"fused_percent_of_peak\": %s, \"percent_of_energy_saved\": %s}\n", r, paper_of(r, cublas_peak),
                   paper_of(r, fused_peak), paper_of(r, saved)
}

# --- plots ---

function plots(    r, i, data, count, are_known) {
    for (r = 1; r <= runs; r++) {
        if (part[r] != "paper")
            continue
        count++
        data = data "\"" run[r, "k"] ", " run[r, "m"] "\""
        for (i = unfused + 1; i <= names; i++) {
            are_known = are_known || speedup(r, base, name[i]) != ""
            data = data point(speedup(r, base, name[i]), "%.4g")
        }
        data = data point(speedup_of_paper(r), "%.4g") "\n"
    }
    if (are_known) # the paper's values alone make no plot
        plot_speedups(data, count)
    data = energies()
    if (data != "")
        plot_energy(data)
}

function plot_speedups(data, count,    of) {
    of = base
    sub(/_/, " ", of)
    plot("figure6", "900,420", data,
         "set style data histograms\nset style histogram clustered\nset style fill solid 0.7\n" \
         "set title 'Speedup over " of (sweep["is_sim"] ? " (modelled)" : "") "; paper: GTX 970, cuBLAS 7.0'\n" \
         "set xlabel 'K, M'\nset xrange [-0.6:" (count - 1) ".6]\nset yrange [0:*]\nset xtics rotate by -45\n" \
         "set key outside top center horizontal\nset grid ytics\n" \
         "plot $data using 2:xtic(1) with histograms title 'fused', '' using 3 with histograms title 'fused fast', " \
         "'' using 4 with histograms title 'tensor cores', '' using 5 with histograms title 'paper, Fused', 1 with lines title 'unfused'", 1)
}

# A line for each row of each run: the energy of a launch by component, where that of the unfused form is 1.
function energies(    r, i, c, data, whole) {
    for (r = 1; r <= runs; r++)
        for (i = 1; i <= run[r, "rows"]; i++) {
            if (part[r] != "paper" || row[r, i, "joules_modelled"] == "")
                continue
            whole = of_row(r, base, "joules_modelled")
            data = data "\"" row[r, i, "name"] " " run[r, "k"] ", " run[r, "m"] "\""
            for (c = 1; c <= components; c++)
                data = data sprintf(" %g", row[r, i, component[c]] / (whole == "" ? 1 : whole))
            data = data "\n"
        }
    return data
}

function plot_energy(data) {
    plot("figure9", "1100,520", data,
         "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.7\nset boxwidth 0.8\n" \
         "set title 'Modelled energy of a launch, unfused = 1'\nset yrange [0:*]\nset xtics rotate by -60 noenhanced\n" \
         "set key outside top center horizontal\nset grid ytics\n" \
         "plot $data using 2:xtic(1) title 'arithmetic', '' using 3 title 'shared memory', '' using 4 title 'L2', " \
         "'' using 5 title 'DRAM'", 0)
}
