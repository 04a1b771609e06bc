// SPDX-License-Identifier: Apache-2.0
/// A drawing with the words that go with it.
#pragma once

#include <string>
#include <vector>

#include "assay/report/study.hpp"

namespace assay {

/// Marks that stand for one case of one model carry their positions in the study, so that a page
/// can bring them to life: `<circle class="mark" data-case="17" data-model="2" …/>`, or, where they
/// are many, one `<path class="marks" data-model="2" data-cases="0 1 5" d="M10 20h0M11 25h0…"/>`
/// with a dot per case. Nothing else in the drawing needs a script.
struct Figure {
  std::string key;      ///< names its file and its place on the page: "raincloud-dice"
  std::string title;    ///< plain text
  std::string caption;  ///< plain text: what is shown, and how to read it
  std::string svg;      ///< whole, with its own size, fonts and colours
};

/// All drawings that the study allows, in reading order.
std::vector<Figure> study_figures(const Study& study);

}  // namespace assay
