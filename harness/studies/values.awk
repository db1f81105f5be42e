# What the kernels of step 13 read and write of a particle, for the studies of it, as harness/families/md/md.c has it: x, v, a and f,
# vectors of three values, and p, a potential. K1 works on pairs, so nothing is saved when it is merged.

BEGIN {
    reads[2] = "p"
    reads[3] = "v"
    reads[5] = "xva"; writes[5] = "x"
    reads[6] = "vfa"; writes[6] = "v"
    reads[7] = "f";   writes[7] = "a"
}

# Values that these kernels, "567", read and write when they are merged, each once.
function values_of(kernels,    i, all_reads, all_writes) {
    for (i = 1; i <= length(kernels); i++) {
        all_reads = all_reads reads[substr(kernels, i, 1)]
        all_writes = all_writes writes[substr(kernels, i, 1)]
    }
    return (kernels ~ /1/ ? count("x") + count("fp") : 0) + count(all_reads) + count(all_writes)
}

function count(set) { return 3 * ((set ~ /x/) + (set ~ /v/) + (set ~ /a/) + (set ~ /f/)) + (set ~ /p/) }

# The part of their work that is left when these kernels are merged, so that each value of a particle is read and written once:
# 18/24 for "56". K1, which works on pairs, is left out.
function merged_part(kernels,    i, apart) {
    gsub(/1/, "", kernels)
    for (i = 1; i <= length(kernels); i++)
        apart += values_of(substr(kernels, i, 1))
    return apart ? values_of(kernels) / apart : 1
}
