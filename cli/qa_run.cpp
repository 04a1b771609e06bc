// SPDX-License-Identifier: Apache-2.0
/// assay qa run: asks an agent every question of a table, and can resume after any interruption.
#include "assay/qa/run/qa_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/qa/run/qa_estimate.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/report/text/printable.hpp"
#include "assay/report/text/qa_scores.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"
#include "cli/qa_agent.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace qa_run_file {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string table, wsi_root, items, patience;
  std::vector<std::string> ask_again;
  AgentOptions agent;
  qa::QaSelection selection;
  qa::QaExecution execution{};
  bool dry_run = false, anonymous = false, retry_errors = false;
};

/// The outcomes after which a question can be asked again.
constexpr qa::Outcome askable[] = {qa::Outcome::truncated, qa::Outcome::refused,
                                   qa::Outcome::unparsed, qa::Outcome::errored};

void declare_options(Arguments& a, Options& o) {
  qa::QaExecution& e = o.execution;
  a.positional("TABLE", o.table, "The questions: MultiPathQA.csv, or CSV or JSON like it");
  a.heading("Questions");
  a.option("--wsi-root DIR", o.wsi_root, "Folder with the slides; see docs/slides.md");
  a.option("--benchmark LIST", o.selection.benchmarks, "Only these benchmarks, such as tcga,gtex");
  a.option("--items FILE", o.items, "Only these items: one 'id' or 'benchmark/id' per line");
  a.option("--max-items N", o.selection.max_items,
           "Only the first N items; run again without it to ask the rest");
  a.option("--runs N", e.runs, "Number of attempts at each question, which then vote");
  declare_agent(a, o.agent);
  a.heading("Cost and speed");
  a.flag("--dry-run", o.dry_run, "Only print what would be asked and what it may cost");
  a.option("--budget-usd X", e.budget_usd, "Maximum number of US dollars to spend; needs --prices");
  a.option("--concurrency N", e.concurrency, "Number of questions asked at a time");
  a.option("--rpm N", e.requests_per_minute,
           "Maximum number of requests per minute (default: no limit)");
  a.option("--tpm N", e.tokens_per_minute,
           "Maximum number of tokens per minute (default: no limit)");
  a.heading("Errors");
  a.option("--ask-again LIST", o.ask_again,
           "Ask again the items with these outcomes: truncated, refused, unparsed, errored; "
           "--max-output-tokens and the reasoning effort may differ");
  a.flag("--retry-errors", o.retry_errors, "The same as --ask-again errored");
  a.flag("--keep-going", e.keep_going, "Continue even if none of the first answers can be used");
  a.option("--patience TIME", o.patience,
           "Time to wait for a server that answers no calls, such as 30m or 1h, instead of giving "
           "up after --retries");
  a.option("--retries N", e.retry.retries, "Retries per call after transient errors");
  a.option("--first-wait S", e.retry.first_wait_s,
           "Seconds before the first retry; each later wait is twice as long");
  a.heading("Output");
  a.choice("--rules", e.rules, qa::extraction_rules(), "Rules that read the answers");
  a.flag("--anonymous", o.anonymous, anonymous_help);
}

/// "90s", "30m", "1h" in seconds.
double seconds_in(const std::string& text) {
  constexpr std::pair<char, double> units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  const auto unit =
      std::ranges::find(units, text.empty() ? ' ' : text.back(), &std::pair<char, double>::first);
  double number = -1;
  if (unit != std::end(units))
    std::from_chars(text.data(), text.data() + text.size() - 1, number, std::chars_format::fixed);
  const bool whole =
      unit != std::end(units) && text.find_first_not_of("0123456789.") == text.size() - 1;
  if (!whole || !(number > 0))
    throw Error(Error::Kind::usage,
                "--patience takes a time such as 90s, 30m or 1h, not '" + text + "'");
  return number * unit->second;
}

