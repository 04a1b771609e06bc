// SPDX-License-Identifier: Apache-2.0
/// The parts of the report's page, one file each; page.cpp puts them together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/figures/figure_scene.hpp"
#include "assay/report/page/page.hpp"

namespace assay::report {

/// A metric's name for people, with its unit: "Hausdorff distance (mm)".
std::string metric_title(const std::string& key,
                         metrics::LengthUnit unit = metrics::LengthUnit::mm);

/// The columns that the page shows: of the label that was asked for, or the case averages.
const std::vector<compare::MetricColumn>& shown_columns(const Study& study, std::size_t model);

/// The position of each case of a model in the study.
std::vector<std::size_t> places_in_study(const Study& study, std::size_t model);

/// JSON text of any text; safe inside a script element.
std::string json_text(std::string_view text);

/// Values by metric, model and case, in columns; what the page's script reads.
std::string page_data(const Study& study);

/// A sentence that names the metrics for which there is no room in the data; "" when there are
/// none.
std::string left_out_metrics(const Study& study);

/// What the script needs to know about the volumes besides their blocks.
std::string volumes_data(std::span<const CaseVolume* const> volumes);

/// What was measured, the headline table, the ledger, the conclusions.
std::string first_screen(const PageContent& content);

/// A drawing with its title above and its caption below.
std::string figure_html(const Figure& figure);
std::string figures_section(std::string_view id, std::string_view title,
                            std::span<const Figure> figures);

/// One volume as blocks of base64, named "volume-<number>-…", and as stills.
std::string volume_blocks(const CaseVolume& volume, std::size_t number);
std::string volume_stills(const CaseVolume& volume, const Study& study);

/// Questions: scores, ledger, drawings. The answers that are shown come one by one.
std::string qa_section(const PageContent& content);
std::string qa_answer(const ShownAnswer& answer);

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
