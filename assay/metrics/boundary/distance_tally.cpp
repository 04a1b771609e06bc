// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/boundary/distance_tally.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace assay::metrics {
namespace {

constexpr std::size_t first_slots = 256;  // a power of two, like every later size

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

void DistanceTally::add_to_table(double squared) {
  add(squared, 1);
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
  const auto whole = std::ranges::count_if(whole_, [](double weight) { return weight != 0; });
  out.reserve(used_ + static_cast<std::size_t>(whole));  // memory is scarce at this point
  for (std::size_t squared = 0; squared < whole_.size(); ++squared)
    if (whole_[squared] != 0) out.push_back({static_cast<double>(squared), whole_[squared]});
  for (const Entry& entry : table_)
    if (entry.weight != 0) out.push_back(entry);
  std::ranges::sort(out, {}, &Entry::squared);
  return out;
}

ManyDistances DistanceTally::take_many() {
  many_.sort();
  return std::exchange(many_, {});
}

DirectedDistances::DirectedDistances(DistanceTally tally)
    : few_(tally.sorted()), many_(tally.take_many()) {
  sum_up();
}

DirectedDistances DirectedDistances::pooled(const DirectedDistances& a,
                                            const DirectedDistances& b) {
  using Entries = std::vector<DistanceTally::Entry>;
  const auto entries_of = [](const DirectedDistances& distances) {
    Entries out;
    distances.for_each([&](double squared, double weight) {
      out.push_back({squared, weight});
      return true;
    });
    return out;
  };
  DirectedDistances out;
  std::ranges::merge(entries_of(a), entries_of(b), std::back_inserter(out.few_), {},
                     &DistanceTally::Entry::squared, &DistanceTally::Entry::squared);
  out.sum_up();
  return out;
}

void DirectedDistances::sum_up() {
  double weights = 0, sum = 0, greatest = 0;  // locals: members would be stored each time
  for_each([&](double squared, double weight) {
    greatest = std::sqrt(squared);
    weights += weight;
    sum += greatest * weight;
    return true;
  });
  weight_ = weights, sum_ = sum, greatest_ = greatest;
}

double DirectedDistances::within(double tolerance_mm) const {
  double sum = 0;
  for_each([&](double squared, double weight) {
    const bool is_within = std::sqrt(squared) <= tolerance_mm;
    if (is_within) sum += weight;
    return is_within;
  });
  return sum;
}

double DirectedDistances::percentile(double percent) const {
  const double last = weight_ - 1, place = last * (percent / 100);
  if (place >= last) return greatest_;
  const double below = std::floor(place);
  // The elements at `below` and after it: the distances whose running count first exceeds them.
  double seen = 0, low = 0, high = 0;
  const auto look_at = [&](double squared, double weight) {
    const bool is_next = seen > below;
    seen += weight;
    if (seen <= below) return true;
    if (!is_next) low = squared;
    high = squared;
    return !is_next && seen <= below + 1;
  };
  double few = 0;  // may all be below what is skipped
  for (const DistanceTally::Entry& entry : few_) few += entry.weight;
  const auto skip = [&](double voxels) {
    const bool is_below = seen + voxels + few <= below;
    if (is_below) seen += voxels;
    return is_below;
  };
  for_each(look_at, skip);
  return between(std::sqrt(low), std::sqrt(high), place - below);
}

double DirectedDistances::percentile_step(double percent) const {
  // Areas are sums of roots. A share that equals the percentile apart from rounding has reached it,
  // whatever the order of the summands; real steps are far larger.
  constexpr double rounding = 1e-10;
  const double wanted = percent / 100 * weight_ * (1 - rounding);
  double seen = 0, found = greatest_;
  for_each([&](double squared, double weight) {
    seen += weight;
    if (seen >= wanted) found = std::sqrt(squared);
    return seen < wanted;
  });
  return found;
}

}  // namespace assay::metrics
