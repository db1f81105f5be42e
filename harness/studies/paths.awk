# The study of the generalized GEMM paper, its table 1: Floyd-Warshall, a launch for each k, against repeated products, with 1/10,
# 1 and 10 arcs for each vertex. It stops earlier on the simulator, where large graphs would take hours.
#run host reps=3 gpu:n=64/128/256/512/1024/2048/4096/8192 sim:n=64/128/256 degree=0.1/1/10
#plots
#more

$1 == "paper" {
    for (i = 1; i <= 3; i++) {
        paper[$2, "floyd_warshall", i] = $(2 + i)
        paper[$2, "min_plus", i] = $(5 + i)
    }
}

END {
    split("0.1 1 10", ratios, " ")
    if (want == "tables")
        tables()
    else if (want == "more")
        more()
    else if (can_plot())
        plot_times()
}

# A figure at the i-th ratio: a row's time, the paper's time, or a figure of the host.
function value_at(r, what, i) {
    if (what ~ /^paper /)
        return paper[run[r, "n"], substr(what, 7), i]
    return what ~ /^host_/ ? run[r + i - 1, what] : of_row(r + i - 1, what, "ms")
}

# --- tables ---

function tables() {
    print "table 1: shortest paths, ms" (sweep["is_sim"] ? ", modelled from the counters, not measured" : "") \
          "; arcs for each vertex 0.1, 1, 10; the faster of the two " (sweep["is_terminal"] ? "is bold" : "has a *") "\n"
    table("floyd_warshall,min_plus,paper floyd_warshall,paper min_plus",
          "floyd_warshall,min_plus,paper, Floyd-Warshall,paper, matrix multiply", 1)
    printf "\nFloyd-Warshall in blocks, and %d cores of the host (Dijkstra from every vertex, Floyd-Warshall in blocks), ms\n\n",
           run[1, "host_cores"]
    table("floyd_warshall_blocked,host_dijkstra_ms,host_floyd_warshall_ms",
          "floyd_warshall_blocked,host, Dijkstra,host, Floyd-Warshall", 0)
    if (sweep["is_sim"] && !sweep["given.n"])
        print "\non the simulator n ends at 256, in place of 8192; -n gives another"
}

# A line for each size, and for each figure a group of three columns. Titles have a comma only before a blank. Rivals are
# neighbours: groups 1 and 2, and groups 3 and 4.
function table(list, titles, are_rivals,    what, count, g, rival, wins) {
    count = split(list, what, ",")
    gsub(/, /, "; ", titles)
    split(titles, title, ",")
    printf "%6s", ""
    for (g = 1; g <= count; g++) {
        gsub(/; /, ", ", title[g])
        printf "%s%30s", (g > 1 ? " |" : ""), title[g]
    }
    printf "\n%6s", "n"
    for (g = 1; g <= count; g++)
        printf "%s%10s%10s%10s", (g > 1 ? " |" : ""), ratios[1], ratios[2], ratios[3]
    print ""
    for (r = 1; r + 2 <= runs; r += 3) {
        printf "%6d", run[r, "n"]
        for (g = 1; g <= count; g++) {
            printf "%s", (g > 1 ? " |" : "")
            for (i = 1; i <= 3; i++) {
                rival = are_rivals ? value_at(r, what[g % 2 ? g + 1 : g - 1], i) : ""
                wins = are_rivals && value_at(r, what[g], i) != "" && (rival == "" || value_at(r, what[g], i) < rival)
                printf "%s", time(value_at(r, what[g], i), wins)
            }
        }
        print ""
    }
}

function time(ms, wins,    is_bold) {
    is_bold = wins && sweep["is_terminal"]
    ms = ms == "" ? "" : sprintf(ms < 10 ? "%.4f" : "%.1f", ms) (wins && !is_bold ? "*" : "")
    return (is_bold ? "\033[1m" : "") right(10, ms) (is_bold ? "\033[0m" : "")
}

# --- more ---

# The paper's times among the figures of the solution.
function more(    i) {
    for (r = 1; r <= runs; r++) {
        i = (r - 1) % 3 + 1
        if ((run[r, "n"], "min_plus", i) in paper) {
            print r "\tpaper_floyd_warshall_ms\t" paper[run[r, "n"], "floyd_warshall", i]
            print r "\tpaper_min_plus_ms\t" paper[run[r, "n"], "min_plus", i]
        }
    }
}

# --- plot ---

function plot_times(    count, what, title, data, script) {
    count = split("floyd_warshall,floyd_warshall_blocked,min_plus,paper floyd_warshall,paper min_plus,host_dijkstra_ms", what, ",")
    split("floyd_warshall,floyd_warshall_blocked,min_plus,paper Floyd-Warshall,paper matrix multiply,host Dijkstra", title, ",")
    for (r = 1; r + 2 <= runs; r += 3) {
        data = data run[r, "n"]
        for (i = 1; i <= count; i++)
            data = data point(value_at(r, what[i], 3), "%g")
        data = data "\n"
    }
    script = "set logscale x 2\nset logscale y\nset format y '%g'\nset grid\nset xlabel 'vertices'\nset ylabel 'ms" \
             (sweep["is_sim"] ? " (modelled)" : "") "'\nset title 'Shortest paths, 10 arcs for each vertex'\n" \
             "set key outside top center horizontal noenhanced\nplot"
    for (i = 1; i <= count; i++) {
        sub(/^paper /, "paper, ", title[i])
        sub(/^host /, "host, ", title[i])
        script = script (i > 1 ? "," : "") " $data using 1:" (i + 1) " with linespoints" \
                 (title[i] ~ /^paper/ ? " dashtype 2" : title[i] ~ /^host/ ? " dashtype 3" : "") " title '" title[i] "'"
    }
    plot("table1", "900,480", data, script, 1)
}
