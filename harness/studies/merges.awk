# Which designs the graph of a program allows, and what each is to take. A prediction is made from the kernels alone. Let `one` be a
# kernel's time for a problem of size 1, `all` its time for the whole one. Its work is all - one. Its latency is what `one` is above
# that of the shortest kernel. What is left of a row of launches is divided evenly, so each launch takes it. Merging saves launches,
# and of the work of kernels that do not compute the share of values that are moved no more. The program fills left_out, problem,
# of_one, of_all, and one_of_row and measured_ms of the graph's rows.

# --- predictions, in milliseconds ---

function signatures_are_known(    k) {
    for (k = 1; k <= kernels; k++)
        if (!left_out[k] && (of_one[k] == "" || of_all[k] == ""))
            return 0
    return one_of_row[1] != ""
}

# What a launch takes in a row, and what it takes beside others, from the designs on a problem of size 1.
function find_launches(    k, shortest, count, sum, r) {
    for (k = 1; k <= kernels; k++)
        if (!left_out[k]) {
            shortest = least(shortest, of_one[k])
            count++
        }
    for (k = 1; k <= kernels; k++) {
        latency[k] = left_out[k] ? 0 : of_one[k] - shortest
        work[k] = left_out[k] ? 0 : most(0, of_all[k] - of_one[k])
        sum += latency[k]
    }
    in_row = beside = most(0, (one_of_row[1] - sum) / count)
    for (r = 1; r <= rows_of_graph; r++)
        if (row_mode[r] == "beside" && one_of_row[r] != "" && group_row(r)) {
            on_path = longest_path(0)
            beside = most(0, (one_of_row[r] - on_path) / most(1, groups - launches_on_path))
        }
}

function time_of_group(set, with_work,    k, sum, plain) {
    for (k = 1; k <= kernels; k++)
        if (has(set, k)) {
            sum += latency[k] + (computes[k] && with_work ? work[k] : 0)
            plain += computes[k] ? 0 : work[k]
        }
    return in_row + sum + (with_work ? plain * part_left(set) : 0)
}

# Groups in an order that their dependences allow: 0 if there is none, as one must be both before and behind another.
function put_in_order(    g, h, done, next_one, is_ready) {
    for (done = 0; done < groups; done++) {
        next_one = 0
        for (g = 1; g <= groups && !next_one; g++) {
            is_ready = !(g in place_in_order) || place_in_order[g] > done
            for (h = 1; h <= groups && is_ready; h++)
                is_ready = h == g || place_in_order[h] <= done || !group_before(group[h], group[g])
            next_one = is_ready ? g : 0
        }
        if (!next_one)
            return 0
        place_in_order[next_one] = done + 1
        ordered[done + 1] = group[next_one]
    }
    return 1
}

function group_before(first, second,    i, j) {
    for (i = 1; i <= kernels; i++)
        for (j = i + 1; has(first, i) && j <= kernels; j++)
            if (has(second, j) && before[i, j])
                return 1
    return 0
}

# Over `ordered`: its time, and launches_on_path.
function longest_path(with_work,    g, h, end, count, longest) {
    launches_on_path = 0
    for (g = 1; g <= groups; g++) {
        end[g] = count[g] = 0
        for (h = 1; h < g; h++)
            if (group_before(ordered[h], ordered[g]) && end[h] > end[g]) {
                end[g] = end[h]
                count[g] = count[h]
            }
        end[g] += time_of_group(ordered[g], with_work)
        count[g]++
        if (end[g] > longest) {
            longest = end[g]
            launches_on_path = count[g]
        }
    }
    return longest
}

function order_groups(    g) {
    for (g = 1; g <= groups; g++)
        place_in_order[g] = groups + 1
    return put_in_order()
}

# The groups of a row, ordered; 0 if it has kernels that may not be merged: why_no_row says why.
function group_row(r,    k, j, seen) {
    groups = 0
    why_no_row = ""
    for (k = 1; k <= kernels; k++)
        if (!left_out[k]) {
            if (!(group_in_row[r, k] in seen)) {
                seen[group_in_row[r, k]] = ++groups
                group[groups] = 0
            }
            group[seen[group_in_row[r, k]]] += bit[k]
            for (j = 1; j < k && why_no_row == ""; j++)
                if (!left_out[j] && group_in_row[r, j] == group_in_row[r, k])
                    why_no_row = why_not[j, k]
        }
    return why_no_row == "" && order_groups()
}

