"""The table of docs/pages/cutlass.md: CUTLASS's names, and the lines here that do the same."""

import os

import lab

from .cells import Stale, table

CUTLASS = "https://github.com/NVIDIA/cutlass/blob/main/"
GEMM = CUTLASS + "include/cutlass/gemm/"
STEPS = {"06": "06_double_buffering/kernel", "05.2": "05_register_blocking/2_values_4x4", "07.3": "07_float4/3_placed",
         "10.4": "10_3d_blocks/4_blocks_3d", "10.5": "10_3d_blocks/5_split_k",
         "12.7": "12_transposed/7_any_async", "12.8": "12_transposed/8_double_async",
         "14.1": "14_past_cublas/1_warp_tiles", "14.2": "14_past_cublas/2_software_pipelining", "14.3": "14_past_cublas/3_stream_k",
         "14.4": "14_past_cublas/4_fixup", "14.5": "14_past_cublas/5_heuristics", "15.1": "15_tensor_cores/1_tf32",
         "15.2": "15_tensor_cores/2_ldmatrix", "15.3": "15_tensor_cores/3_three_products", "15.4": "15_tensor_cores/4_wgmma"}

# CUTLASS's name and where it is; what is here: a stage or a header of common/tile or common/ptx, and text of the line meant.
NAMES = [
    ("threadblock tile, `ThreadblockShape`", CUTLASS + "media/docs/cpp/efficient_gemm.md",
     [("14.1", "TILE_M = WARP_M"), ("shape.h", "TILE_M = WARP_M")]),
    ("warp tile, `WarpShape`", CUTLASS + "media/docs/cpp/efficient_gemm.md", [("07.3", "const int tx"), ("14.1", "WARP_M = 4"), ("shape.h", "WARP_M = 4")]),
    ("thread tile, `ThreadTileM`, `ThreadTileN`", GEMM + "threadblock/default_mma_core_simt.h", [("05.2", "constexpr int VALUES"), ("14.1", "THREAD_M = 12")]),
    ("lane arrangement, `MmaSimtPolicy`", GEMM + "warp/mma_simt_policy.h", [("07.3", "const int ty"), ("14.1", "int thread_row("), ("shape.h", "tile_thread_row(")]),
    ("padding, `MmaPolicy`", GEMM + "threadblock/default_mma_core_simt.h", [("07.3", "constexpr int PAD"), ("14.1", "LD_A = TILE_M")]),
    ("fragment, `FragmentA`, `warp_tile_iterator_A_.load()`", GEMM + "warp/mma_simt_tile_iterator.h", [("05.2", "b_tile[i][tx + v * SIDE]"), ("fragment.h", "void tile_load_fragment(float")]),
    ("accumulators, `FragmentC`", GEMM + "threadblock/mma_multistage.h", [("05.2", "float sum["), ("14.1", "float sum[")]),
    ("`thread::Mma`, the outer product", GEMM + "thread/mma_sm50.h", [("05.2", "sum[r][q] +="), ("fragment.h", "tile_outer_product(T")]),
    ("iterator, `PredicatedTileAccessIterator`", CUTLASS + "include/cutlass/transform/threadblock/predicated_tile_access_iterator.h",
     [("12.7", "struct panel_iterator"), ("panel_iterator.h", "struct tile_panel_iterator")]),
    ("`cp_async`, `cp_async_zfill`", CUTLASS + "include/cutlass/arch/memory_sm80.h", [("12.7", "__pipeline_memcpy_async(to"), ("panel_iterator.h", "ptx_copy_if<1>"), ("panel_iterator.h", "ptx_copy<1, false>")]),
    ("mainloop of two stages, `MmaPipelined`", GEMM + "threadblock/mma_pipelined.h", [("06", "for (int next_k"), ("07.3", "for (int next_k")]),
    ("mainloop of more stages, `MmaMultistage`", GEMM + "threadblock/mma_multistage.h", [("12.7", "for (int panel"), ("14.2", "for (int left"), ("mainloop.h", "for (int left")]),
    ("`prologue()`", GEMM + "threadblock/mma_multistage.h", [("12.7", "for (int stage = 1"), ("mainloop.h", "for (int stage = 0")]),
    ("two fragments, `warp_loaded_frag_A_[2]`", GEMM + "threadblock/mma_multistage.h", [("12.8", "double a_fragment[2]"), ("14.1", "float a_fragment[2]")]),
    ("epilogue, `LinearCombination`", CUTLASS + "include/cutlass/epilogue/thread/linear_combination.h", [("epilogue.h", "void tile_store(T"), ("mainloop.h", "void tile_epilogue(")]),
    ("threadblock swizzle, `GemmIdentityThreadblockSwizzle`", GEMM + "threadblock/threadblock_swizzle.h", [("14.2", "tile_rasterize("), ("rasterize.h", "tile_rasterize(")]),
    ("sliced-K, `PartitionsK`", GEMM + "threadblock/default_mma_core_simt.h", [("10.4", "constexpr int DEPTH")]),
    ("split-K, `GemmSplitKParallel`", GEMM + "device/gemm_splitk_parallel.h", [("10.5", "static __global__")]),
    ("stream-K, `ThreadblockSwizzleStreamK`", GEMM + "threadblock/threadblock_swizzle_streamk.h", [("14.3", "int first_iteration("), ("14.3", "stream_k decompose("), ("stream_k.h", "struct tile_stream_k")]),
    ("fix-up, `share_accumulators()`, `acquire_accumulators()`", GEMM + "kernel/gemm_universal_streamk.h", [("14.4", "The fix-up:"), ("stream_k.h", "tile_store_partial_sums("), ("stream_k.h", "void tile_fixup(")]),
    ("heuristics, `get_blocks()`", GEMM + "threadblock/threadblock_swizzle_streamk.h", [("14.5", "double decompose("), ("14.5", "choice choose(")]),
    ("CuTe: `Layout`", CUTLASS + "media/docs/cpp/cute/01_layout.md", [("shape.h", "LD_A = TILE_M"), ("panel_iterator.h", "a_to = ptx_shared_address")]),
    ("CuTe: `TiledCopy`, `Copy_Atom`", CUTLASS + "include/cute/atom/copy_atom.hpp", [("panel_iterator.h", "A_STEP ="), ("panel_iterator.h", "void copy(int number")]),
    ("CuTe: `TiledMMA`, `MMA_Atom`", CUTLASS + "include/cute/atom/mma_atom.hpp", [("shape.h", "tile_thread_col("), ("fragment.h", "sum[r][j] += a[r] * b[j]")]),
    ("`MmaTensorOp`", GEMM + "warp/mma_tensor_op.h", [("15.1", "ptx_mma_tf32("), ("tensor.h", "mma.sync")]),
    ("`ldsm`", CUTLASS + "include/cutlass/arch/memory_sm75.h", [("15.2", "ptx_ldmatrix4("), ("tensor.h", "ldmatrix.sync")]),
    ("swizzled layout, `TensorOpMultiplicandCrosswise`", CUTLASS + "include/cutlass/layout/tensor_op_multiplicand_sm75.h", [("15.2", "int a_place(")]),
    ("3xTF32, `MmaTensorOpFastF32`", GEMM + "warp/mma_tensor_op_fast_f32.h", [("15.3", "ptx_mma_tf32_alone("), ("tensor.h", "float ptx_rest_of_tf32(")]),
    ("CuTe: `MMA_64x128x8_F32TF32TF32_RS_TN`", CUTLASS + "include/cute/arch/mma_sm90_gmma.hpp", [("15.4", "ptx_wgmma_tf32("), ("wgmma.h", "wgmma.mma_async")]),
    ("CuTe: `Swizzle`", CUTLASS + "include/cute/swizzle.hpp", [("15.4", "int place("), ("tensor_map.h", "CU_TENSOR_MAP_SWIZZLE_128B")]),
    ("CuTe: `SM90_TMA_LOAD`", CUTLASS + "include/cute/arch/copy_sm90_tma.hpp", [("15.4", "ptx_tensor_copy("), ("tensor_map.h", "cp.async.bulk.tensor")]),
    ("`PipelineTmaAsync`", CUTLASS + "include/cutlass/pipeline/sm90_pipeline.hpp", [("15.4", "struct stage_barriers"), ("mbarrier.h", "ptx_mbarrier_wait(")]),
    ("warp specialization, `KernelTmaWarpSpecializedCooperative`", GEMM + "kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp", [("15.4", "// the producers")]),
    ("`warpgroup_reg_dealloc()`", CUTLASS + "include/cutlass/arch/reg_reconfig.h", [("15.4", "setmaxnreg.dec")]),
]


def place(file, name, text):
    """A link to the first line of a file that has the text."""
    path = lab.ROOT / "steps" / f"{STEPS[name]}.cu" if name in STEPS else next(path for folder in ("tile", "ptx") if (path := lab.ROOT / "common" / folder / name).exists())
    lines = path.read_text().splitlines()
    number = next((number for number, line in enumerate(lines, 1) if text in line and not line.startswith(" *")), None)
    if not number:
        raise Stale(f"{path.name} has no line with {text!r} there any more")
    return f"[{name}, line {number}]({os.path.relpath(path, file.parent)}#L{number})"


def block_cutlass_names(file, _arguments, _context):
    """A row for each name: CUTLASS's file, and the lines here."""
    rows = [[f"[{name}]({source})", ", ".join(place(file, *where) for where in here)] for name, source, here in NAMES]
    return table(["CUTLASS", "here"], rows).replace("| --- | ---: |", "| --- | --- |")
