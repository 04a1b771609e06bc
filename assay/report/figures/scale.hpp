// SPDX-License-Identifier: Apache-2.0
/// From values to places in a drawing, with ticks that people can read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::report {

struct Extent {
  double low = 0, high = 1;
};

/// The least and the greatest finite value; nothing when there is none.
std::optional<Extent> extent_of(std::span<const double> values);

/// Room for both.
std::optional<Extent> hull(std::optional<Extent> a, std::optional<Extent> b);

struct Tick {
  double value = 0;
  std::string label{};
};

enum class ScaleKind { linear, logarithmic };

class Scale {
 public:
  /// Maps values of `domain` to positions in `range`, whose ends may be in either order. A domain
  /// without width gets some. A logarithmic domain must be above 0.
  Scale(Extent domain, Extent range, ScaleKind kind = ScaleKind::linear);

  /// The position of a value; one outside the domain is at its end.
  double operator()(double value) const;

  const Extent& domain() const { return domain_; }
  const Extent& range() const { return range_; }

  /// About as many ticks at round values, all inside the domain.
  std::vector<Tick> ticks(std::size_t about = 5) const;

 private:
  Extent domain_, range_;
  ScaleKind kind_;
};

/// A domain a little wider than the data, but not beyond the values that are possible.
Extent padded(Extent data, Extent possible);
Extent padded(Extent data);

}  // namespace assay::report
