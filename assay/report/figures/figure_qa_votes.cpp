// SPDX-License-Identifier: Apache-2.0
/// How far several runs over an item agree, and what a majority of them is worth.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/report/figures/chart.hpp"
#include "assay/report/figures/figure_kinds.hpp"
#include "assay/report/figures/svg.hpp"

namespace assay::report {
namespace {

/// Items by how many of their runs voted for the winner.
struct VoteAgreement {
  std::vector<std::size_t> right{}, wrong{};  ///< at position k: k + 1 votes
  std::size_t without_label = 0;

  std::size_t highest() const {
    std::size_t most = 1;
    for (std::size_t k = 0; k < right.size(); ++k) most = std::max(most, right[k] + wrong[k]);
    return most;
  }
};

VoteAgreement agreement_of(const qa::QaResult& result, std::size_t runs) {
  VoteAgreement out = {std::vector<std::size_t>(runs), std::vector<std::size_t>(runs)};
  for (const qa::ItemResult& item : result.results) {
    const auto votes =
        static_cast<std::size_t>(std::ranges::count_if(item.votes, [&](const qa::Attempt& attempt) {
          return item.predicted_label && attempt.answer.label == item.predicted_label;
        }));
    if (votes == 0 || votes > runs)
      ++out.without_label;
    else
      ++(item.correct ? out.right : out.wrong)[votes - 1];
  }
  return out;
}

void draw_bars(Drawing& drawing, const Frame& plot, const VoteAgreement& agreement) {
  const Scale y({0, double(agreement.highest()) * 1.05}, {plot.bottom(), plot.y});
  const double step = plot.width / double(agreement.right.size()), width = step * 0.7;
  draw_y_axis(drawing, plot, y, "items");
  for (std::size_t k = 0; k < agreement.right.size(); ++k) {
    const double left = plot.x + step * double(k) + (step - width) / 2;
    const auto right = double(agreement.right[k]), all = right + double(agreement.wrong[k]);
    drawing.box({left, y(right), width, plot.bottom() - y(right)},
                {.fill = tone::better, .fill_opacity = 0.8});
    drawing.box({left, y(all), width, y(right) - y(all)},
                {.fill = tone::worse, .fill_opacity = 0.8});
    drawing.text({left + width / 2, plot.bottom() + 13}, std::to_string(k + 1),
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
    drawing.tooltip({left, plot.y, width, plot.height},
                    fmt::format("{} votes for the winner: {} right, {} wrong", k + 1,
                                agreement.right[k], agreement.wrong[k]));
  }
  draw_x_title(drawing, plot, "votes for the winner");
}

/// Means over subsets of runs, with one SD to either side.
void draw_majority(Drawing& drawing, const Frame& plot,
                   std::span<const qa::MajorityScore> majority) {
  std::vector<double> ends;
  for (const qa::MajorityScore& at : majority) {
    ends.push_back(at.mean - at.std.value_or(0));
    ends.push_back(at.mean + at.std.value_or(0));
  }
  const Extent data = extent_of(ends).value_or(Extent{0, 1});
  const Scale y(padded({100 * data.low, 100 * data.high}, {0, 100}), {plot.bottom(), plot.y});
  const Scale x({0.5, double(majority.size()) + 0.5}, {plot.x, plot.right()});
  for (const Tick& tick : y.ticks(4)) {
    drawing.line({plot.x, y(tick.value)}, {plot.right(), y(tick.value)}, {.stroke = tone::rule});
    drawing.text({plot.x - 7, y(tick.value)}, tick.label + " %",
                 {.size = small_text, .anchor = Anchor::end, .tone = tone::muted});
  }
  std::vector<Spot> points;
  for (std::size_t k = 0; k < majority.size(); ++k) {
    const qa::MajorityScore& at = majority[k];
    points.push_back({x(double(k + 1)), y(100 * at.mean)});
    if (at.std)
      drawing.line({x(double(k + 1)), y(std::min(100 * (at.mean + *at.std), 100.0))},
                   {x(double(k + 1)), y(std::max(100 * (at.mean - *at.std), 0.0))},
                   {.stroke = model_tone(0)});
    drawing.text({x(double(k + 1)), plot.bottom() + 13}, std::to_string(k + 1),
                 {.size = small_text, .anchor = Anchor::middle, .tone = tone::muted});
  }
  drawing.path(polyline(points), {.stroke = model_tone(0), .stroke_width = 2});
  for (const Spot& point : points) drawing.circle(point, 4, {.fill = model_tone(0)});
  draw_x_title(drawing, plot, "score of the majority vote of this many runs");
}

/// The two plots side by side, or one below the other.
std::array<Frame, 2> vote_frames(double width) {
  constexpr double top = 20, height = 190, left = 58, right = 14, gap = 78;
  if (width < roomy_width) {
    const Frame upper = {left, top, width - left - right, height};
    return {upper, {left, upper.bottom() + axis_room + top, upper.width, height}};
  }
  const double each = (width - left - right - gap) / 2;
  return {Frame{left, top, each, height}, {left + each + gap, top, each, height}};
}

Figure votes(const QaStudyPart& part, double width) {
  const std::size_t runs = part.scores.majority.runs + part.scores.majority.left_out;
  const VoteAgreement agreement = agreement_of(part.result, runs);
  const auto [bars, curve] = vote_frames(width);
  const bool is_beside = bars.y == curve.y;
  Drawing drawing(width, curve.bottom() + axis_room);
  draw_bars(drawing, bars, agreement);
  draw_majority(drawing, curve, part.scores.majority.at);
  const std::string title =
      fmt::format("{}, {}: agreement of votes", part.result.benchmark_name, part.result.model_name);
  std::string caption = fmt::format(
      "{}: items by how many of {} runs voted for the answer that won, right answers in blue, "
      "wrong ones in orange. If high agreement is mostly blue, agreement is a useful sign of "
      "confidence. {}: the score of the majority vote by number of runs, mean and SD over "
      "subsets of the "
      "runs. n = {} items",
      is_beside ? "Left" : "Above", runs, is_beside ? "Right" : "Below",
      part.result.results.size());
  if (agreement.without_label != 0)
    caption += fmt::format("; {} without a label are left out {}", agreement.without_label,
                           is_beside ? "on the left" : "above");
  if (part.scores.vote_agreement)
    caption += fmt::format("; mean share of votes for the winner {:.1f} %",
                           100 * *part.scores.vote_agreement);
  return {fmt::format("qa-votes-{}-{}", key_part(part.result.benchmark_name),
                      key_part(part.result.model_name)),
          title, caption + ".", drawing.svg(title)};
}

}  // namespace

Figures qa_vote_figures(const QaScene& scene) {
  Figures figures;
  for (const QaStudyPart& part : scene.parts)
    if (part.scores.majority.at.size() > 1) figures.push_back(votes(part, scene.width));
  return figures;
}

}  // namespace assay::report
