// SPDX-License-Identifier: Apache-2.0
/// Readers of text: JSON, tables, journals, and every results file.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>

#include "assay/base/bids.hpp"
#include "assay/base/command_line.hpp"
#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/journal.hpp"
#include "assay/base/journal_salvage.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/base/text.hpp"
#include "assay/report/make_report.hpp"
#include "assay/results.hpp"
#include "assay/results/case_record.hpp"
#include "assay/results/cross_validation.hpp"
#include "assay/results/group_table.hpp"
#include "assay/results/runs.hpp"
#include "assay/results/segmentation.hpp"
#include "assay/results/shard.hpp"
#include "assay/results/split.hpp"
#include "assay/score/dataset_json.hpp"
#include "assay/score/grand_challenge.hpp"
#include "assay/score/merge_shards.hpp"
#include "assay/score/score_cohort.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {
namespace {

bool has_infinity(const Json& value) {
  if (value.is_number_float()) return !std::isfinite(value.get<double>());
  return value.is_structured() && std::ranges::any_of(value, has_infinity);
}

/// The same value as nlohmann's own parser, or both refuse. Our reader takes what Python writes as
/// well (NaN, Infinity, numbers too large for a double, half a surrogate pair), and refuses what is
/// nested too deeply. A zero byte ends the text for nlohmann.
void json(Input input) {
  const std::string_view text = as_text(input);
  const Json theirs = Json::parse(text, nullptr, false);
  try {
    const Json ours = parse_json(text, "fuzz.json");
    const std::string written = to_text(ours, {.python_tokens = true});
    require(to_text(parse_json(written, "again.json"), {.python_tokens = true}) == written);
    if (theirs.is_discarded())
      require(has_infinity(ours) || text.find("\\u") != text.npos);
    else
      require(ours == theirs);
  } catch (const Error&) {
    require(theirs.is_discarded() || too_deep_at(text) || text.find('\0') != text.npos);
  }
}

/// A table that was read can be written and read again.
void csv(Input input) {
  allow_refusal([&] {
    const Csv table = parse_csv(as_text(input), "fuzz.csv");
    for (const auto& row : table.rows)
      if (row.size() != table.header.size()) std::abort();
  });
}

/// JSON in any shape, and a journal's record if it is one: written and read back it is the same.
void record(Input input) {
  allow_refusal([&] {
    const metrics::CaseRecord once = results::parse_record(as_text(input));
    if (results::parse_record(results::record_text(once)) != once) std::abort();
  });
}

/// Any layout: every column is as long as the table, and no value is NaN.
void results(Input input) {
  const auto check = [](const compare::ResultTable& table,
                        const std::vector<compare::MetricColumn>& columns) {
    for (const compare::MetricColumn& column : columns) {
      if (column.values.size() != table.cases) std::abort();
      for (const auto& value : column.values)
        if (value && std::isnan(*value)) std::abort();
    }
  };
  allow_refusal([&] {
    for (const compare::ResultTable& table :
         results::parse_results(as_text(input), "fuzz/results")) {
      if (!table.ids.empty() && table.ids.size() != table.cases) std::abort();
      check(table, table.averages);
      for (const compare::LabelTable& label : table.labels) check(table, label.columns);
      for (const auto& group : table.groups)
        if (group.second.size() != table.cases) std::abort();
    }
  });
}

void dataset(Input input) {
  allow_refusal([&] { score::parse_dataset_json(as_text(input), "dataset.json"); });
}

/// Whatever an experiment's file holds, there is a report on it.
void experiment(Input input) {
  for (const bool compat : {false, true})
    allow_refusal([&] {
      const parity::Achieved read =
          results::parse_experiment(as_text(input), "fuzz.json", {.compat_spec = compat});
      results::parity_text(
          parity::parity_report(read, parity::built_in_paper(), "", {.compat_spec = compat}), {});
    });
  allow_refusal([&] { results::parse_model_description(as_text(input), "fuzz.json"); });
}

/// A paper that was read can be listed and read again.
void paper(Input input) {
  allow_refusal([&] {
    const parity::Paper once = results::parse_paper(as_text(input), "fuzz.json");
    if (results::parse_paper(results::paper_text(once), "again.json").models.size() !=
        once.models.size())
      std::abort();
  });
}

/// A verdict that was read can be written and read again.
void parity(Input input) {
  allow_refusal([&] {
    const parity::ParityReport once = results::parse_parity(as_text(input), "fuzz.json");
    const parity::ParityReport again =
        results::parse_parity(results::parity_text(once, {}), "again.json");
    if (again.result.parity_level != once.result.parity_level) std::abort();
  });
}

/// What the cases say is about labels and metrics that the file has.
void segmentation(Input input) {
  allow_refusal([&] {
    const auto file = results::segmentation_in(as_text(input), "fuzz.json");
    if (!file) return;
    for (const results::SavedCase& one : file->cases)
      for (const results::SavedScores& scores : one.labels) {
        if (scores.label >= file->labels.size()) std::abort();
        for (const auto& value : scores.values)
          if (value.first >= file->metrics.size()) std::abort();
      }
    results::table_of(*file);
  });
}

/// What was read of a journal lies within it. What is salvaged of it is whole.
void journal(Input input) {
  const std::string repaired = with_journal_checksums(as_text(input));
  run_both(input, std::as_bytes(std::span(repaired)), [](Input bytes) {
    allow_refusal([&] {
      const auto content = parse_journal(as_text(bytes), "fuzz.journal");
      require(!content || content->bytes <= bytes.size());
    });
    const SalvagedJournal kept = salvaged_journal(as_text(bytes));
    if (!kept.header) return;
    const std::string text = journal_text(*kept.header, kept.records);
    const auto again = parse_journal(text, "again.journal");
    require(again && again->bytes == text.size() && again->records.size() == kept.records.size());
  });
}

/// A shard that was read is written and read again as it was; so is a plan.
void shard(Input input) {
  const std::string repaired = with_journal_checksums(as_text(input));
  run_both(input, std::as_bytes(std::span(repaired)), [](Input bytes) {
    allow_refusal([&] {
      const results::ShardFile once = results::parse_shard_file(as_text(bytes), "fuzz.jsonl");
      std::string text;
      results::ShardWriter writer(once.header, [&](std::string_view piece) { text += piece; });
      for (const results::ShardCase& one : once.cases) writer.add(one.index, one.record);
      writer.end();
      const results::ShardFile again = results::parse_shard_file(text, "again.jsonl");
      require(results::common_facts(again.header) == results::common_facts(once.header) &&
              again.cases.size() == once.cases.size());
    });
  });
  allow_refusal([&] {
    const results::ShardPlan once = results::parse_shard_plan(as_text(input), "fuzz.json");
    require(results::parse_shard_plan(results::shard_plan_text(once), "again.json").shard_of ==
            once.shard_of);
  });
}

/// Several shards with a zero between them: a result, or sentences that say what is wrong.
void merge(Input input) {
  static const TemporaryFolder folder;
  constexpr std::size_t most = 4;
  const std::vector<std::string_view> parts = parts_of(as_text(input), '\0');
  for (std::size_t i = 0; i < most; ++i) {
    const auto path = folder / results::shard_file_name("results.json", {i + 1, most});
    if (i < parts.size())
      std::ofstream(path, std::ios::binary) << with_journal_checksums(parts[i]);
    else
      std::filesystem::remove(path);
  }
  allow_refusal([&] {
    score::ShardFolder shards = score::read_shards(folder.path());
    score::sentences_of(shards.unusable, folder.path());
    score::listed_numbers(shards.missing);
    if (shards.files == 0 || !shards.conflicts.empty()) return;
    require(shards.records.size() <= shards.header.cases);
    const auto result =
        score::result_of(score::cohort_of(shards.header), std::move(shards.records));
    results::write_results_text(result, {}, [](std::string_view) {});
  });
}

/// Jobs of grand-challenge.org: no folder of theirs leads out of the input folder.
void jobs(Input input) {
  for (const score::Sockets& sockets : {score::Sockets{}, {"ct", "lesion"}})
    allow_refusal([&] {
      for (const score::NamedFile& job : score::parse_jobs(as_text(input), "fuzz.json", sockets)) {
        const std::filesystem::path path = job.path;
        require(path.is_relative() && *path.lexically_normal().begin() != "..");
      }
    });
}

/// A file of the process's own, with that content.
std::filesystem::path written(std::string_view name, std::string_view text) {
  static const TemporaryFolder folder;
  const std::filesystem::path path = folder / name;
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
  return path;
}

/// A table of cases: each of them is planned, or it is said why not.
void cohort(Input input) {
  allow_refusal([&] {
    score::CohortRequest request;
    request.manifest = written("cases.csv", as_text(input));
    for (const score::CasePlan& plan : score::plan_cohort(request, {}).cases)
      require(plan.fate != metrics::Fate::scored || !plan.files.empty());
  });
}

/// A run has one value per subject, and none that is not finite.
void run(Input input) {
  allow_refusal([&] {
    const compare::FoldRun one =
        results::parse_run(as_text(input), "fuzz/results.json", {.outer_fold = 0});
    for (const compare::MetricColumn& column : one.columns) {
      if (column.values.size() != std::max(one.ids.size(), one.indices.size())) std::abort();
      for (const auto& value : column.values)
        if (value && !std::isfinite(*value)) std::abort();
    }
    compare::cross_validated({one}, compare::Restarts::median);
  });
}

/// Whatever was read can be divided or is refused; no case is lost on the way.
void manifest(Input input) {
  for (const char* stratify : {"", "s", "v:2"})
    allow_refusal([&] {
      results::SplitSettings settings = {.outer = 2, .inner = 2};
      if (*stratify != '\0') settings.stratify = {stratify};
      const results::SplitManifest table =
          results::parse_split_manifest(as_text(input), "fuzz.csv", settings);
      if (results::folds_of(table, settings).outer.size() != table.ids.size()) std::abort();
    });
}

void comparison(Input input) {
  allow_refusal([&] { results::parse_comparison(as_text(input), "fuzz.json"); });
}

void folds(Input input) {
  allow_refusal([&] {
    results::SavedFolds found = results::parse_folds(as_text(input), "fuzz.json");
    compare::cross_validated(std::move(found.runs), found.restarts);
  });
}

/// Names of files, and commands as they are typed.
void names(Input input) {
  const std::string_view text = as_text(input);
  std::vector<std::string> lines;
  for (const std::string_view line : parts_of(text, '\n')) {
    lines.emplace_back(line);
    entities(line);
    is_in_subject_folder(line);
    results::fold_name(line);
    allow_refusal([&] {
      const CommandWords words = command_words(line, "--command");
      require(command_words(command_text(words), "again") == words);
    });
  }
  if (const auto keys = telling_entities(lines))
    for (const std::string& line : lines) entity_id(entities(line), *keys);
  stated_entities(lines);
}

/// A table that adds columns to cases.
void groups(Input input) {
  allow_refusal([&] {
    const results::GroupTable table(written("groups.csv", as_text(input)));
    const std::vector<std::string> ids = {"sub-01", "sub-01_ses-2", "a"};
    for (const std::string& id : ids)
      if (const auto* values = table.values_of(id))
        require(values->size() == table.columns().size());
    const auto without = table.without_row(ids);
    if (!without.empty()) table.trouble(without, ids.size());
  });
}

/// Whatever results files say (up to two, with a zero between them), there is a page about them or
/// a sentence, and no text of theirs becomes markup.
void report(Input input) {
  const std::string_view text = as_text(input), first = text.substr(0, text.find('\0'));
  report::ReportRequest request;
  request.study.files.push_back(written("a.results", first).string());
  if (first.size() < text.size())
    request.study.files.push_back(written("b.results", text.substr(first.size() + 1)).string());
  allow_refusal([&] {
    const std::string page = report::make_report(request).page.html;
    require(page.find("<x-fuzz") == page.npos);
  });
}

constexpr std::array result_list = {Target{"fuzz_json", json},
                                    Target{"fuzz_csv", csv},
                                    Target{"fuzz_record", record},
                                    Target{"fuzz_results", results},
                                    Target{"fuzz_dataset", dataset},
                                    Target{"fuzz_journal", journal},
                                    Target{"fuzz_shard", shard},
                                    Target{"fuzz_merge", merge},
                                    Target{"fuzz_jobs", jobs},
                                    Target{"fuzz_cohort", cohort},
                                    Target{"fuzz_run", run},
                                    Target{"fuzz_manifest", manifest},
                                    Target{"fuzz_experiment", experiment},
                                    Target{"fuzz_paper", paper},
                                    Target{"fuzz_parity", parity},
                                    Target{"fuzz_segmentation", segmentation},
                                    Target{"fuzz_comparison", comparison},
                                    Target{"fuzz_folds", folds},
                                    Target{"fuzz_names", names},
                                    Target{"fuzz_groups", groups},
                                    Target{"fuzz_report", report}};

}  // namespace

std::span<const Target> result_targets() {
  return result_list;
}

}  // namespace assay::fuzz
