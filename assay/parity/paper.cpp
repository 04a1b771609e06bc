// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assay/base/ascii.hpp"
#include "assay/base/named.hpp"
#include "assay/parity.hpp"
#include "assay/parity/published.hpp"

namespace assay::parity {
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
