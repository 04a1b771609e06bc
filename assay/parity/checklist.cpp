// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "assay/parity.hpp"

namespace assay::parity {
namespace {

/// Three outer folds, three inner folds, ten restarts.
constexpr std::size_t specified_outer_folds = 3, specified_inner_folds = 3, specified_restarts = 10;
constexpr std::size_t specified_runs =
    specified_outer_folds * specified_inner_folds * specified_restarts;

/// MeshNet's ten layers: nine dilated ones, then the 1x1x1 classifier.
constexpr std::array<long long, 10> meshnet_dilations = {1, 2, 4, 8, 16, 16, 8, 4, 2, 1};

CheckAnswer answer_of(bool holds) {
  return holds ? CheckAnswer::yes : CheckAnswer::no;
}

/// Whether Dice is at least what a level asks for.
CheckItem dice_item(const CheckInput& in, std::string text,
                    std::optional<bool> MetricDetail::*reached) {
  const MetricDetail& dice = in.result.details.dice;
  if (!(dice.*reached)) return {.item = std::move(text), .because = in.achieved.dice.missing};
  return {.item = std::move(text),
          .answer = answer_of(*(dice.*reached)),
          .because = fmt::format("Dice is {:.4f}", *dice.achieved)};
}

CheckItem std_item(const CheckInput& in) {
  CheckItem item = {.item = fmt::format("Standard deviation ≤ {:g}", in.limits.dice_std)};
  const StdDetail& std = in.result.details.dice_std;
  if (std.acceptable) {
    item.answer = answer_of(*std.acceptable);
    item.because = fmt::format("{:.4f} over {}", *std.achieved, words(in.dice_std.over));
  } else {
    item.because = in.dice_std.std.missing;
  }
  return item;
}

CheckItem runs_item(const CheckInput& in) {
  CheckItem item = {.item = fmt::format("All {} configurations complete", specified_runs)};
  if (!in.achieved.runs) {
    item.because = "the file lists no single runs";
    return item;
  }
  const std::size_t runs = *in.achieved.runs;
  item.answer = answer_of(runs >= specified_runs);
  item.because = fmt::format("{} {} in the file", runs, runs == 1 ? "run is" : "runs are");
  if (runs == specified_outer_folds * specified_restarts)
    item.because += fmt::format(
        "; that is every outer fold and restart: {} counts inner folds, which have no test values",
        specified_runs);
  return item;
}

CheckItem folds_item(const CheckInput& in) {
  CheckItem item = {
      .item = fmt::format("Test set evaluation on all {} outer folds", specified_outer_folds)};
  if (in.achieved.outer_folds) {
    item.answer = answer_of(*in.achieved.outer_folds >= specified_outer_folds);
    item.because = fmt::format("test values of {} in the file",
                               *in.achieved.outer_folds == 1
                                   ? "1 outer fold are"
                                   : fmt::format("{} outer folds are", *in.achieved.outer_folds));
  } else {
    item.because = "the file does not say which outer folds its values come from";
  }
  return item;
}

CheckItem table_item(const CheckInput& in) {
  const bool whole =
      in.result.dice_mean && in.result.dice_std && in.result.avd_mean && in.result.mcc_mean;
  return {.item = "Benchmark table matches paper format",
          .answer = answer_of(whole),
          .because = whole ? "written with the paper's columns: parameters, Dice, AVD, MCC"
                           : "written, but a value is missing in our row"};
}

CheckItem comparison_item(const CheckInput& in) {
  CheckItem item = {.item = "Statistical comparison shows no significant difference from paper"};
  if (!in.comparison) {
    item.because = "the file has no single values, only means";
    return item;
  }
  if (in.comparison->interval) item.answer = answer_of(!in.comparison->significant);
  item.because = fmt::format("{} over {} {}; {}", in.comparison->p_text(), in.comparison->n,
                             words(in.achieved.sample.over), in.comparison->conclusion);
  return item;
}

CheckItem parameters_item(const CheckInput& in) {
  const auto& found = in.achieved.description.parameters;
  if (!in.paper.parameters)
    return {.item = "Parameters match the paper's", .because = "the paper's file gives no number"};
  CheckItem item = {.item = fmt::format("Parameters: {}", *in.paper.parameters)};
  if (found) {
    item.answer = answer_of(*found == *in.paper.parameters);
    item.because = fmt::format("{} in {}", *found, in.achieved.description.place);
  } else {
    item.because = "no parameter count is given; --model-json FILE can give one";
  }
  return item;
}

CheckItem architecture_item(const CheckInput& in) {
  CheckItem item = {.item = fmt::format("Architecture: 10 layers, dilations {}",
                                        fmt::join(meshnet_dilations, ","))};
  const std::vector<long long>& found = in.achieved.description.dilations;
  if (found.empty()) {
    item.because = "no dilations are given; --model-json FILE can give them";
    return item;
  }
  // Some descriptions list the nine dilated layers and leave the classifier out.
  const auto wanted = std::span(meshnet_dilations).first(found.size() == 9 ? 9 : 10);
  item.answer = answer_of(std::ranges::equal(found, wanted));
  item.because = fmt::format("{} in {}", fmt::join(found, ","), in.achieved.description.place);
  return item;
}

}  // namespace

std::string_view name(CheckAnswer answer) {
  constexpr std::string_view names[] = {"yes", "no", "cannot_be_checked"};
  return names[static_cast<std::size_t>(answer)];
}

std::string_view words(SpreadOver spread) {
  switch (spread) {
    case SpreadOver::subjects: return "subjects";
    case SpreadOver::runs: return "runs";
    case SpreadOver::outer_folds: return "outer folds";
    case SpreadOver::unknown: break;
  }
  return "what the file does not say";
}

std::vector<CheckItem> success_checklist(const CheckInput& in) {
  const std::string dice =
      fmt::format("{} achieves Dice ≥ {:g}", in.paper.name, in.limits.acceptable_dice);
  return {dice_item(in, dice, &MetricDetail::acceptable),
          std_item(in),
          runs_item(in),
          folds_item(in),
          table_item(in),
          comparison_item(in)};
}

std::vector<CheckItem> minimum_viable(const CheckInput& in) {
  std::vector<CheckItem> items = {
      dice_item(in, fmt::format("Dice ≥ {:g}", in.limits.minimum_dice), &MetricDetail::minimum),
      parameters_item(in)};
  if (in.paper.key.starts_with("meshnet")) items.push_back(architecture_item(in));
  return items;
}

}  // namespace assay::parity