/// The outcomes that the user names; an unknown name is refused with the nearest one as a hint.
std::vector<qa::Outcome> asked_again(const Options& o) {
  std::vector<Named<qa::Outcome>> rows;
  for (const qa::Outcome outcome : askable)
    rows.push_back({name_in(qa::outcomes(), outcome), outcome});
  std::vector<qa::Outcome> out;
  for (const std::string& word : o.ask_again) {
    const auto row = std::ranges::find(rows, word, &Named<qa::Outcome>::name);
    if (row == rows.end())
      throw Error(Error::Kind::usage,
                  "--ask-again: '" + word + "' is not an outcome that can be asked again" +
                      did_you_mean(word, rows, &Named<qa::Outcome>::name) +
                      " (known: " + joined(rows, ", ", &Named<qa::Outcome>::name) + ")");
    out.push_back(row->value);
  }
  if (o.retry_errors) out.push_back(qa::Outcome::errored);
  return out;
}

void refuse_senseless(const Options& o, const Common& common) {
  const auto require = [](bool sound, const char* sentence) {
    if (!sound) throw Error(Error::Kind::usage, sentence);
  };
  const qa::QaExecution& e = o.execution;
  const std::string& agent = o.agent.settings.agent;
  require(!o.table.empty(), "give a table: assay qa run MultiPathQA.csv --wsi-root slides …");
  require(o.dry_run || !common.out.empty(), "--out RUN is needed: the folder that keeps the run");
  require(!o.wsi_root.empty() || agent == "replay" || o.dry_run,
          "--wsi-root is needed: the folder with the slides");
  require(e.runs >= 1 && e.runs <= 1000, "--runs must be between 1 and 1000");
  require(e.concurrency >= 1 && e.concurrency <= 1000, "--concurrency must be between 1 and 1000");
  require(e.retry.first_wait_s >= 0 && e.retry.first_wait_s <= 3600,
          "--first-wait must be between 0 and 3600 seconds");
  require(!e.budget_usd || (*e.budget_usd > 0 && std::isfinite(*e.budget_usd)),
          "--budget-usd must be above 0");
  require(!e.budget_usd || agent == "openai" || agent == "anthropic",
          "--budget-usd needs --agent openai or anthropic: what a program may spend is unknown");
  require(!e.budget_usd || !o.agent.prices.empty(),
          "--budget-usd needs --prices, so that the most that a call can cost is known before it "
          "is made");
}

qa::QaPlan plan_of(const Options& o, qa::ItemTable table, bool needs_slides) {
  qa::QaSelection selection = o.selection;
  if (!o.items.empty()) selection.items = qa::read_item_list(o.items);
  if (!needs_slides) return qa::planned_run(std::move(table), selection, nullptr);
  const qa::SlideFolder slides(o.wsi_root);
  return qa::planned_run(std::move(table), selection, &slides);
}

/// Says which slides are missing before money is spent.
void report_slides(const qa::QaPlan& plan, std::ostream& err, bool verbose) {
  std::vector<const qa::PlannedItem*> without;
  std::size_t selected = 0;
  for (const qa::PlannedItem& item : plan.items) {
    selected += item.selected;
    if (!item.slide.problem.empty()) without.push_back(&item);
  }
  if (without.empty()) return;
  if (without.size() == selected)
    throw Error(Error::Kind::input, "no slide was found for any of the " +
                                        counted(selected, "item") + "; check --wsi-root (" +
                                        without.front()->slide.problem + ")");
  err << "warning: " << counted(without.size(), "item") << " cannot be asked:\n";
  constexpr std::size_t few = 5;
  for (std::size_t i = 0; i < without.size() && (verbose || i < few); ++i) {
    const qa::Item& item = plan.table.items[without[i]->index];
    err << "  "
        << report::printable(item.benchmark + "/" + item.id + ": " + without[i]->slide.problem)
        << '\n';
  }
  if (!verbose && without.size() > few)
    err << "  … and " << without.size() - few << " more; 'assay qa check' lists them\n";
}

std::string money(const std::optional<double>& usd) {
  if (!usd) return "unknown";
  return *usd > 0 && *usd < 0.01 ? fmt::format("${:.4f}", *usd) : fmt::format("${:.2f}", *usd);
}

/// What the two estimates assume.
struct Assumptions {
  std::string short_answers, worst;
};

