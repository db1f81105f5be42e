# What all studies share: the records of runs (harness/run/records.c), cells of tables, plots. A figure that is not known is
# "" and leaves its cell empty: it is never 0.

BEGIN { FS = "\t" }
$1 == "sweep" { sweep[$2] = $3 }
$1 == "run"   { run[$2, $3] = $4; runs = $2 + 0 }
$1 == "row"   { row[$2, $3, $4] = $5 }
$1 == "row" && $4 == "is_ok" && !(($2, row[$2, $3, "name"]) in place) { place[$2, row[$2, $3, "name"]] = $3 }

# A figure of the row with this name, if its check was ok.
function of_row(r, name, figure) { return row[r, place[r, name], figure] }

# Arithmetic with figures that may be unknown.
function times(a, b)  { return a == "" || b == "" ? "" : a * b }
function plus(a, b)   { return a == "" || b == "" ? "" : a + b }
function over(a, b)   { return a == "" || b + 0 == 0 ? "" : a / b }
function not_0(a)     { return a + 0 == 0 ? "" : a }
function least(a, b)  { return a == "" || (b != "" && b < a) ? b : a }
function most(a, b)   { return a > b ? a : b }

function right(width, text) { return sprintf("%" width "s", text) }
function left(width, text)  { return sprintf("%-" width "s", text) }
function cell(width, format, value) { return "  " right(width, value == "" ? "" : sprintf(format, value)) }

function device() { return sweep["is_sim"] ? "the simulator" : sweep["device"] }

# "sweep step01 on the simulator (sm_90, 8 of 132 SMs)": the first words of a report.
function head() {
    return sprintf("sweep %s on %s (%s, %d%s SMs)", sweep["target"], device(), sweep["arch"], sweep["sms"],
                   sweep["whole_sms"] > sweep["sms"] ? " of " sweep["whole_sms"] : "")
}

# --- plots ---

function can_plot() {
    if (system("command -v gnuplot >/dev/null 2>&1") == 0)
        return 1
    print "\nno plot: gnuplot is not here; install it, or take the figures from --json"
    return 0
}

function gnuplot(script,    command) {
    command = "gnuplot 2>/dev/null"
    fflush()
    print script | command
    return close(command) == 0
}

# Draws a plot into build/plots, and on a terminal in characters, too, if `draws`. It needs no more than its data, $data, and
# what to do with it.
function plot(name, size, data, script, draws,    file) {
    file = sweep["plots"] "-" name ".svg"
    script = "set datafile missing '?'\n$data << END\n" data "END\n" script
    if (draws && sweep["draws"])
        gnuplot("set terminal dumb " most(40, least(100, sweep["columns"])) ",24\n" script)
    script = "set terminal svg size " size " font 'Helvetica,12' background 'white'\nset output '" file "'\n" script
    print (gnuplot(script) ? "plot: " : "gnuplot failed: ") file
}

function point(value, format) { return value == "" ? " ?" : sprintf(" " format, value) }
