// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/distance_tally.hpp"

#include <algorithm>
#include <cmath>

namespace assay::metrics {
namespace {

constexpr std::size_t first_slots = 256;  // a power of two, as every later size

/// NumPy's lerp: from whichever end is nearer, so that it is monotone and exact at both.
double between(double low, double high, double fraction) {
  const double step = high - low;
  return fraction >= 0.5 ? high - step * (1 - fraction) : low + step * fraction;
}

}  // namespace

DistanceTally::DistanceTally() : table_(first_slots) {}

std::size_t DistanceTally::slot(double squared) const {
  std::size_t at = first_slot(squared);
  while (table_[at].weight != 0 && table_[at].squared != squared)
    at = (at + 1) & (table_.size() - 1);
  return at;
}

void DistanceTally::grow() {
  std::vector<Entry> old(2 * table_.size());
  old.swap(table_);
  for (const Entry& entry : old)
    if (entry.weight != 0) table_[slot(entry.squared)] = entry;
}

void DistanceTally::add_elsewhere(double squared, double weight) {
  if (weight == 0) return;
  Entry& entry = table_[slot(squared)];
  const bool is_new = entry.weight == 0;
  entry.squared = squared;
  entry.weight += weight;
  if (is_new && 2 * ++used_ > table_.size()) grow();
}

std::vector<DistanceTally::Entry> DistanceTally::sorted() const {
  std::vector<Entry> out;
  for (std::size_t squared = 0; squared < whole_.size(); ++squared)
    if (whole_[squared] != 0) out.push_back({static_cast<double>(squared), whole_[squared]});
  for (const Entry& entry : table_)
    if (entry.weight != 0) out.push_back(entry);
  std::ranges::sort(out, {}, &Entry::squared);
  return out;
}

DirectedDistances::DirectedDistances(const DistanceTally& tally) {
  for (const auto& entry : tally.sorted())
    steps_.push_back({std::sqrt(entry.squared), entry.weight});
  sum_weights();
}

DirectedDistances DirectedDistances::pooled(const DirectedDistances& a,
                                            const DirectedDistances& b) {
  DirectedDistances out;
  std::ranges::merge(a.steps_, b.steps_, std::back_inserter(out.steps_), {}, &Step::distance_mm,
                     &Step::distance_mm);
  out.sum_weights();
  return out;
}

void DirectedDistances::sum_weights() {
  weight_ = 0;
  for (const Step& step : steps_) weight_ += step.weight;
}

double DirectedDistances::weighted_sum() const {
  double sum = 0;
  for (const Step& step : steps_) sum += step.distance_mm * step.weight;
  return sum;
}

double DirectedDistances::greatest() const {
  return steps_.empty() ? 0 : steps_.back().distance_mm;
}

double DirectedDistances::within(double tolerance_mm) const {
  double sum = 0;
  for (const Step& step : steps_)
    if (step.distance_mm <= tolerance_mm) sum += step.weight;
  return sum;
}

double DirectedDistances::percentile(double percent) const {
  if (steps_.empty()) return 0;
  const double last = weight_ - 1, place = last * (percent / 100);
  if (place >= last) return greatest();
  const double below = std::floor(place);
  // The elements at `below` and after it: the steps whose running count first exceeds them.
  double seen = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    seen += steps_[i].weight;
    if (seen <= below) continue;
    const double low = steps_[i].distance_mm;
    const double high = seen > below + 1 ? low : steps_[i + 1].distance_mm;
    return between(low, high, place - below);
  }
  return greatest();
}

double DirectedDistances::percentile_step(double percent) const {
  // Areas are sums of roots. A share that is the percentile but for rounding has reached it,
  // whatever the order of the summands; real steps are far larger.
  constexpr double rounding = 1e-10;
  const double wanted = percent / 100 * weight_ * (1 - rounding);
  double seen = 0;
  for (const Step& step : steps_) {
    seen += step.weight;
    if (seen >= wanted) return step.distance_mm;
  }
  return greatest();
}

}  // namespace assay::metrics