Assumptions assumptions_of(const ChosenAgent& chosen) {
  using Guess = qa::ShortAnswers;
  const qa::Prices* prices = chosen.prices.find(chosen.settings.model.model);
  const unsigned output =
      std::max(chosen.settings.model.max_output_tokens, chosen.most_output_tokens);
  return {.short_answers = fmt::format(
              "answers of {} tokens, one token for {} bytes of text and for {} pixels; what a call "
              "repeats is read from the server's cache",
              Guess::answer_tokens, Guess::bytes_per_token, Guess::pixels_per_token),
          .worst = fmt::format(
              "all steps, answers of {} tokens (--max-output-tokens), one token for each byte of "
              "text, {} for an image, nothing read from a cache; a step that has to be corrected "
              "adds a call",
              output,
              prices != nullptr && prices->image_tokens
                  ? fmt::format("{} tokens", *prices->image_tokens)
                  : "two tokens per 14 x 14 pixels")};
}

Exit dry_run(const qa::QaPlan& plan, const ChosenAgent& chosen, const qa::QaExecution& execution,
             const Common& common, const Session& session) {
  const qa::QaEstimate e = qa::estimated_run(plan, chosen.settings, execution);
  const Assumptions assumptions = assumptions_of(chosen);
  if (common.json) {
    session.out << to_text(Json{{"schema", "assay.qa-estimate/1"},
                                {"attempts", e.attempts},
                                {"calls", {e.fewest_calls, e.most_calls}},
                                {"tokens", {e.fewest_tokens, e.most_tokens}},
                                {"cost_usd", {or_null(e.lowest_usd), or_null(e.highest_usd)}},
                                {"worst_tokens", e.worst_tokens},
                                {"worst_usd", or_null(e.worst_usd)},
                                {"assumptions",
                                 {{"cost_usd", assumptions.short_answers},
                                  {"worst_usd", assumptions.worst}}}})
                << '\n';
    return done;
  }
  const auto millions = [](std::uint64_t tokens) {
    return fmt::format("{:.1f}", static_cast<double>(tokens) / 1e6);
  };
  session.out << fmt::format(
      "would make {}: {} to {} calls\n"
      "with short answers: about {} to {} million tokens, {} to {}\n  ({})\n"
      "at most: {} million tokens, {}\n  ({})\n"
      "{}nothing was asked and nothing was written\n",
      counted(e.attempts, "attempt"), e.fewest_calls, e.most_calls, millions(e.fewest_tokens),
      millions(e.most_tokens), money(e.lowest_usd), money(e.highest_usd), assumptions.short_answers,
      millions(e.worst_tokens), money(e.worst_usd), assumptions.worst,
      e.lowest_usd ? "" : "give --prices FILE for an estimate of the cost\n");
  return done;
}

qa::QaExecution execution_of(const Options& o, const ChosenAgent& chosen, const Common& common,
                             const Session& session) {
  qa::QaExecution out = o.execution;
  out.folder = common.out;
  out.ask_again = asked_again(o);
  if (!o.patience.empty()) out.retry.patience_s = seconds_in(o.patience);
  out.prices = chosen.prices;
  out.most_output_tokens = chosen.most_output_tokens;
  out.version = version();
  out.stop = &session.stop;
  out.slower = [&](const std::string& sentence) {
    cli::tell("warning", {sentence}, session.notes);
  };
  if (out.budget_usd && !o.dry_run && chosen.prices.find(chosen.settings.model.model) == nullptr)
    throw Error(Error::Kind::usage, o.agent.prices,
                "has no price for '" + chosen.settings.model.model +
                    "', so a budget cannot be kept; add it");
  return out;
}

/// Writes the results of every benchmark and shows them.
std::vector<fs::path> write_results(const qa::QaRunReport& report, const fs::path& folder,
                                    const results::Provenance& provenance, const Common& common,
                                    const Session& session) {
  std::vector<fs::path> files;
  for (const qa::QaResult& result : report.results) {
    const qa::ScoredQa scored{result, qa::qa_scores(result)};
    files.push_back(folder / (qa::safe_file_name(result.benchmark_name) + "_results.json"));
    qa::write_qa_results(files.back(), scored.result, scored.scores, provenance);
    if (!common.quiet && !common.json)
      session.out << report::qa_report(scored, {.terminal = {.color = session.out_is_terminal &&
                                                                      !common.no_color},
                                                .classes = common.verbose})
                  << '\n';
  }
  return files;
}

