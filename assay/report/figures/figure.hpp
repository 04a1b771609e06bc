// SPDX-License-Identifier: Apache-2.0
/// A figure with its title and caption.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/report/figures/chart.hpp"
#include "assay/report/study.hpp"

namespace assay::report {

/// A mark for one case of one model has their positions in the study, so that a page can make it
/// interactive: `<circle class="mark" data-case="17" data-model="2" …/>`. If there are many marks,
/// one `<path class="marks" data-model="2" data-cases="0 1 5" d="M10 20h0M11 25h0…"/>` has a dot
/// per case. In drawings of question answering the positions are those of the part and of the item
/// in its result, as `data-part` with `data-item` or `data-items`. Nothing else in the drawing
/// needs a script.
///
/// Colours are custom properties with fallbacks, so that a page can restyle them: `--c0` to `--c6`
/// for models, `--ink`, `--muted`, `--rule` (grid and axes), `--paper` (background), `--band`
/// (margins and limits), `--better`, `--worse`.
struct Figure {
  std::string key;         ///< names its file and its place on the page: "raincloud-dice"
  std::string title;       ///< plain text
  std::string caption;     ///< plain text: what is shown, of how many cases
  std::string svg;         ///< whole, with its own size, fonts and colours
  std::string reading{};   ///< plain text: how to read it, for those who do not know its kind
  std::string topic{};     ///< the key of its metric, or what else it is about: "Volume"
  bool is_detail = false;  ///< shown when the reader asks for more about the topic
};

/// All figures that the study allows, in reading order; those of its `qa` are made by qa_figures.
/// `width` is that of each drawing, in units of 1/12 of the usual text size.
std::vector<Figure> study_figures(const Study& study, double width = page_width);

/// Confusion, accuracy, agreement of votes, cost.
std::vector<Figure> qa_figures(std::span<const QaStudyPart> parts, double width = page_width);

/// The drawing as a file of its own: with an XML header, and with plain colours, since programs
/// other than browsers do not know custom properties.
std::string standalone(const Figure& figure);

}  // namespace assay::report