function key_of_groups(mode,    g, key) {
    for (g = 1; g <= groups; g++)
        key = key " " group[g]
    return mode key
}

# All ways to put kernels into groups that may be merged, each with its groups one after another, and beside each other.
function find_designs(    r) {
    found = 0
    for (r = 1; r <= rows_of_graph; r++)
        if (group_row(r))
            row_of_key[key_of_groups(row_mode[r])] = r
        else
            no_design[r] = why_no_row
    groups = 0
    put_into_groups(1)
}

function put_into_groups(k,    g) {
    if (k > kernels) {
        if (order_groups())
            take_designs()
    } else if (left_out[k]) {
        put_into_groups(k + 1)
    } else {
        for (g = 1; g <= groups; g++)
            if (may_join(group[g], k)) {
                group[g] += bit[k]
                put_into_groups(k + 1)
                group[g] -= bit[k]
            }
        group[++groups] = bit[k]
        put_into_groups(k + 1)
        groups--
    }
}

function may_join(set, k,    i) {
    for (i = 1; i < k; i++)
        if (has(set, i) && why_not[i, k] != "")
            return 0
    return 1
}

function take_designs(    g, text, sum, path) {
    for (g = 1; g <= groups; g++) {
        text = text (g > 1 ? " " : "") names_of(ordered[g])
        sum += time_of_group(ordered[g], 1)
    }
    keep(text, "serial", sum)
    path = longest_path(1)
    if (launches_on_path < groups)
        keep(text, "beside", path + beside * (groups - launches_on_path))
}

# In their order, the fastest first; of two that are to take as long, that with fewer launches.
function keep(text, mode, takes,    i) {
    for (i = ++found; i > 1 && (design_takes[i - 1] > takes * (1 + 1e-9)); i--) {
        design_text[i] = design_text[i - 1]
        design_mode[i] = design_mode[i - 1]
        design_takes[i] = design_takes[i - 1]
        design_row[i] = design_row[i - 1]
    }
    design_text[i] = text
    design_mode[i] = mode
    design_takes[i] = takes
    design_row[i] = row_of_key[key_of_groups(mode)]
}

function work_out(    a) {
    for (a in size)
        values_in(a)
    find_legal()
    if ((have_times = signatures_are_known())) {
        find_launches()
        find_designs()
    }
}

# --- what is printed ---

# What merging these kernels saves of them one after another.
function saved_by(set,    k, apart) {
    for (k = 1; k <= kernels; k++)
        if (has(set, k))
            apart += time_of_group(bit[k], 1)
    return apart - time_of_group(set, 1)
}

function is_single(set,    k, count) {
    for (k = 1; k <= kernels; k++)
        count += has(set, k)
    return count == 1
}

function print_legal(    set, i, j, m, text) {
    printf "\nwhich kernels may be merged, by %s; microseconds\n\n%-26s  values left%s\n", graph_name, "merge", have_times ? "  saves" : ""
    for (set = 1; set < 2 * bit[kernels]; set++)
        if (set in legal && !is_single(set))
            printf "%-26s  %10.0f%%%s\n", names_of(set), 100 * part_left(set), have_times ? sprintf("  %5.2f", 1e3 * saved_by(set)) : ""
    print "\nnot, and why: what would help\n"
    for (i = 1; i <= kernels; i++)
        for (j = i + 1; j <= kernels; j++)
            if (!left_out[i] && !left_out[j] && !((bit[i] + bit[j]) in legal)) {
                text = why_not[i, j]
                if (text == "")
                    text = name_of[of_step(between[i, j])] " must come between: merge it, too"
                printf "%-16s  %s\n", name_of[i] "+" name_of[j], text
            }
    print_beside()
}

