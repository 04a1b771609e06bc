// SPDX-License-Identifier: Apache-2.0
/// The parts of the report's page, one file each; page.cpp puts them together.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

inline bool is_finite(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

/// The columns that the page shows: those of the label that was asked for, or the case averages.
const std::vector<compare::MetricColumn>& shown_columns(const Study& study, std::size_t model);

/// The position of each case of a model in the study.
std::vector<std::size_t> places_in_study(const Study& study, std::size_t model);

/// JSON text of any text; safe inside a script element.
std::string json_text(std::string_view text);

/// All metrics of any model, those of the first screen first.
std::vector<std::string> all_metrics(const Study& study);

/// Values by metric, model and case, in columns; what the page's script reads.
std::string page_data(const Study& study);

/// What the page needs for a view of one label: its values, and the parts of the page that it
/// replaces.
std::string view_data(const StudyView& view);

/// The labels that can be chosen, with the numbers of their blocks; "[]" without a choice.
std::string views_index(const Study& study, std::span<const StudyView* const> views);

/// Bytes, compressed, as a script element that does not run.
std::string packed_block(std::string_view id, std::string_view bytes);

/// A sentence that names the metrics for which there is no room in the data; "" when there are
/// none.
std::string left_out_metrics(const Study& study);

/// What the script needs to know about the volumes besides their blocks.
std::string volumes_data(const Study& study, std::span<const CaseVolume* const> volumes);

/// The value of a case of the study in a column of a model, which may be null.
std::optional<double> value_in(const Study& study, std::size_t model,
                               const compare::MetricColumn* column, std::size_t place);

/// What the colours of pictures mean; `several` adds the colour of a wrong label.
std::string agreement_legend(bool several);

/// What the comparison says about a model in a metric, in a word.
struct VerdictChip {
  std::string_view word, css;
};
VerdictChip chip_of(const compare::MetricComparison& metric, const compare::PairComparison& pair);
std::string chip_html(const VerdictChip& chip);

/// The failures of a model that count in its mean, and the mean without them.
struct CountedFailures {
  std::size_t count = 0;
  std::optional<double> mean_without{};
};
CountedFailures counted_failures(const compare::MetricComparison& metric, std::size_t model);

/// The mean over the finite values of a model, whose cases need not be those of other models.
metrics::Summary mean_of(const Study& study, std::size_t model, const std::string& metric);

metrics::Better direction_of(const Study& study, const std::string& metric);

/// A value transformed so that more is better.
double gain_of(double value, metrics::Better better);

/// What all metrics of the page refer to: "whole tumour", or "mean of core and oedema". "" if their
/// names say so, or if there is nothing to say.
struct LabelWords {
  std::string text{};
  bool is_mean = false;
};
LabelWords label_words(const Study& study);

/// What was found in a metric, in a sentence; "" where nothing is said about it.
std::string models_sentence(const Study& study, const std::string& metric);

/// A part of the page that depends on the chosen label: the script replaces its content.
std::string page_part(std::string_view name, std::string_view html);

/// What was found in each metric, in plain words, and the failures that count in it; all but the
/// first are hidden until their metric is chosen.
std::string lead_html(const Study& study);

/// What was found in question answering, and what else is on the page.
std::string answers_sentences(const Study& study);

/// The headline table and how to read it.
std::string means_html(const Study& study);

/// What became of every case: a line, and the whole account when it is opened.
std::string ledger(const Study& study);

/// The result, the ledger, a picture ("" without one) and the headline table.
std::string first_screen(const Study& study, const std::string& picture,
                         const std::vector<std::string>& notes);

/// A drawing with its title, its caption, and how to read it.
std::string figure_html(const Figure& figure);

/// The same of several; those for readers who ask for more are folded.
std::string figures_html(std::span<const Figure* const> figures);

/// A panel per metric: what the comparison found, and its figures.
std::string panels_html(const Study& study, const std::vector<Figure>& figures);
std::string figures_section(const PageContent& content);

/// The worst case as a picture for the first screen; "" if no volume shows a worst case.
std::string worst_case_figure(const PageContent& content);

/// What changed since an older version; "" without one.
std::string since_section(const PageContent& content);

/// The values of the cases for the printed page; hidden on a screen.
std::string printed_cases(const Study& study);

/// One volume as blocks of base64, named "volume-<number>-…", and as stills.
std::string volume_blocks(const CaseVolume& volume, std::size_t number);
std::string volume_stills(const CaseVolume& volume, const Study& study);

/// Questions: scores, ledger, drawings. The answers that are shown come one by one.
std::string qa_section(const PageContent& content);
std::string qa_answer(const ShownAnswer& answer);

/// The same questions as cards, with the agent's path over the slide.
std::string qa_gallery(std::span<const ShownAnswer* const> answers);

/// Parity, cross-validations and saved comparisons.
std::string findings_section(const PageContent& content);

/// Methods, checklist and tables to paste.
std::string words_section(const PageContent& content);

/// Settings and provenance of every file.
std::string sources_section(const PageContent& content);

/// Text, escaped, between tags.
std::string element(std::string_view tag, std::string_view text, std::string_view attributes = "");

/// A table of text with a caption for screen readers.
std::string html_table(const PaperTable& table, std::string_view caption);

}  // namespace assay::report
