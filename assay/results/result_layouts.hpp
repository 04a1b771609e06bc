// SPDX-License-Identifier: Apache-2.0
/// The layouts of results files, one function each; results.cpp chooses between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/csv.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/compare.hpp"

namespace assay::results {

// `file.name()` is the path as given. All readers throw an Error::input that names file and fault.

/// Ours, `assay.folds/1`: the pooled subjects of a cross-validation.
std::vector<compare::ResultTable> read_folds(const JsonObject& file);
/// One run of a cross-validation: `per_subject_*` lists and `subject_ids`.
std::vector<compare::ResultTable> read_run(const JsonObject& file);
/// nnU-Net's summary.json of version 2 (`metric_per_case`) and of version 1 (`results.all`).
std::vector<compare::ResultTable> read_nnunet_2(const JsonObject& file);
std::vector<compare::ResultTable> read_nnunet_1(const JsonObject& file);

/// Tables of text: one row per value, or one row per case. `name` is the path as given.
std::vector<compare::ResultTable> read_table(std::string_view text, const std::string& name);
std::vector<compare::ResultTable> read_long(const Csv& csv, const std::string& name);
std::vector<compare::ResultTable> read_wide(const Csv& csv, const std::string& name);

/// The accepted formats, for messages that refuse another one.
inline constexpr std::string_view accepted =
    "a results file is one of 'assay score --out', 'assay folds --out', nnU-Net's summary.json, "
    "the specification's EvaluationResult or results.json of a run, or a CSV or TSV with a row per "
    "case or per value";

/// A case's id from the name of its image. Endings of formats that we do not read are dropped, too.
std::string case_id(std::string_view image_name);

/// The last part of a path with Unix or Windows separators.
std::string_view last_part(std::string_view path);

}  // namespace assay::results