# Two kernels beside each other: in two streams, or in one launch, where some blocks do one and some the other.
function print_beside(    i, j, next_step, text, copies) {
    printf "\nwhich may run beside each other%s\n\n%-26s%s  needs\n", have_times ? "; microseconds at most, if both find room" : "", "kernels",
           have_times ? "  streams save  one launch saves" : ""
    for (i = 1; i <= kernels; i++)
        for (j = i + 1; j <= kernels * (1 + loops); j++) {
            next_step = j > kernels
            if (left_out[i] || left_out[of_step(j)] || (next_step && of_step(j) >= i) || (i, j) in between)
                continue
            copies = before[i, j] ? anti_of[i, of_step(j)] : ""
            if (before[i, j] && (is_strict[i, of_step(j)] || copies == ""))
                continue
            text = sprintf("%-26s%s  %s", name_of[i] ", " name_of[of_step(j)] (next_step ? " of the next step" : ""),
                   have_times ? sprintf("  %12.2f  %16.2f", 1e3 * (in_row - beside + side_by_side(i, of_step(j))),
                                        1e3 * (in_row + side_by_side(i, of_step(j)))) : "", copies == "" ? "" : "a copy of " copies)
            sub(/ +$/, "", text)
            print text
        }
}

function side_by_side(i, j,    a, b) {
    a = latency[i] + work[i]
    b = latency[j] + work[j]
    return a < b ? a : b
}

function in_words(mode) { return mode == "serial" ? "one after another" : "beside each other" }

function print_found(    i) {
    print_legal()
    if (!have_times)
        return
    printf "\nlegal designs by what they are to take, the first of %d and those that a row has; microseconds, of which\n" \
           "a launch takes %.2f in a row, and %.2f beside others\n\n", found, 1e3 * in_row, 1e3 * beside
    printf "place  %-34s  %-17s  predicted  row\n", "launches", ""
    for (i = 1; i <= found; i++)
        if (i <= 5 || design_row[i])
            print_design(i, design_row[i] ? "  " row_name[design_row[i]] : "")
    printf "\nproposed: %s, %s%s\n", design_text[1], in_words(design_mode[1]),
           design_row[1] ? ", as " row_name[design_row[1]] " has it" : "; no row has it yet"
}

function print_design(i, more) { printf "%5d  %-34s  %-17s  %9.2f%s\n", i, design_text[i], in_words(design_mode[i]), 1e3 * design_takes[i], more }

# The rows' times beside the predictions; measured_ms[r].
function print_found_measured(    i, r) {
    printf "\nlegal designs that a row has, %s\n\nplace  %-34s  %-17s  predicted  %-12s  %s  off\n", sweep["is_sim"] ? "and as it is modelled" : "and measured",
           "launches", "", "row", sweep["is_sim"] ? "modelled" : "measured"
    for (i = 1; i <= found; i++)
        if ((r = design_row[i]))
            print_design(i, sprintf("  %-12s%s%s", row_name[r], cell(8, "%.2f", times(1e3, measured_ms[r])),
                                    cell(4, "%+.0f%%", off_by(design_takes[i], measured_ms[r]))))
    for (r = 1; r <= rows_of_graph; r++)
        if (r in no_design)
            printf "%s is not among them: %s\n", row_name[r], no_design[r]
}

function off_by(predicted, by_row) { return times(100, plus(over(predicted, by_row), -1)) }

# Members of an object: merges that are legal, pairs that are not, designs in their order.
function put_found(    set, i, j, items) {
    printf "\"merges\": ["
    for (set = 1; set < 2 * bit[kernels]; set++)
        if (set in legal && !is_single(set))
            printf "%s{\"kernels\": \"%s\", \"values_left\": %.4g, \"saves_ms\": %.6g}", items++ ? ", " : "", names_of(set), part_left(set), saved_by(set)
    printf "], \"not_merged\": ["
    items = 0
    for (i = 1; i <= kernels; i++)
        for (j = i + 1; j <= kernels; j++)
            if (!left_out[i] && !left_out[j] && why_not[i, j] != "")
                printf "%s{\"kernels\": \"%s\", \"why\": \"%s\"}", items++ ? ", " : "", name_of[i] "+" name_of[j], why_not[i, j]
    printf "], \"legal_designs\": ["
    for (i = 1; i <= found; i++)
        printf "%s{\"launches\": \"%s\", \"beside\": %s, \"predicted_ms\": %.10g%s%s}", (i > 1 ? ", " : ""), design_text[i],
               (design_mode[i] == "beside") ? "true" : "false", design_takes[i], design_row[i] ? ", \"row\": \"" row_name[design_row[i]] "\"" : "",
               design_row[i] && measured_ms[design_row[i]] != "" ? sprintf(", \"row_ms\": %.10g", measured_ms[design_row[i]]) : ""
    printf "]"
}
