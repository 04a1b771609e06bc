// SPDX-License-Identifier: Apache-2.0
/// Question answering: questions, answers, the rules that read them, votes, scores, comparisons.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/bootstrap.hpp"
#include "assay/executor.hpp"
#include "assay/named.hpp"
#include "assay/results.hpp"
#include "assay/statistics.hpp"

namespace assay::qa {

// ---- Questions about slides, and the benchmarks they belong to.

/// One question. Unique by (benchmark, id).
struct Item {
  std::string benchmark{}, id{};
  std::string image_path{}, file_id{};  ///< as the table has them; file_id may be empty
  std::string prompt{};                ///< as the model sees it: options injected, braces unescaped
  std::vector<std::string> options{};  ///< empty: none. Positions are labels, so blanks are kept
  std::int64_t truth = 0;              ///< from 1 with options; the ISUP grade 0 to 5 for PANDA
};

/// A benchmark that the published table has.
struct Task {
  std::string_view name;
  std::size_t questions = 0;
  std::size_t classes = 0;  ///< 0: differs between questions
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  std::string_view slide_folder;  ///< below --wsi-root, as people lay slides out
};

std::span<const Task> tasks();

/// Nothing for a benchmark that is not among them.
const Task* find_task(std::string_view name);

/// A benchmark of a table, in order of appearance.
struct Benchmark {
  std::string name;
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
};

struct ItemTable {
  std::vector<Item> items;  ///< valid rows in the order of the table
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> warnings{};
  std::size_t rows = 0, invalid = 0;  ///< all rows; those that say is_valid = false
  std::string sha256{};               ///< of the file
};

// ---- What the GIANT paper reports for the five benchmarks.

/// In percent, mean and standard deviation of 1000 bootstrap replicates.
struct PublishedScore {
  double mean = 0;
  std::optional<double> std{};
};

struct PublishedSystem {
  std::string_view name;
  PublishedScore score;
};

struct PublishedBenchmark {
  std::string_view name;
  std::span<const PublishedSystem> systems;
};

inline constexpr std::string_view published_giant_source = "GIANT, Table 1";

/// Nothing for a benchmark that is not in the paper.
const PublishedBenchmark* find_published_giant(std::string_view benchmark);

// ---- What became of every question of a benchmark: the data of `assay.qa/1`.

/// The classes of the ledger; every expected item is in exactly one.
///   unparsed   an answer came, but no label could be read from it
///   missing    its slide is not there
///   skipped    not asked: another selection, the budget, an interruption
enum class Outcome { scored, unparsed, refused, truncated, errored, missing, skipped };

std::span<const Named<Outcome>> outcomes();

/// A label read from an answer, and why: which rule, and where in the text (bytes).
struct ExtractedAnswer {
  std::optional<std::int64_t> label{};
  std::string raw{};   ///< the answer without white space around it
  std::string rule{};  ///< the rule that fired, or why none did: "contradiction", "none" ...
  std::pair<std::size_t, std::size_t> span{};  ///< [begin, end) in `raw`
};

/// One run over an item: what votes.
struct Attempt {
  unsigned run = 0;
  Outcome outcome = Outcome::skipped;
  ExtractedAnswer answer{};  ///< `raw` is the prediction
  std::optional<double> cost_usd{};
  std::optional<std::int64_t> total_tokens{};
  unsigned calls = 0;             ///< answered calls that led to it
  std::string trajectory_file{};  ///< relative to the run's folder
  std::string error{};
};

struct ItemResult {
  std::string item_id;
  std::string slide{};  ///< image_path: items of one slide are not independent
  Outcome outcome = Outcome::skipped;
  std::string prediction{};
  std::optional<std::int64_t> predicted_label{};
  std::int64_t truth_label = 0;
  bool correct = false;
  std::string rule{};
  std::pair<std::size_t, std::size_t> span{};
  std::optional<double> cost_usd{};  ///< of all runs; nothing when any part is unknown
  std::optional<std::int64_t> total_tokens{};
  std::string trajectory_file{};
  std::string error{};
  std::vector<Attempt> votes{};  ///< by run
  std::vector<std::string> options{};
};

/// How far a run was when its journal was read: questions that are done, of those to be asked.
struct UnfinishedRun {
  std::size_t done = 0, expected = 0;
};

/// The content of one `RUN/<benchmark>_results.json`, without scores: those are computed from it.
struct QaResult {
  std::string run_id, benchmark_name, model_name;
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  /// Name and value (as JSON text) of every setting, in order.
  std::vector<std::pair<std::string, std::string>> config{};
  std::vector<ItemResult> results{};  ///< in the order of the table
  std::string timestamp{};
  std::optional<UnfinishedRun> unfinished{};  ///< nothing: the run came to its end
};

// ---- The label that an answer means, and why.

/// Whose rules read an answer.
///   assay   what was asked for first (JSON, <response>), then plain statements; two different
///           candidates of equal rank are a contradiction, not a guess
///   spec    the specification's code, exactly
///   giant   the final code of the original project, exactly
enum class ExtractionRules { assay, spec, giant };

std::span<const Named<ExtractionRules>> extraction_rules();

/// `raw` of the result is the prediction without white space around it. Labels count from 1 where
/// there are options; PANDA's are ISUP grades. A number too large for 64 bits becomes the largest.
ExtractedAnswer extract_label(std::string_view prediction, std::string_view benchmark,
                              std::span<const std::string> options,
                              ExtractionRules rules = ExtractionRules::assay);

ExtractedAnswer extract_assay(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options);
ExtractedAnswer extract_spec(std::string_view text, std::string_view benchmark,
                             std::span<const std::string> options);
ExtractedAnswer extract_giant(std::string_view text, std::string_view benchmark,
                              std::span<const std::string> options);

// ---- Several runs over one item as one answer.

using OptionalLabel = std::optional<std::int64_t>;

struct VoteResult {
  OptionalLabel label{};
  std::string prediction{};  ///< the first with that label; without any vote the most common text
  std::vector<std::pair<std::int64_t, std::size_t>> counts{};  ///< in order of first appearance
  bool tied = false;  ///< another label has as many votes and came later
};

/// An item without a label does not vote; if several labels have the most votes, the first seen
/// wins. `predictions` has one text for each label. Throws Error on no labels or different lengths.
VoteResult majority_vote(std::span<const OptionalLabel> labels,
                         std::span<const std::string> predictions);

/// The label alone, for many votes.
OptionalLabel majority_label(std::span<const OptionalLabel> labels);

/// What an attempt votes for; nothing unless it was scored.
OptionalLabel vote_of(const Attempt& attempt);

/// The result of an item: scored when any run gave a label; otherwise the most frequent kind of
/// failure, the first seen of several. Costs and tokens are sums, unknown when any part is.
/// `results.correct` follows from `truth`.
ItemResult voted_result(const Item& item, std::vector<Attempt> attempts);

/// The same over a result whose attempts have changed; everything else stays.
void vote_again(ItemResult& out);

// ---- What majority votes of fewer runs would have scored: maj@1, maj@2 ...

/// The vote of k runs, over subsets of the runs.
struct MajorityScore {
  double mean = 0;
  std::optional<double> std{};  ///< over the subsets, ddof 1; absent for a single one
  std::size_t subsets = 0;
  bool all = true;  ///< every subset; otherwise that many drawn at random
};

struct MajorityScores {
  std::vector<MajorityScore> at{};  ///< by number of runs from 1; empty for a single run
  std::vector<double> by_run{};     ///< the score of each run alone; at[0] is their mean
  std::size_t runs = 0;             ///< how many runs every asked item has
  std::size_t left_out = 0;         ///< further runs that only some items have
};

struct MajorityOptions {
  std::size_t most_subsets = 1000;  ///< for each number of runs
  std::uint64_t seed = 42;
  Executor executor = {};
};

/// Runs that not every asked item has are left out. Within a subset runs vote in their order, and
/// of several labels with most votes the one seen first wins, as in `majority_vote`. Items without
/// a label are wrong.
MajorityScores majority_scores(std::span<const ItemResult> results,
                               stats::ClassificationMetric metric,
                               const MajorityOptions& options = {});

// ---- Scores of a question-answering run: pure functions of its results.

/// What items without a label count as.
///   wrong    every expected item counts, and one without a label is wrong
///   scored   only items with a label count
enum class FailurePolicy { wrong, scored };

std::span<const Named<FailurePolicy>> failure_policies();

struct QaScoreSettings {
  std::size_t replicates = 1000;
  std::uint64_t seed = 42;
  FailurePolicy policy = FailurePolicy::wrong;  ///< which one is the headline
  Executor executor = {};
};

/// How many items of each outcome there are; their sum is `expected`.
struct QaLedger {
  std::array<std::size_t, 7> counts{};

