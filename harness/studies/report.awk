# The studies of steps 09 and 10: every version of the course report's two kernels at the report's sizes, with its gain relative to the
# version that it changes, here and in the report. The report does not say how large its second problem is: its figures with and without
# the copies fit a cube of about 100, and 96 and 128 are the nearest sizes that all its tiles divide. The simulator has smaller sizes,
# since the report's would take minutes for each row. The report has doubles, and says that floats would be faster: kernels of floats
# come last, with their gains relative to the same kernels of doubles.
#run study gpu:trmm:n=2048 sim:trmm:n=256 gpu:syr2k:n=96/112/128 sim:syr2k:n=48
#run study all new type=f32 gpu:trmm:n=2048 sim:trmm:n=256 gpu:syr2k:n=96/112/128 sim:syr2k:n=48
#more

$1 == "paper" {
    version[$2, ++versions[$2]] = $3
    changes[$2, $3] = $4
    with_copies[$2, $3] = $5
    alone[$2, $3] = $6
}

END {
    if (want == "more")
        more()
    else
        tables()
}

# Stages have rows of the same names, but these rows are not of the study.
function is_version(r, i) { return row[r, i, "is_of_study"] && (run[r, "family"], row[r, i, "name"]) in changes }

function has_copies(r,    i) {
    for (i = 1; i <= run[r, "rows"]; i++)
        if (row[r, i, "with_copies_ms"] != "")
            return 1
    return 0
}

# The run of the same sizes that has a row with this name.
function run_with(r, name,    other) {
    for (other = 1; other <= runs; other++)
        if (run[other, "sizes"] == run[r, "sizes"] && (other, name) in place)
            return other
    return r
}

# A speed and its gain relative to the version that this one changes.
function speed(own, before) { return cell(11, own < 100 ? "%.1f" : "%.0f", own) cell(6, "%.2fx", over(own, before)) }

function speed_with_copies(r, i) { return over(run[r, "flops"] * 1e-6, row[r, i, "with_copies_ms"]) }

function print_version(r, i,    family, name, base, there) {
    family = run[r, "family"]
    name = row[r, i, "name"]
    base = changes[family, name]
    there = run_with(r, base)
    printf "%-34s%s", name, speed(with_copies[family, name], with_copies[family, base])
    if (has_copies(r))
        printf "%s", speed(speed_with_copies(r, i), speed_with_copies(there, place[there, base]))
    printf "%s  %9d  %8d  %8.0f%%%s%s\n", speed(row[r, i, "gflops"], of_row(there, base, "gflops")), row[r, i, "registers"],
           row[r, i, "shared_bytes"], 100 * row[r, i, "occupancy"], (base == "" ? "" : "  "), base
}

function tables(    r, i) {
    for (r = 1; r <= runs; r++) {
        printf "%s%s%s, GFLOPS, on Tesla M2070, with copies, and on %s\n%s\n", (r > 1 ? "\n" : ""), run[r, "target"],
               (run[r, "type"] == "f32" ? " in float" : ""), sweep["device"], run[r, "sizes"]
        printf "%-34s   the report    gain%s  %11s    gain  registers  shared B  occupancy  gain relative to\n", "version",
               has_copies(r) ? "  with copies    gain" : "", sweep["is_sim"] ? "modelled" : "here"
        for (i = 1; i <= run[r, "rows"]; i++)
            if (is_version(r, i) && row[r, i, "is_ok"])
                print_version(r, i)
    }
    if (!sweep["is_sim"] && !sweep["with_copies"])
        print "\nthe report's figures are with the copies: --with-copies takes such times"
    if (sweep["is_sim"] && !sweep["has_sizes"])
        printf "\non the simulator the size is %s; -n gives another, and --arch m2070 the report's GPU\n",
               (run[1, "family"] == "trmm" ? "256, in place of 2048" : "48, in place of 96")
}

# The versions of the run's type.
function more(    r, v, family, name, text) {
    for (r = 1; r <= runs; r++) {
        family = run[r, "family"]
        text = ""
        for (v = 1; v <= versions[family]; v++) {
            name = version[family, v]
            if ((name ~ /_float$/) != (run[r, "type"] == "f32"))
                continue
            text = text (text == "" ? "" : ", ") "{\"name\": \"" name "\"" member("over", changes[family, name], "\"") \
                   member("gflops_with_copies", with_copies[family, name], "") member("gflops", alone[family, name], "") "}"
        }
        print r "\t\"report\": {\"device\": \"Tesla M2070\", \"versions\": [" text "]}"
    }
}

function member(name, value, quote) { return value == "" ? "" : ", \"" name "\": " quote value quote }
