// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figures/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/report/figures/svg_text.hpp"

namespace assay::report {
namespace {

constexpr double farthest = 1e150;  // so that differences and ratios of values stay finite

double bounded(double value) {
  return std::clamp(value, -farthest, farthest);
}

Extent with_width(Extent domain, ScaleKind kind) {
  domain = {bounded(std::min(domain.low, domain.high)), bounded(std::max(domain.low, domain.high))};
  if (kind == ScaleKind::logarithmic) {
    if (domain.high / domain.low < 1.01) domain = {domain.low / 2, domain.high * 2};
    return domain;
  }
  const double size = std::max(std::fabs(domain.low), std::fabs(domain.high));
  if (domain.high - domain.low > size * 1e-9 && domain.high > domain.low) return domain;
  const double room = size == 0 ? 0.5 : size * 0.1;
  return {domain.low - room, domain.high + room};
}

/// 1, 2 or 5 times a power of ten.
double nice_step(double width, std::size_t about) {
  const double raw = width / double(std::max<std::size_t>(about, 1));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  constexpr std::array steps = {1.0, 2.0, 5.0, 10.0};
  const auto fits = [&](double step) { return step * power >= raw * 0.999; };
  const auto found = std::ranges::find_if(steps, fits);
  return (found == steps.end() ? steps.back() : *found) * power;
}

std::string label_of(double value, double step) {
  const double size = std::fabs(value);
  if (size < step / 2) return "0";
  if (size >= 1e6 || step < 1e-5) return with_true_minus(fmt::format("{:.3g}", value));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return with_true_minus(fmt::format("{:.{}f}", value, decimals));
}

std::vector<Tick> linear_ticks(const Extent& domain, std::size_t about) {
  const double step = nice_step(domain.high - domain.low, about);
  std::vector<Tick> ticks;
  const double slack = step * 1e-6;
  for (double k = std::ceil((domain.low - slack) / step); k * step <= domain.high + slack; ++k)
    ticks.push_back({k * step, label_of(k * step, step)});
  return ticks;
}

std::vector<Tick> decade_ticks(const Extent& domain, std::size_t about) {
  const double decades = std::log10(domain.high / domain.low);
  std::vector<double> within = {1};
  if (decades < 2.5) within = {1, 2, 5};
  const int every =
      std::max(1, static_cast<int>(std::lround(decades / double(std::max<std::size_t>(about, 1)))));
  std::vector<Tick> ticks;
  const int last = static_cast<int>(std::floor(std::log10(domain.high)));
  for (int power = static_cast<int>(std::floor(std::log10(domain.low))); power <= last; ++power)
    for (const double digit : within) {
      const double value = digit * std::pow(10.0, power);
      const bool inside = value >= domain.low * (1 - 1e-9) && value <= domain.high * (1 + 1e-9);
      if (inside && power % every == 0) ticks.push_back({value, fmt::format("{:g}", value)});
    }
  return ticks;
}

}  // namespace

std::optional<Extent> extent_of(std::span<const double> values) {
  std::optional<Extent> extent;
  for (const double value : values)
    if (std::isfinite(value)) extent = report::hull(extent, Extent{value, value});
  return extent;
}

std::optional<Extent> hull(std::optional<Extent> a, std::optional<Extent> b) {
  if (!a || !b) return a ? a : b;
  return Extent{std::min(a->low, b->low), std::max(a->high, b->high)};
}

Scale::Scale(Extent domain, Extent range, ScaleKind kind)
    : domain_(with_width(domain, kind)), range_(range), kind_(kind) {}

double Scale::operator()(double value) const {
  const double held = std::clamp(value, domain_.low, domain_.high);
  const double share = kind_ == ScaleKind::linear
                           ? (held - domain_.low) / (domain_.high - domain_.low)
                           : std::log(held / domain_.low) / std::log(domain_.high / domain_.low);
  return range_.low + share * (range_.high - range_.low);
}

std::vector<Tick> Scale::ticks(std::size_t about) const {
  return kind_ == ScaleKind::linear ? linear_ticks(domain_, about) : decade_ticks(domain_, about);
}

Extent padded(Extent data, Extent possible) {
  const Extent wide = with_width(data, ScaleKind::linear);
  const double room = (wide.high - wide.low) * 0.04;
  return {std::max(wide.low - room, std::min(possible.low, data.low)),
          std::min(wide.high + room, std::max(possible.high, data.high))};
}

Extent padded(Extent data) {
  constexpr double anything = std::numeric_limits<double>::infinity();
  return padded(data, {-anything, anything});
}

}  // namespace assay::report
