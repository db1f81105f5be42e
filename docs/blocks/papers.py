"""The block of docs/pages/papers.md that holds what comes out of its commands against what the papers say."""

from .cells import NOTHING_YET, table

FIGURE_6 = "./run step08 --arch gtx970 -m 1024 -n 1024 -k {} --study --variant microtiles,micro_gemv --profile"
PROBLEM_1 = "./run sweep step09 --arch m2070 -n 512 -m 2048"
PROBLEM_2 = "./run sweep step10 --arch m2070 -n 96"
MERGING = "./run sweep step13 --arch gtx480"
SHAPES = "./run step05 --arch gtx1050 -n 512 --study --variant b16x16_v1,b16x16_v64 --profile"

# The paper's words and figure, or which way it goes; a row over another one; the command; which recorded run, where a command
# does not say all of it.
OUTCOMES = [
    ("summation, figure 6, K = 32: fused", "3.7 at most", "microtiles", "micro_gemv", FIGURE_6.format(32), {"k": 32, "m": 1024}),
    ("summation, figure 6, K = 256: fused", "1.5 about", "microtiles", "micro_gemv", FIGURE_6.format(256), {"k": 256, "m": 1024}),
    ("paths, table 1, 64 vertices, 10 arcs each: products", f"{1.4 / 0.74:.2f}", "min_plus", "floyd_warshall",
     "./run step11 --arch h200 -n 64 --degree 10 --variant floyd_warshall,min_plus --profile", {"n": 64, "arcs": 594}),
    ("merging, table I: K3 in shared memory", f"{333.389 / 30.918:.2f}", "k3_shared_128", "k3_global_128", MERGING, {}),
    ("merging, table III: K5 and K6", f"{(12.014 + 10.938) / 13.727:.2f}", "k56_1_global_128", "k56_apart_128", MERGING, {}),
    ("merging, table III: strategy 1, not 2", f"{14.694 / 13.727:.2f}", "k56_1_global_128", "k56_2_global_128", MERGING, {}),
    ("merging, table III: strategy 1, not 3", f"{14.311 / 13.727:.2f}", "k56_1_global_128", "k56_3_global_128", MERGING, {}),
    ("merging, table III: K5 and K6 by strategy 2, not apart", f"{(12.014 + 10.938) / 14.694:.2f}", "k56_2_global_128", "k56_apart_128", MERGING, {}),
    ("merging, table III: K5 and K6 by strategy 3, not apart", f"{(12.014 + 10.938) / 14.311:.2f}", "k56_3_global_128", "k56_apart_128", MERGING, {}),
    ("merging, table III: K5 and K6 without shared memory", f"{14.069 / 13.727:.2f}", "k56_1_anew_128", "k56_1_shared_128", MERGING, {}),
    ("merging, table III: K6 and K7 without shared memory", f"{11.843 / 11.438:.2f}", "k67_1_anew_128", "k67_1_shared_128", MERGING, {}),
    ("merging, table III: all three, in shared memory", f"{14.203 / 14.084:.2f}", "k567_1_shared_128", "k567_1_anew_128", MERGING, {}),
    ("merging, table IV: K2 beside K3", f"{(10.363 + 30.918) / 37.290:.2f}", "k23_beside_128", "k23_apart_128", MERGING, {}),
    ("merging, table V: K7 beside K1", f"{(8.985 + 21.343) / 23.939:.2f}", "k71_beside_128", "k71_apart_128", MERGING, {}),
    ("merging, the second program", f"{12.442 / 9.243:.2f}", "program_k23_k567", "program_separate", MERGING, {}),
    ("merging, the third program", f"{12.442 / 9.368:.2f}", "program_k23_k56_k7_beside_k1", "program_separate", MERGING, {}),
    ("report, problem 1: a row of A in shared memory", "1.53", "shared_a", "global", PROBLEM_1, {}),
    ("report, problem 1: one barrier fewer", "slower", "shared_a_one_barrier", "shared_a", PROBLEM_1, {}),
    ("report, problem 1: blocks in two dimensions", "3.06", "blocks_2d_short", "shared_ab_split", PROBLEM_1, {}),
    ("report, problem 2: padding and whole lines", "2.47", "shared_work_padded_coalesced", "shared_work", PROBLEM_2, {}),
    ("report, problem 2: blocks in three dimensions", "0.85", "listing_3d_bound", "listing", PROBLEM_2, {}),
    ("report, problem 2: blocks in three dimensions, the table's tile", "0.85", "blocks_3d_bound", "shared_work_padded_coalesced", PROBLEM_2, {}),
    ("report, problem 1: float in place of double", "faster", "blocks_2d_short_float", "blocks_2d_short", PROBLEM_1, {}),
    ("report, problem 2: float in place of double", "faster", "listing_float", "listing", PROBLEM_2, {}),
    ("report, problem 2: float in place of double, the table's tile", "faster", "shared_work_padded_coalesced_float", "shared_work_padded_coalesced", PROBLEM_2, {}),
    ("shapes, figure 1: shared memory", "2 almost", "b16x16_v1", "step01.coalesced", SHAPES, {}),
    ("shapes, figure 2: 64 values in place of 1", "faster", "b16x16_v64", "b16x16_v1", SHAPES, {}),
]


def sizes_in(words):
    return {words[i][1]: int(words[i + 1]) for i in range(len(words) - 1) if len(words[i]) == 2 and words[i + 1].isdigit()}


def outcome(context, command, problem):
    """Median times of the recorded run of the simulator that the command repeats, by row; of all types of a problem together."""
    words = command.split()
    target = next(word for word in words if word.startswith("step"))
    wanted = {**sizes_in(words), **problem}
    gpu = words[words.index("--arch") + 1]
    names = {"gtx480": "GTX 480", "gtx970": "GTX 970", "h200": "H200", "m2070": "M2070", "gtx1050": "GTX 1050"}
    found = {}
    for study in context.simulated_studies:
        for run in study.runs if study.target == target and names[gpu] in study.device["name"] else []:
            if all(run["problem"].get(name, size) == size for name, size in wanted.items()):
                same = tuple(value for name, value in run["problem"].items() if name not in ("type", "bytes"))
                times = found.setdefault((id(study), same), {})
                times.update({kernel["name"]: kernel["time_ms"]["median"] for kernel in run["kernels"] if "time_ms" in kernel})
    return found.values()


def block_outcomes(_file, _arguments, context):
    """Speeds of a row over another one, as modelled on the paper's GPU, beside the paper's."""
    rows = []
    for what, said, row, over, command, problem in OUTCOMES:
        found = next((times for times in outcome(context, command, problem) if row in times and over in times), None)
        if found is None:
            return NOTHING_YET
        speed = found[over] / found[row]
        faster = said == "faster" or (said != "slower" and float(said.split()[0]) > 1)
        same = "yes" if faster == (speed > 1) else "no"
        rows.append([what, f"`{row}`", f"`{over}`", said, f"{speed:.2f}", same, f"`{command}`"])
    return table(["what", "row", "compared with", "the paper", "here", "same order", "command"], rows)
