// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "assay/report/figures/figure.hpp"
#include "assay/report/figures/figure_kinds.hpp"

namespace assay::report {
namespace {

struct FigureKind {
  std::string_view name;
  bool (*applies)(const FigureScene&);
  Figures (*draw)(const FigureScene&);
  bool is_detail = false;  ///< for readers who ask for more
};

bool has_models(const FigureScene& scene) {
  return !scene.study.models.empty();
}

bool is_compared(const FigureScene& scene) {
  return scene.study.comparison.has_value();
}

bool has_labels(const FigureScene& scene) {
  return std::ranges::any_of(scene.study.models, [](const compare::ResultTable& table) {
    return std::ranges::count_if(table.labels, [](const compare::LabelTable& label) {
             return !label.columns.empty();
           }) > 1;
  });
}

bool has_subgroups(const FigureScene& scene) {
  return is_compared(scene) && !scene.study.comparison->subgroups.empty();
}

bool has_parity(const FigureScene& scene) {
  return !scene.study.parity.empty();
}

bool has_folds(const FigureScene& scene) {
  return !scene.study.folds.empty();
}

/// In reading order: the scores, who is better, how sure that is, and where it comes from.
constexpr FigureKind figure_kinds[] = {
    {"raincloud", has_models, raincloud_figures},
    {"forest", is_compared, forest_figures},
    {"differences", has_compared_values, difference_figures, true},
    {"ranks", is_compared, rank_figures, true},
    {"critical-difference", is_compared, critical_difference_figures, true},
    {"significance", has_compared_values, significance_figures, true},
    {"agreement", has_models, agreement_figures},
    {"volume", has_models, volume_figures},
    {"probability", has_models, probability_figures},
    {"lesion-size", has_models, lesion_size_figures},
    {"labels", has_labels, label_figures, true},
    {"subgroups", has_subgroups, subgroup_figures, true},
    {"parity", has_parity, parity_figures},
    {"folds", has_folds, fold_figures},
};

struct QaKind {
  std::string_view name;
  Figures (*draw)(const QaScene&);
  bool is_detail = false;
};

constexpr QaKind qa_kinds[] = {
    {"accuracy", qa_accuracy_figures, true},
    {"confusion", qa_confusion_figures, true},
    {"votes", qa_vote_figures, true},
    {"cost", qa_cost_figures, true},
};

void append(Figures& all, Figures more) {
  std::ranges::move(more, std::back_inserter(all));
}

Figures marked(Figures figures, bool is_detail) {
  for (Figure& figure : figures) figure.is_detail = is_detail;
  return figures;
}

/// Makes keys unique: names that differ only in punctuation would have the same key.
Figures with_own_keys(Figures figures) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string key = figures[i].key;
    std::size_t number = 1;
    const auto is_taken = [&](const Figure& other) { return other.key == figures[i].key; };
    while (std::any_of(figures.begin(), figures.begin() + std::ptrdiff_t(i), is_taken))
      figures[i].key = key + "-" + std::to_string(++number);
  }
  return figures;
}

/// "var(--ink, #1b1f24)" as "#1b1f24".
std::string with_plain_colours(std::string_view svg) {
  constexpr std::string_view opening = "=\"var(--";
  std::string out;
  while (!svg.empty()) {
    const std::size_t at = svg.find(opening);
    const std::size_t comma = svg.find(", ", at), closing = svg.find(')', at);
    if (at == std::string_view::npos || comma > closing) return out.append(svg);
    out.append(svg.substr(0, at + 2)).append(svg.substr(comma + 2, closing - comma - 2));
    svg.remove_prefix(closing + 1);
  }
  return out;
}

}  // namespace

std::vector<Figure> study_figures(const Study& study, double width) {
  const FigureScene scene = figure_scene(study, width);
  Figures all;
  for (const FigureKind& kind : figure_kinds)
    if (kind.applies(scene)) append(all, marked(kind.draw(scene), kind.is_detail));
  return with_own_keys(std::move(all));
}

std::vector<Figure> qa_figures(std::span<const QaStudyPart> parts, double width) {
  Figures all;
  for (const QaKind& kind : qa_kinds)
    append(all, marked(kind.draw({parts, width}), kind.is_detail));
  return with_own_keys(std::move(all));
}

std::string standalone(const Figure& figure) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + with_plain_colours(figure.svg);
}

}  // namespace assay::report
