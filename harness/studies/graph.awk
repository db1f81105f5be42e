# A graph (md.graph): the kernels of a program, and what they read and write. From it follows which of them may be merged, so that
# a thread does one after the other: they go over the same elements, and no thread needs what another thread of theirs has, or
# overwrites it. Kernels may run beside each other if neither waits for the other, by way of others either.

# --- reading it ---

# A message once, with the number of the line; then nothing else is printed.
function bad(why) {
    printf "%s:%d: %s\n", graph_name, graph_line, why > "/dev/stderr"
    is_bad = 1
    exit 3
}
END { if (is_bad) exit 3 }

# -v graph=FILE has another one in its place.
function read_graph(file,    line, status) {
    graph_name = graph == "" ? file : graph
    while ((status = (getline line < graph_name)) > 0) {
        graph_line++
        sub(/#.*/, "", line)
        gsub(/\t/, " ", line)
        take(split(line, word, " "))
    }
    if (status < 0 || !kernels)
        bad("no kernels are there")
}

function take(words) {
    if (!words)
        return
    if (word[1] == "loop" && words == 1)
        loops = 1
    else if (word[1] == "array")
        take_array(words)
    else if (word[1] == "kernel")
        take_kernel(words)
    else if (word[1] == "row")
        take_row(words)
    else
        bad("a line begins with array, kernel, row or loop, not with '" word[1] "'")
}

function take_array(words) {
    if (words < 3 || words > 4 || (words == 4 && word[4] != "kept"))
        bad("an array has a name, a size and perhaps 'kept'")
    if (word[2] in size)
        bad("the array " word[2] " is there twice")
    if (word[3] !~ /^([0-9]+|[a-z])(\*([0-9]+|[a-z]))*$/)
        bad("a size is numbers and letters with * between, not '" word[3] "'")
    size[word[2]] = word[3]
    line_of[word[2]] = graph_line
    kept[word[2]] = words == 4
}

function take_kernel(words,    i, how, part, parts) {
    if (words < 5 || word[3] != "over")
        bad("a kernel has a name, 'over', what it goes over, and what it reads, writes and adds")
    if (word[2] in kernel_of || word[2] ~ /\+/)
        bad("the kernel " word[2] (word[2] ~ /\+/ ? " has a + in its name" : " is there twice"))
    if (kernels == 8)
        bad("more than 8 kernels")
    bit[kernels + 1] = kernels ? 2 * bit[kernels] : 1
    kernel_of[word[2]] = ++kernels
    name_of[kernels] = word[2]
    goes_over[kernels] = word[4]
    for (i = 5; i <= words; i++) {
        if (word[i] == "computes" && how == "")
            computes[kernels] = 1
        else if (word[i] ~ /^(reads|writes|adds)$/)
            how = word[i]
        else {
            parts = split(word[i], part, ":")
            if (how == "")
                bad("'" word[i] "' stands before reads, writes or adds")
            if (!(part[1] in size))
                bad(word[2] " " how " " part[1] ", which no line before names as an array")
            if (parts > 2 || (parts == 2 && (part[2] != "all" || how != "reads")))
                bad("'" word[i] "': only what is read may have ':all'")
            if (how == "reads")
                reads[kernels, part[1]] = parts == 2 ? "all" : "own"
            else
                writes[kernels, part[1]] = how == "adds" ? "sum" : "own"
        }
    }
    if (how == "")
        bad(word[2] " neither reads nor writes")
}

function take_row(words,    i, j, part, parts, g) {
    if (words < 4 || word[3] !~ /^(serial|beside)$/)
        bad("a row has a name, 'serial' or 'beside', and its kernels")
    row_name[++rows_of_graph] = word[2]
    row_mode[rows_of_graph] = word[3]
    for (i = 4; i <= words; i++) {
        parts = split(word[i], part, "+")
        for (j = 1; j <= parts; j++) {
            if (!(part[j] in kernel_of))
                bad("the row " word[2] " has " part[j] ", which no line before names as a kernel")
            if ((rows_of_graph, kernel_of[part[j]]) in group_in_row)
                bad("the row " word[2] " has " part[j] " twice")
            group_in_row[rows_of_graph, kernel_of[part[j]]] = i
        }
    }
    for (i = 1; i <= kernels; i++)
        if (!((rows_of_graph, i) in group_in_row))
            bad("the row " word[2] " lacks " name_of[i])
}

# --- what is legal: kernels are bits of a set ---

function has(set, k) { return int(set / bit[k]) % 2 }

function set_of(names,    part, parts, i, set) {
    parts = split(names, part, "+")
    for (i = 1; i <= parts; i++)
        if (!left_out[kernel_of[part[i]]])
            set += bit[kernel_of[part[i]]]
    return set + 0
}

function names_of(set,    k, text) {
    for (k = 1; k <= kernels; k++)
        if (has(set, k))
            text = text (text == "" ? "" : "+") name_of[k]
    return text
}

# What keeps a thread from doing j right behind i, and what would help; waits[i, j]: j waits for i at all.
function look_at(i, j,    a, across, anti) {
    for (a in size) {
        if ((i, a) in writes && (j, a) in reads) {
            waits[i, j] = 1
            if (writes[i, a] == "sum" || reads[j, a] == "all")
                across = name_of[j] " reads " a " of all " goes_over[i] ", which " name_of[i] (writes[i, a] == "sum" ? " adds: the last block, or" : " writes:") " a barrier of the grid"
        }
        if ((i, a) in reads && (j, a) in writes) {
            waits[i, j] = 1
            if (!((i, a) in writes))
                anti_of[i, j] = anti_of[i, j] (anti_of[i, j] == "" ? "" : ", ") a
            if (reads[i, a] == "all" || writes[j, a] == "sum")
                anti = name_of[i] " reads " a " of all, and " name_of[j] " overwrites it: a second " a
        }
        if ((i, a) in writes && (j, a) in writes) {
            waits[i, j] = 1
            if (writes[i, a] == "sum" || writes[j, a] == "sum")
                across = name_of[i] " and " name_of[j] " write " a
        }
        if (((i, a) in writes) && (((j, a) in reads) || ((j, a) in writes)))
            is_strict[i, j] = 1
    }
    why_not[i, j] = across != "" ? across : anti != "" ? anti : goes_over[i] != goes_over[j] ? \
                    name_of[i] " goes over " goes_over[i] ", " name_of[j] " over " goes_over[j] : ""
}

# Kernels of the next step have numbers above those of this one.
function find_legal(    i, j, m, both, set) {
    for (i = 1; i <= kernels; i++)
        for (j = 1; j <= kernels; j++)
            if (i != j || loops)
                look_at(i, j)
    both = kernels * (1 + loops)
    for (i = 1; i <= both; i++)
        for (j = i + 1; j <= both; j++)
            before[i, j] = waits[of_step(i), of_step(j)] + 0
    for (m = 1; m <= both; m++)
        for (i = 1; i < m; i++)
            for (j = m + 1; j <= both; j++)
                if (before[i, m] && before[m, j] && !left_out[of_step(m)]) {
                    before[i, j] = 1
                    if (!((i, j) in between))
                        between[i, j] = m
                }
    for (set = 1; set < 2 * bit[kernels]; set++)
        if (is_legal(set))
            legal[set] = 1
}

function of_step(k) { return (k - 1) % kernels + 1 }

function is_legal(set,    i, j, m) {
    for (i = 1; i <= kernels; i++) {
        if (has(set, i) && left_out[i])
            return 0
        for (j = i + 1; has(set, i) && j <= kernels; j++) {
            if (has(set, j) && why_not[i, j] != "")
                return 0
            for (m = i + 1; has(set, j) && m < j; m++)
                if (!has(set, m) && before[i, m] && before[m, j] && !left_out[m])
                    return 0
        }
    }
    return 1
}

# --- what is moved, for problem[letter] ---

function values_in(a,    part, parts, i, count) {
    parts = split(size[a], part, "*")
    count = 1
    for (i = 1; i <= parts; i++) {
        if (part[i] !~ /^[0-9]/ && !(part[i] in problem)) {
            graph_line = line_of[a]
            bad("this problem has no size " part[i])
        }
        count *= part[i] ~ /^[0-9]/ ? part[i] : problem[part[i]]
    }
    return count
}

# What merged kernels read before they have written it, and what they write that somebody else reads, or that is kept. `but`: without
# what these kernels move alone.
function moved(set, but,    a, count) {
    for (a in size)
        count += values_in(a) * ((does_read(set, a) && !does_read(but, a)) + (does_write(set, a) && !does_write(but, a)))
    return count + 0
}

function does_read(set, a,    k) {
    for (k = 1; k <= kernels; k++) {
        if (has(set, k) && (k, a) in reads)
            return 1
        if (has(set, k) && (k, a) in writes)
            return 0
    }
    return 0
}

function does_write(set, a,    k, is_written, is_needed) {
    for (k = 1; k <= kernels; k++) {
        is_written = is_written || (has(set, k) && (k, a) in writes)
        is_needed = is_needed || (!has(set, k) && (k, a) in reads)
    }
    return is_written && (is_needed || kept[a])
}

# The part of the values that is left when these kernels are merged: 18/24 for "K5+K6". Kernels that compute do not count.
function part_left(set,    k, computing, apart) {
    for (k = 1; k <= kernels; k++)
        if (has(set, k) && computes[k])
            computing += bit[k]
        else if (has(set, k))
            apart += moved(bit[k], 0)
    return apart ? moved(set, computing + 0) / apart : 1
}
