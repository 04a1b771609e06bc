// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/published.hpp"

namespace assay::parity {
namespace {

constexpr bool starred = true;

// clang-format off
constexpr PublishedModel table[] = {
    {"meshnet_26", "MeshNet-26", 147'474,
     {0.876, 0.016}, {0.245, 0.036}, {0.760, 0.030}},
    {"meshnet_16", "MeshNet-16", 56'194,
     {0.873, 0.007}, {0.249, 0.033}, {0.757, 0.013}},
    {"u_mamba_bot", "U-MAMBA-BOT", 7'351'400,
     {0.870, 0.012}, {0.266, 0.053}, {0.750, 0.023}},
    {"mednext_m", "MedNeXt-M", 17'548'963,
     {0.868, 0.017}, {0.288, 0.094}, {0.745, 0.033}},
    {"segresnet", "SegResNet", 1'176'186,
     {0.867, 0.005}, {0.268, 0.039, starred}, {0.743, 0.011}},
    {"u_mamba_enc", "U-MAMBA-ENC", 7'514'280,
     {0.865, 0.010}, {0.309, 0.080, starred}, {0.740, 0.022}},
    {"mednext_s", "MedNeXt-S", 5'201'315,
     {0.861, 0.012}, {0.257, 0.054}, {0.729, 0.021}},
    {"swin_unetr", "Swin-UNETR", 18'346'844,
     {0.859, 0.025}, {0.425, 0.283, starred}, {0.730, 0.048}},
    {"mednext_b", "MedNeXt-B", 10'526'307,
     {0.855, 0.016, starred}, {0.260, 0.039, starred}, {0.718, 0.030, starred}},
    {"u_kan", "U-KAN", 44'070'082,
     {0.851, 0.013, starred}, {0.321, 0.027, starred}, {0.717, 0.025, starred}},
    {"meshnet_5", "MeshNet-5", 5'682,
     {0.848, 0.023, starred}, {0.280, 0.060, starred}, {0.708, 0.042, starred}},
    {"unetr", "UNETR", 95'763'682,
     {0.847, 0.014, starred}, {0.397, 0.029, starred}, {0.700, 0.027, starred}},
    {"residual_u_net", "Residual U-Net", 1'979'610,
     {0.836, 0.005, starred}, {0.562, 0.495, starred}, {0.685, 0.010, starred}},
    {"v_net", "V-Net", 45'597'898,
     {0.798, 0.018, starred}, {0.387, 0.047, starred}, {0.614, 0.033, starred}},
};
// clang-format on

}  // namespace

std::span<const PublishedModel> published_models() {
  return table;
}

}  // namespace assay::parity