  std::size_t count(Outcome outcome) const { return counts[static_cast<std::size_t>(outcome)]; }
  std::size_t expected() const;
  /// Items with an answer, whatever it is worth: all but those that failed, were not asked or have
  /// no slide.
  std::size_t answered() const;
};

QaLedger ledger_of(std::span<const ItemResult> results);

/// The score under one policy.
struct PolicyScore {
  std::size_t n = 0, correct = 0;
  stats::ScoreInterval interval{};  ///< the headline's, by slide where slides are shared
  stats::BootstrapResult items{};   ///< as specified: items are resampled in table order
  /// Slides are resampled; absent unless there are several and some hold more than one item.
  std::optional<stats::BootstrapResult> slides{};
  std::optional<stats::Interval> wilson{};  ///< of accuracy, as if items were independent
};

struct ClassScore {
  std::int64_t label = 0;
  std::string name{};  ///< the option, where all questions have the same ones
  std::size_t n = 0, predicted = 0, correct = 0;

  std::optional<double> recall() const;
  std::optional<double> precision() const;
};

/// How often a truth (row) was answered with a label (column) or with none.
struct ConfusionTable {
  std::vector<std::int64_t> labels{};              ///< ascending; of truths and predictions
  std::vector<std::vector<std::size_t>> counts{};  ///< by truth, then prediction
  std::vector<std::size_t> none{};                 ///< by truth
};

struct QaScores {
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  QaScoreSettings settings{};
  QaLedger ledger{};
  std::optional<PolicyScore> wrong{}, scored{};  ///< absent without any item to score
  double best = 0, worst = 0;                    ///< if all items without label were right, wrong
  std::vector<ClassScore> classes{};
  ConfusionTable confusion{};
  MajorityScores majority{};
  std::optional<double> vote_agreement{};  ///< share of votes for the winner, mean over items
  std::size_t slides = 0;
  bool one_slide = false;  ///< several items are all on one slide, so nothing is known about others
  std::optional<double> total_cost_usd{};  ///< nothing when a part is unknown
  std::optional<std::int64_t> total_tokens{};
  const PublishedBenchmark* published = nullptr;

