/* All opcodes that the simulator knows: a new table is entered here. */
#include "launch.h"

#include "sim/access/access.h"
#include "sim/arithmetic/arithmetic.h"
#include "sim/control/control.h"
#include "sim/tensor/tensor.h"
#include "sim/texture/texture.h"

#include <stddef.h>

static const struct rule *const rules[] = {sim_integer_rules, sim_bit_rules,   sim_wide_rules,
                                           sim_compare_rules, sim_video_rules, NULL};
static const struct family *const families[] = {
    sim_control_families,  sim_call_families,    sim_memory_families,     sim_atomic_families,
    sim_move_families,     sim_compare_families, sim_float_families,      sim_approximate_families,
    sim_convert_families,  sim_barrier_families, sim_warp_families,       sim_logic_families,
    sim_copy_families,     sim_discard_families, sim_tensor_families,     sim_matrix_families,
    sim_mbarrier_families, sim_cluster_families, sim_tensor_map_families, sim_async_families,
    sim_wgmma_families,    sim_texture_families, sim_surface_families,    NULL};

const struct opcodes sim_opcodes = {rules, families};