std::string cost_text(const qa::QaRunReport& report, const Options& o) {
  std::string cost = report.unknown_costs == 0 ? money(report.spent_usd)
                     : report.spent_usd > 0
                         ? fmt::format("{}, and {} of unknown cost", money(report.spent_usd),
                                       counted(report.unknown_costs, "attempt"))
                         : std::string("unknown (no usage or no --prices)");
  if (o.execution.budget_usd) cost += fmt::format(" of {}", money(*o.execution.budget_usd));
  constexpr double least = 5e-5;  // less would be shown as 0
  if (report.possible_usd >= least)
    cost += fmt::format(", perhaps {} more for calls whose end or cost is unknown",
                        money(report.possible_usd));
  return cost;
}

void summarise(const qa::QaRunReport& report, const Options& o, std::ostream& err) {
  const std::size_t before = report.answered + report.retried > report.calls
                                 ? report.answered + report.retried - report.calls
                                 : 0;
  err << fmt::format(
      "calls: {} made now{}, {} taken from the journal\n", report.calls,
      report.retried == 0 ? "" : fmt::format(" ({} of them retries)", report.retried), before);
  if (report.begun > 0)
    err << counted(report.begun, "attempt")
        << " begun and not finished; the next start continues them\n";
  err << "cost so far: " << cost_text(report, o) << '\n';
}

/// A budget is a promise, so exceeding it is reported, whoever is to blame.
void report_overspending(const qa::QaRunReport& report, const Options& o, std::ostream& err) {
  constexpr double rounding = 1e-9;
  if (!o.execution.budget_usd || report.spent_usd <= *o.execution.budget_usd + rounding) return;
  err << fmt::format(
      "warning: {} was spent, {} more than the budget of {}: {} cost more than was set aside; the "
      "largest excess was {}\n",
      money(report.spent_usd), money(report.spent_usd - *o.execution.budget_usd),
      money(*o.execution.budget_usd),
      report.above_reserve == 1 ? "1 reply" : fmt::format("{} replies", report.above_reserve),
      money(report.largest_excess_usd));
}

/// Why questions have no label: each reason once, with the questions it concerns.
void report_failures(const qa::QaRunReport& report, std::ostream& err) {
  constexpr std::size_t most_reasons = 8, most_ids = 5;
  std::map<std::string, std::vector<std::string>> reasons;
  for (const qa::QaResult& result : report.results)
    for (const qa::ItemResult& item : result.results)
      if (item.outcome == qa::Outcome::errored)
        reasons[item.error].push_back(result.benchmark_name + "/" + item.item_id);
  std::size_t shown = 0;
  for (const auto& [reason, ids] : reasons) {
    if (++shown > most_reasons) break;
    const std::vector<std::string> few(
        ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(most_ids, ids.size())));
    err << "errored: " << report::printable(joined(few)) << (ids.size() > most_ids ? " …" : "")
        << " (" << ids.size() << "): " << report::printable(reason) << '\n';
  }
}

Exit status_of(const qa::QaRunReport& report) {
  if (report.interrupted) return interrupted;
  bool all = report.stopped.empty();
  for (const qa::QaResult& result : report.results)
    for (const qa::ItemResult& item : result.results)
      all = all && item.outcome == qa::Outcome::scored;
  return all ? done : some_failed;
}

/// A run that was stopped before its first answer, and that cannot have cost anything, leaves no
/// files: there is nothing to continue, and the next run may use another key or model. Only what
/// this run has made is removed.
void clear_away(const fs::path& folder) {
  std::error_code ignored;
  for (const char* made : {"crops", "trajectories", qa::journal_file, qa::questions_file})
    fs::remove_all(folder / made, ignored);
  fs::remove(folder, ignored);  // only if it is empty
}

void print_json(const qa::QaRunReport& report, const std::vector<fs::path>& files,
                std::ostream& out) {
  Json names = Json::array();
  for (const fs::path& file : files) names.push_back(file.generic_string());
  Json json = {{"schema", "assay.qa-run/1"},
               {"files", names},
               {"calls", report.calls},
               {"retried", report.retried},
               {"replayed", report.replayed},
               {"resumed", report.resumed},
               {"cost_usd", report.unknown_costs == 0 ? Json(report.spent_usd) : Json()},
               {"possible_usd", report.possible_usd},
               {"above_reserve", report.above_reserve},
               {"largest_excess_usd", report.largest_excess_usd},
               {"interrupted", report.interrupted},
               {"stopped", or_null(report.stopped)}};
  out << to_text(json) << '\n';
}