  const std::optional<PolicyScore>& headline() const {
    return settings.policy == FailurePolicy::wrong ? wrong : scored;
  }
};

QaScores qa_scores(const QaResult& result, const QaScoreSettings& settings = {});

/// Each slide as a number; items without one are on slides of their own. Empty when no slide has
/// two items, or one slide has all: then there is nothing to resample by slide.
std::vector<std::size_t> slide_clusters(std::span<const ItemResult* const> items);

/// Whether several items are all on one slide.
bool on_one_slide(std::span<const ItemResult* const> items);

/// Predicted labels with -1 for none, as the specification scores them.
inline constexpr std::int64_t no_label = -1;

// ---- Saved answers read again: with other rules, or with what the table knows about the
// questions.

/// Labels from the saved texts by these rules; runs that gave no answer stay what they are.
QaResult rescored(QaResult result, ExtractionRules rules);

/// The results in the order of the table with slides and options; questions of the benchmark that
/// are not in the results count as skipped. Throws Error::input on an item that is not in the
/// table, an item that appears twice, or another truth.
QaResult completed(QaResult result, const ItemTable& table);

// ---- Two runs over the same questions: which is better, and on which items they differ.

struct QaComparisonSettings {
  bool intersect = false;  ///< compare the common items where the runs have different ones
  std::size_t replicates = 1000;
  std::uint64_t seed = 42;
  double alpha = 0.05;  ///< of the test; intervals have the level 1 - alpha
  Executor executor = {};
  /// The names of the runs if neither models nor run ids distinguish them: their files.
  std::string first_name{}, second_name{};
};

/// How often each was right, and what that is worth. Differences are second - first.
struct PairedScore {
  std::size_t n = 0;
  std::size_t both_right = 0, only_first = 0, only_second = 0, both_wrong = 0;
  double first = 0, second = 0;  ///< the benchmark's metric
  /// The test of that metric and its interval: flips questions, or slides where these are shared.
  stats::ScoreDifference tested{};
  std::size_t clusters = 0;  ///< slides that were flipped; 0: questions were
  bool one_slide = false;    ///< all questions are on one slide, so nothing is known about others
  double corrected_p = 1;    ///< by Holm, over benchmarks
  bool is_significant = false;                     ///< after correction
  stats::McNemarResult exact{}, mid_p{};           ///< of plain accuracy, whatever the metric
  stats::BootstrapResult difference{};             ///< on the same resamples of items
  std::optional<stats::BootstrapResult> slides{};  ///< of slides; absent when each has one question
};

/// What tells the runs apart: "McNemar's exact test", "clustered McNemar test" ...
std::string_view test_name(stats::ClassificationMetric metric, const PairedScore& score);

/// An item that only one of the runs got right.
struct Flip {
  std::string item_id;
  std::int64_t truth_label = 0;
  std::optional<std::int64_t> first_label{}, second_label{};
  std::string first_prediction{}, second_prediction{};
};

struct QaComparison {
  std::string benchmark_name;
  std::string first_run{}, second_run{};  ///< names of models, of runs, or of their files
  stats::ClassificationMetric metric = stats::ClassificationMetric::accuracy;
  PairedScore all{};                            ///< items without a label are wrong
  std::optional<PairedScore> scored_by_both{};  ///< absent when no item is
  std::vector<Flip> lost{}, won{};              ///< right only in the first, only in the second
  std::vector<std::string> only_first{}, only_second{};  ///< ids that the other run does not have
  std::size_t benchmarks = 1;  ///< how many benchmarks p-values are corrected over
  double alpha = 0.05;         ///< of the tests
};

/// Pairs items by id. Throws Error::input when the benchmarks or the truths differ, when an id
/// repeats, when items are different and `intersect` is not set, or when none is common.
QaComparison qa_compare(const QaResult& first, const QaResult& second,
                        const QaComparisonSettings& settings = {});

/// Corrects the p-values of several benchmarks by Holm's procedure, those of all items and those of
/// items that both have scored each as a family of its own.
void correct_over_benchmarks(std::span<QaComparison> comparisons, double alpha);

// ---- Tables of questions: CSV, a JSON export or JSON Lines. docs/formats/qa.md describes them.

/// Reads the valid rows of a table. Throws Error naming file and line: an absent column, options or
/// an answer that cannot be understood, an id that repeats within a benchmark.
ItemTable read_items(const std::filesystem::path& path);

/// The same for text that is in memory already; `name` is used in messages.
ItemTable parse_items(std::string_view text, const std::string& name);

// ---- Results of question answering: `assay.qa/1` out and in; the specification's results file and
// the JSON Lines of the GIANT authors in. docs/formats/qa.md describes them.

inline constexpr std::string_view qa_schema = "assay.qa/1";

/// The text of an `assay.qa/1` file, built item by item.
std::string qa_results_text(const QaResult& result, const QaScores& scores,
                            const results::Provenance& provenance);

void write_qa_results(const std::filesystem::path& path, const QaResult& result,
                      const QaScores& scores, const results::Provenance& provenance);

/// Several benchmarks as one document, without their items: `assay.qa-scores/1`.
struct ScoredQa {
  QaResult result;
  QaScores scores;
};
std::string qa_scores_text(const std::vector<ScoredQa>& runs,
                           const results::Provenance& provenance);

/// One line per item: benchmark,item_id,slide,outcome,truth_label,predicted_label,correct,rule,
/// cost_usd,total_tokens,prediction,error.
std::string qa_csv(const std::vector<ScoredQa>& runs);

/// The text of an `assay.qa-comparison/1` file.
std::string qa_comparison_text(const std::vector<QaComparison>& comparisons,
                               const QaComparisonSettings& settings,
                               const results::Provenance& provenance);

/// Whose file it was.
///   assay           labels, options and all votes are in it
///   specification   labels, no options
///   authors         texts only: JSON Lines of the GIANT authors, whose truths are in the table
enum class QaLayout { assay, specification, authors };

struct SavedQa {
  QaResult result;
  QaLayout layout = QaLayout::assay;
  std::string file{};
};

/// Reads a results file of any of these layouts; one of the authors can hold several benchmarks and
/// needs `table`. Throws Error naming file and fault.
std::vector<SavedQa> read_qa_results(const std::filesystem::path& path,
                                     const ItemTable* table = nullptr);

/// The same for text that is in memory already; `name` is used in messages.
std::vector<SavedQa> parse_qa_results(std::string_view text, const std::string& name,
                                      const ItemTable* table = nullptr);

/// The results files that the words mean: a folder stands for all *_results.json in it, sorted.
/// Throws Error when a folder has none.
std::vector<std::filesystem::path> qa_files(const std::vector<std::string>& words);

/// The results in all of these files.
std::vector<SavedQa> read_qa_runs(const std::vector<std::string>& words,
                                  const ItemTable* table = nullptr);

}  // namespace assay::qa
