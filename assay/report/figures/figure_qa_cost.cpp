// SPDX-License-Identifier: Apache-2.0
/// What each item cost, a row per results file.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "assay/base/text.hpp"
#include "assay/parity.hpp"
#include "assay/report/figures/distribution.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/marks.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

using Measure = std::optional<double> (*)(const qa::ItemResult&);

struct CostKind {
  std::string_view key, title, axis;
  Measure of;
};

constexpr CostKind cost_kinds[] = {
    {"qa-cost", "Cost per item", "US dollars per item",
     [](const qa::ItemResult& item) { return item.cost_usd; }},
    {"qa-tokens", "Tokens per item", "tokens per item",
     [](const qa::ItemResult& item) {
       return item.total_tokens ? std::optional<double>(double(*item.total_tokens)) : std::nullopt;
     }},
};

struct Costs {
  std::size_t part = 0;
  std::vector<double> values{};
  std::vector<std::size_t> items{};
  std::size_t unknown = 0;
};

Costs costs_of(const qa::QaResult& result, std::size_t part, Measure measure) {
  Costs costs = {.part = part};
  for (std::size_t k = 0; k < result.results.size(); ++k) {
    const auto value = measure(result.results[k]);
    if (value && std::isfinite(*value)) {
      costs.values.push_back(*value);
      costs.items.push_back(k);
    } else {
      ++costs.unknown;
    }
  }
  return costs;
}

struct Axis {
  Extent domain{0, 1};
  ScaleKind kind = ScaleKind::linear;
};

/// Costs over more than one decade need a logarithmic axis; free items are at its left end.
Axis axis_of(std::span<const Costs> all) {
  std::optional<Extent> data, positive;
  for (const Costs& costs : all) {
    data = hull(data, extent_of(costs.values));
    for (const double value : costs.values)
      if (value > 0) positive = hull(positive, Extent{value, value});
  }
  if (positive && positive->high / positive->low > 20)
    return {{positive->low * 0.8, positive->high * 1.25}, ScaleKind::logarithmic};
  return {padded(data.value_or(Extent{0, 1}), {0, metrics::infinity}), ScaleKind::linear};
}

void draw_costs(Drawing& drawing, const Scale& x, std::array<double, 2> heights, const Costs& costs,
                MarkForm form) {
  const auto [y, number_y] = heights;
  std::vector<Mark> drops;
  drops.reserve(costs.values.size());
  for (std::size_t i = 0; i < costs.values.size(); ++i)
    drops.push_back({costs.items[i], {x(costs.values[i]), y + 4 + 10 * jitter(costs.items[i])}});
  if (const auto box = box_summary(costs.values))
    draw_box(drawing, x, *box,
             {.y = y - 6, .tone = model_tone(costs.part), .count = costs.values.size()});
  drawing.add(
      marks(drops, {.owner = costs.part, .items = true, .tone = model_tone(costs.part)}, form));
  const double sum = std::accumulate(costs.values.begin(), costs.values.end(), 0.0);
  drawing.text({drawing.width() - 10, number_y},
               sum < 1000 ? figure_number(sum) : parity::with_thousands(std::llround(sum)),
               {.size = small_text, .anchor = Anchor::end});
}

std::string qa_cost_caption(const CostKind& kind, std::span<const Costs> all, const Axis& axis,
                            MarkForm form) {
  std::size_t total = 0, unknown = 0;
  for (const Costs& costs : all) {
    total += costs.values.size();
    unknown += costs.unknown;
  }
  std::string out = fmt::format(
      "{}, all runs of an item together{}: box with median line and mean (diamond){}. The sum is "
      "on the right.{} n = {}",
      kind.title, axis.kind == ScaleKind::logarithmic ? " (logarithmic axis)" : "",
      form == MarkForm::none ? "" : ", a dot per item", marks_note(form, total),
      counted(total, "item"));
  if (unknown != 0) out += fmt::format("; it is not known for {}", counted(unknown, "item"));
  return out + ".";
}

Figure cost(const QaScene& scene, const CostKind& kind) {
  const auto& [parts, width] = scene;
  std::vector<Costs> all;
  std::vector<std::string> names;
  std::size_t total = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    all.push_back(costs_of(parts[k].result, k, kind.of));
    total += all.back().values.size();
    names.push_back(parts[k].result.benchmark_name + ", " + parts[k].result.model_name);
  }
  if (total == 0) return {};
  const Axis axis = axis_of(all);
  const MarkForm form = mark_form(total);
  const RowLayout layout =
      row_layout({.names = names, .width = width, .row_height = 40, .right_room = 80});
  const Scale x(axis.domain, {layout.plot.x, layout.plot.right()}, axis.kind);
  Drawing drawing(width, layout.height());
  draw_x_axis(drawing, layout.plot, x, kind.axis);
  draw_rows(drawing, layout, names);
  drawing.text({drawing.width() - 10, 14}, "sum",
               {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  for (std::size_t k = 0; k < all.size(); ++k)
    draw_costs(drawing, x, {layout.middle(k), layout.number_y(layout.middle(k))}, all[k], form);
  return {std::string(kind.key), std::string(kind.title), qa_cost_caption(kind, all, axis, form),
          drawing.svg(kind.title)};
}

}  // namespace

Figures qa_cost_figures(const QaScene& scene) {
  Figures figures;
  for (const CostKind& kind : cost_kinds) {
    Figure figure = cost(scene, kind);
    if (!figure.svg.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace assay::report
