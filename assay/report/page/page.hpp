// SPDX-License-Identifier: Apache-2.0
/// A study as one self-contained HTML page: figures, tables, volumes, text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.hpp"
#include "assay/report/case_volume.hpp"
#include "assay/report/figures/figure.hpp"
#include "assay/report/page/trajectory_page.hpp"
#include "assay/report/study.hpp"
#include "assay/report/text/paper_table.hpp"

namespace assay::report {

/// What a file says about itself, as JSON text; "" if it says nothing.
struct SourceDocument {
  std::string file, kind, settings{}, provenance{};
};

/// A table that was saved by another command, with its sentences.
struct Finding {
  std::string title, source;
  std::vector<std::string> sentences{};
  PaperTable table{};
};

/// How an agent answered one question of `Study::qa`.
struct ShownAnswer {
  std::size_t part = 0, item = 0;  ///< places in the study
  TrajectoryView view;
};

/// An older version of a model and the one that the page is about.
struct Since {
  VersionChanges changes;
  Study study;                        ///< of both, compared
  std::vector<CaseVolume> volumes{};  ///< of the cases that changed most, with both predictions
};

/// The study for one label or region, with its figures.
struct StudyView {
  std::string key, name;
  Study study;
  std::vector<Figure> figures{};
};

/// Volumes and answers are in order of interest: if they do not fit, the last are left out.
struct PageContent {
  Study study;
  std::vector<Figure> figures{}, qa_figures{};
  std::vector<StudyView> views{};  ///< for the choice of a label; empty: there is no choice
  std::vector<CaseVolume> volumes{};
  std::vector<ShownAnswer> answers{};
  std::optional<Since> since{};
  std::vector<Finding> findings{};
  std::vector<SourceDocument> documents{};
  std::vector<std::string> notes{};
  std::string version{};
  bool with_niivue = false;  ///< embeds niivue_script() in the page
  std::size_t budget_bytes = 8'000'000;
};

struct PageText {
  std::string html;
  std::vector<std::string> dropped{};  ///< sentences on what the budget left out
};

/// NiiVue, if it was there when assay was built; else "".
std::string_view niivue_script();

PageText report_page(const PageContent& content);

}  // namespace assay::report
