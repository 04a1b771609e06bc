// SPDX-License-Identifier: Apache-2.0
/// assay qa compare: two runs over the same questions, item by item.
#include <algorithm>
#include <ostream>
#include <tuple>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/report/text/qa_scores.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace qa_compare_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string first, second, table, format;
  qa::QaComparisonSettings settings;
  bool anonymous = false;
};

/// One form of the comparison; a table row instead of an if-chain.
struct Form {
  std::string_view name;
  std::string (*text)(const std::vector<qa::QaComparison>&, const report::QaReportStyle&);
};

constexpr Form forms[] = {
    {"table",
     [](const std::vector<qa::QaComparison>& all, const report::QaReportStyle& style) {
       std::string out;
       for (const qa::QaComparison& each : all)
         out += (out.empty() ? "" : "\n") + report::qa_comparison_report(each, style);
       return out;
     }},
    {"markdown", [](const std::vector<qa::QaComparison>& all,
                    const report::QaReportStyle&) { return report::qa_comparison_markdown(all); }},
    {"csv", [](const std::vector<qa::QaComparison>& all,
               const report::QaReportStyle&) { return report::qa_comparison_csv(all); }},
};

void declare_options(Arguments& a, Options& o) {
  a.positional("A", o.first, "A run folder or results file");
  a.positional("B", o.second, "Another one with the same questions");
  a.heading("Items");
  a.flag("--intersect", o.settings.intersect,
         "Compare the common items when the runs have different ones");
  a.option("--table FILE", o.table,
           "The questions, for files that do not name the slides of their items");
  a.heading("Tests");
  a.option("--alpha A", o.settings.alpha, "Significance level; intervals have the level 1 - A");
  a.option("--replicates N", o.settings.replicates, "Bootstrap replicates");
  a.option("--seed N", o.settings.seed, "Seed of the bootstrap");
  a.heading("Output");
  a.choice("--format", o.format, names_in(forms),
           with_default("Format of the output; csv lists the items that changed", forms[0].name));
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

std::vector<qa::QaResult> runs_of(const std::string& word, const qa::ItemTable* table) {
  std::vector<qa::QaResult> out;
  for (qa::SavedQa& saved : qa::read_qa_runs({word}, table)) {
    qa::QaResult result = std::move(saved.result);
    if (saved.layout == qa::QaLayout::authors)
      result = qa::rescored(std::move(result), qa::ExtractionRules::assay);
    else if (saved.layout == qa::QaLayout::specification && table != nullptr)
      result = qa::completed(std::move(result), *table);
    const auto same = std::ranges::find(out, result.benchmark_name, &qa::QaResult::benchmark_name);
    if (same != out.end())
      throw Error(Error::Kind::input, word,
                  "has two results of " + result.benchmark_name + "; name the file that is meant");
    out.push_back(std::move(result));
  }
  return out;
}

/// The shortest ends of two paths that differ: "a" and "b" of "runs/a" and "runs/b". Equal paths
/// stay equal.
std::pair<std::string, std::string> telling_names(const std::string& first,
                                                  const std::string& second) {
  const auto parts = [](const std::string& word) {
    const fs::path path = fs::path(word).lexically_normal();
    std::vector<fs::path> out(path.begin(), path.end());
    std::erase_if(out, [](const fs::path& part) { return part.empty(); });
    std::ranges::reverse(out);
    return out;
  };
  const std::vector<fs::path> a = parts(first), b = parts(second);
  fs::path one, other;
  for (std::size_t i = 0; one == other && i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size()) one = i == 0 ? a[i] : a[i] / one;
    if (i < b.size()) other = i == 0 ? b[i] : b[i] / other;
  }
  return {one.generic_string(), other.generic_string()};
}

/// Compares the benchmarks that both runs have. One that only one run has is refused without
/// --intersect.
std::vector<qa::QaComparison> comparisons(const Options& o,
                                          const qa::QaComparisonSettings& settings) {
  std::optional<qa::ItemTable> table;
  if (!o.table.empty()) table = qa::read_items(o.table);
  const qa::ItemTable* questions = table ? &*table : nullptr;
  const auto first = runs_of(o.first, questions), second = runs_of(o.second, questions);
  const auto refuse_lonely = [&](const auto& runs, const auto& others, const std::string& name) {
    for (const qa::QaResult& run : runs)
      if (std::ranges::find(others, run.benchmark_name, &qa::QaResult::benchmark_name) ==
          others.end())
        throw Error(Error::Kind::input, "only " + name + " has the benchmark " +
                                            run.benchmark_name +
                                            "; compare what both have with --intersect");
  };
  if (!settings.intersect) {
    refuse_lonely(first, second, o.first);
    refuse_lonely(second, first, o.second);
  }
  std::vector<qa::QaComparison> out;
  for (const qa::QaResult& run : first) {
    const auto other = std::ranges::find(second, run.benchmark_name, &qa::QaResult::benchmark_name);
    if (other != second.end()) out.push_back(qa::qa_compare(run, *other, settings));
  }
  if (out.empty()) throw Error(Error::Kind::input, "the runs have no benchmark in common");
  qa::correct_over_benchmarks(out, settings.alpha);
  return out;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  if (o.first.empty() || o.second.empty())
    throw Error(Error::Kind::usage, "give two runs: assay qa compare run_a run_b");
  qa::QaComparisonSettings settings = o.settings;
  if (settings.replicates == 0) throw Error(Error::Kind::usage, "--replicates must be 1 or more");
  if (!(settings.alpha > 0 && settings.alpha < 1))
    throw Error(Error::Kind::usage, "--alpha must be between 0 and 1, such as 0.05");
  settings.executor = pool(common, session);
  std::tie(settings.first_name, settings.second_name) = telling_names(o.first, o.second);
  const fs::path out = output_file(common.out, "qa_comparison.json");
  refuse_input(out, qa::qa_files({o.first, o.second}));
  if (!out.empty()) require_writable(out);
  const std::vector<qa::QaComparison> all = comparisons(o, settings);
  const std::string json =
      qa::qa_comparison_text(all, settings, clock.provenance(common, session, o.anonymous));
  if (!out.empty()) write_atomically(out, json);
  const auto* form =
      std::ranges::find(forms, o.format.empty() ? forms[0].name : o.format, &Form::name);
  const report::QaReportStyle style = {{.color = session.out_is_terminal && !common.no_color},
                                       common.verbose};
  if (common.json)
    session.out << json;
  else if (prints_result(common, out) || !o.format.empty())
    (form == forms ? session.out : session.data) << form->text(all, style);
  if (!out.empty()) cli::tell("results", {out.string()}, session.notes);
  return done;
}

constexpr Example examples[] = {
    {"assay qa compare run_a run_b",
     "is B better than A: a test of the reported metric, the difference with its interval, the "
     "items that changed"},
    {"assay qa compare a_results.json b_results.json --intersect --format csv",
     "only the questions that both have; one line per item that changed"},
};

}  // namespace
}  // namespace qa_compare_file

const Command qa_compare_command = {"compare", "Compare two runs item by item",
                                    command<qa_compare_file::declare_options, qa_compare_file::run>,
                                    qa_compare_file::examples};

}  // namespace assay::cli
