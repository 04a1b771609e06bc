// SPDX-License-Identifier: Apache-2.0
#include "assay/parity/published.hpp"

#include <algorithm>

#include "assay/base/ascii.hpp"
#include "assay/base/named.hpp"
#include "assay/parity.hpp"

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

namespace {

PaperValue value_of(const PublishedValue& v) {
  return {.mean = v.mean, .std = v.std, .differs = v.differs};
}

}  // namespace

Paper built_in_paper() {
  Paper paper;
  for (const PublishedModel& m : published_models())
    paper.models.push_back({.key = std::string(m.key),
                            .name = std::string(m.name),
                            .parameters = m.parameters,
                            .dice = value_of(m.dice),
                            .avd = value_of(m.avd),
                            .mcc = value_of(m.mcc)});
  return paper;
}

const PaperModel& variant_of(const Paper& paper, std::string_view key) {
  if (key.empty()) return paper.models.front();
  const auto found = std::ranges::find(paper.models, key, &PaperModel::key);
  if (found == paper.models.end())
    throw unknown_name("variant", key, paper.models,
                       [](const PaperModel& m) { return std::string_view(m.key); });
  return *found;
}

std::string model_key(std::string_view name) {
  std::string key;
  for (const char c : name) key += is_ascii_word(c) ? ascii_lower(c) : '_';
  return key;
}

std::string with_thousands(long long number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::optional<double> dice_per_million(double dice, std::optional<long long> parameters) {
  if (!parameters || *parameters <= 0) return std::nullopt;
  return dice / (static_cast<double>(*parameters) / 1e6);
}

}  // namespace assay::parity