/// Provenance without the values of --header.
results::Provenance provenance_of(const ProvenanceClock& clock, const Options& o,
                                  const Common& common, const Session& session) {
  results::Provenance out = clock.provenance(common, session, o.anonymous);
  out.command = without_header_values(std::move(out.command));
  return out;
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const ProvenanceClock clock;
  refuse_senseless(o, common);
  qa::ItemTable table = qa::read_items(o.table);
  cli::tell("warning", table.warnings, session.notes);
  AgentOptions agent = o.agent;
  agent.only_estimate = o.dry_run;
  agent.keeps_budget = o.execution.budget_usd.has_value();
  const ChosenAgent chosen = choose_agent(agent, table);
  const bool looks = chosen.agent.needs_slides && !o.wsi_root.empty();
  const qa::QaPlan plan = plan_of(o, std::move(table), looks);
  report_slides(plan, session.err, common.verbose);
  qa::QaExecution execution = execution_of(o, chosen, common, session);
  if (o.dry_run) return dry_run(plan, chosen, execution, common, session);

  Progress progress(session.err, session.err_is_terminal && !common.quiet);
  qa::MinuteLines lines(execution.now());
  execution.progress = [&](const qa::QaProgress& now) {
    if (session.err_is_terminal)
      progress.show(now.done, now.total, now.failed, qa::money_and_errors(now));
    else if (const auto line = lines.line(execution.now(), now); line)
      session.notes << *line << std::endl;  // flushed: logs are read while they are written
  };
  execution.warn = [&](const std::string& sentence) {
    progress.clear();
    session.err << "warning: " << report::printable(sentence) << '\n';
  };
  execution.waiting = [&](const std::string& why) {
    progress.clear();
    session.notes << (why.empty() ? "the server answers again"
                                  : "waiting: " + report::printable(why))
                  << '\n';
  };
  execution.timestamp = provenance_of(clock, o, common, session).started;
  const bool is_new = !fs::exists(common.out);
  const qa::QaRunReport report = qa::run_qa(plan, chosen.agent, chosen.settings, execution);
  progress.clear();
  if (report.answered == 0 && !report.stopped.empty()) {
    if (is_new && report.possible_usd == 0 && report.unknown_costs == 0) clear_away(common.out);
    session.err << "stopped: " << report::printable(report.stopped) << '\n';
    return could_not;
  }

  const auto files =
      write_results(report, common.out, provenance_of(clock, o, common, session), common, session);
  if (common.json) print_json(report, files, session.out);
  report_failures(report, session.notes);
  summarise(report, o, session.notes);
  report_overspending(report, o, session.err);
  for (const fs::path& file : files) cli::tell("results", {file.string()}, session.notes);
  if (!report.stopped.empty())
    session.err << "stopped: " << report::printable(report.stopped) << '\n';
  if (report.interrupted)
    session.err << "interrupted: nothing is lost; the same command continues the run\n";
  return status_of(report);
}

constexpr Example examples[] = {
    {"assay qa run MultiPathQA.csv --wsi-root slides --model gpt-5 --prices prices.json "
     "--budget-usd 50 --out run",
     "the navigating agent on every question, for at most 50 dollars; run it again to continue"},
    {"assay qa run MultiPathQA.csv --wsi-root slides --base-url http://127.0.0.1:8000/v1 "
     "--model qwen --mode thumbnail --max-items 5 --out run",
     "your own server, five questions first; without --max-items it asks the rest"},
    {"assay qa run MultiPathQA.csv --agent replay --predictions answers.csv --out scored",
     "existing answers, scored like any other run"},
};

}  // namespace
}  // namespace qa_run_file

const Command qa_run_command = {"run", "Ask an agent the questions of a table",
                                command<qa_run_file::declare_options, qa_run_file::run>,
                                qa_run_file::examples,
                                /*stops_in_order=*/true};

}  // namespace assay::cli
