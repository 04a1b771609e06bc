// SPDX-License-Identifier: Apache-2.0
/// Readers of question answering: tables, results, records, and whatever models and servers say.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

#include "assay/base/journal.hpp"
#include "assay/base/temporary_folder.hpp"
#include "assay/base/text.hpp"
#include "assay/qa.hpp"
#include "assay/qa/provider/model_api.hpp"
#include "assay/qa/results/qa_journal.hpp"
#include "assay/qa/results/trajectory.hpp"
#include "assay/qa/run/qa_agents.hpp"
#include "assay/qa/run/qa_plan.hpp"
#include "assay/qa/run/qa_salvage.hpp"
#include "assay/qa/run/qa_state.hpp"
#include "assay/qa/run/qa_status.hpp"
#include "assay/qa/slides/slide_lists.hpp"
#include "assay/qa/values/action.hpp"
#include "assay/qa/values/options.hpp"
#include "assay/qa/values/prices.hpp"
#include "assay/qa/values/truth.hpp"
#include "assay/report/page/trajectory_page.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/fuzz/targets.hpp"

namespace assay::fuzz {
namespace {

/// Questions that were read have a truth within range and an id; their answers can be read.
void qa_table(Input input) {
  allow_refusal([&] {
    const qa::ItemTable table = qa::parse_items(as_text(input), "fuzz.csv");
    for (const qa::Item& item : table.items) {
      if (item.id.empty() ||
          !qa::label_range(item.benchmark, item.options.size()).contains(item.truth))
        std::abort();
      qa::extract_label(item.prompt, item.benchmark, item.options);
    }
  });
}

/// Results that were read are written and read again as the same; any rules can read the answers.
void qa_results(Input input) {
  const qa::ItemTable table = qa::parse_items(
      "benchmark_name,benchmark_id,image_path,answer,options\nt,1,a.svs,1,A|B\n", "table");
  allow_refusal([&] {
    for (const qa::SavedQa& saved : qa::parse_qa_results(as_text(input), "fuzz.json", &table)) {
      const qa::QaScoreSettings settings = {.replicates = 3};
      const std::string text =
          qa::qa_results_text(saved.result, qa::qa_scores(saved.result, settings), {});
      const auto again = qa::parse_qa_results(text, "again.json");
      if (again.size() != 1 || again[0].result.results.size() != saved.result.results.size())
        std::abort();
      for (const auto& rules : qa::extraction_rules()) qa::rescored(saved.result, rules.value);
    }
  });
}

/// The options, a line break, and what a model says. A label is one of those that the question
/// has, and its place lies within the answer.
void answer(Input input) {
  const std::string_view text = as_text(input), first = text.substr(0, text.find('\n'));
  const std::string_view said = text.substr(std::min(first.size() + 1, text.size()));
  std::vector<std::string> options;
  allow_refusal([&] { options = qa::parse_options(first); });
  for (const char* benchmark : {"tcga", "panda"})
    for (const auto& rules : qa::extraction_rules()) {
      const qa::ExtractedAnswer found = qa::extract_label(said, benchmark, options, rules.value);
      require(found.span.first <= found.span.second && found.span.second <= found.raw.size());
      if (found.label && rules.value == qa::ExtractionRules::assay)
        require(qa::label_range(benchmark, options.size()).contains(*found.label));
    }
  qa::parse_action(said);
}

/// A trajectory that was read is written and read again as the same, and its page has no markup of
/// its own.
void trajectory(Input input) {
  allow_refusal([&] {
    const qa::Trajectory once = qa::parse_trajectory(as_text(input), "fuzz.json");
    require(qa::parse_trajectory(qa::trajectory_text(once), "again.json") == once);
    const std::string page = report::trajectory_page({.trajectory = once});
    require(page.find("<x-fuzz") == page.npos);
    qa::trajectory_name(once.benchmark, once.item_id, once.run);
  });
}

/// A price is a number that can be multiplied.
void prices(Input input) {
  allow_refusal([&] {
    const qa::PriceTable table = qa::parse_prices(as_text(input), "fuzz.json");
    for (const qa::PriceTable::Row& row : table.rows) {
      require(std::isfinite(row.prices.input) && row.prices.input >= 0);
      require(std::isfinite(row.prices.output) && row.prices.output >= 0);
      table.find(row.model);
      qa::worst_cost_usd(qa::worst_case({}, 8192, row.prices), row.prices);
    }
  });
}

/// "429", headers, a blank line and the body.
HttpResponse response_in(std::string_view text) {
  HttpResponse out{.status = 200};
  const std::size_t head = std::min(text.find("\n\n"), text.size());
  out.body = text.substr(std::min(head + 2, text.size()));
  for (const std::string_view line : parts_of(text.substr(0, head), '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon != line.npos)
      out.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    else
      std::from_chars(line.data(), line.data() + line.size(), out.status);
  }
  return out;
}

/// A cost that is known is a sum of money.
void require_cost(const std::optional<double>& usd) {
  require(!usd || (std::isfinite(*usd) && *usd >= 0));
}

/// What a server says can be counted, read and kept, whatever it is.
void keep_outcome(const qa::ModelOutcome& outcome) {
  if (const auto* failure = std::get_if<qa::ModelFailure>(&outcome)) {
    require(!failure->message.empty());
    require(!failure->retry_after_s || *failure->retry_after_s >= 0);
    return;
  }
  const auto& reply = std::get<qa::ModelReply>(outcome);
  constexpr qa::Prices prices = {.input = 1, .output = 10};
  require_cost(qa::billed_usd(reply.reported, reply.usage, &prices));
  reply.usage.total();
  qa::parse_action(reply.text);
  qa::CallRecord call;
  call.key = {.benchmark = "b", .item = "1"};
  call.reply = reply;
  call.reply.cost_usd = qa::billed_usd(reply.reported, reply.usage, nullptr);
  require_cost(call.reply.cost_usd);
  const std::string text = qa::qa_record_text(call);
  qa::QaState state;
  for (int calls = 0; calls < 2; ++calls) state.take(qa::parse_qa_record(text));
  require(qa::qa_record_text(qa::parse_qa_record(text)) == text);
}

void reply(Input input) {
  const HttpResponse response = response_in(as_text(input));
  for (const qa::ModelApi& api : qa::model_apis()) keep_outcome(api.outcome(response));
}

/// The same from a program of the user's.
void agent(Input input) {
  const qa::Item item{.benchmark = "b", .id = "1"};
  keep_outcome(qa::agent_outcome(std::string(as_text(input)), item));
}

void questions(Input input) {
  allow_refusal([&] {
    const qa::QaPlan once = qa::parse_questions(as_text(input), "fuzz.json");
    const std::string text = qa::questions_text(once);
    require(qa::questions_text(qa::parse_questions(text, "again.json")) == text);
  });
}

/// What the journal of a run says is read the same after it was written again, and can be summed.
void take_records(std::string_view journal) {
  qa::QaState state;
  qa::StatusReader status(std::nullopt);
  for (const std::string_view line : parts_of(journal, '\n')) {
    const auto record = journal_record(line);
    if (!record) continue;
    allow_refusal([&] { status.take(*record); });
    allow_refusal([&] {
      const qa::QaRecord once = qa::parse_qa_record(*record);
      const std::string text = qa::qa_record_text(once);
      require(qa::qa_record_text(qa::parse_qa_record(text)) == text);
      state.take(once);
    });
  }
  state.count_calls_under_way();
  status.status({.now_s = 1e9});
}

void qa_journal(Input input) {
  const std::string repaired = with_journal_checksums(as_text(input));
  run_both(input, std::as_bytes(std::span(repaired)), [](Input bytes) {
    take_records(as_text(bytes));
    allow_refusal([&] {
      const qa::QaSalvage found = qa::salvaged_run(as_text(bytes), "fuzz.journal", 1e9, "0");
      if (!found.damaged) return;
      require(!qa::salvaged_run(found.text, "again.journal", 1e9, "0").damaged);
    });
  });
}

/// Tables whose readers take a file: saved answers, lists of items, and slides of archives.
void qa_lists(Input input) {
  static const TemporaryFolder folder;
  const std::filesystem::path path = folder / "list.csv";
  const std::string_view text = as_text(input);
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
  const qa::ItemTable table = qa::parse_items(
      "benchmark_name,benchmark_id,image_path,answer,options\nt,1,a.svs,1,A|B\n", "table");
  allow_refusal([&] { qa::slide_lists(path); });
  allow_refusal([&] { qa::read_item_list(path); });
  allow_refusal([&] { qa::replay_agent(path, table); });
}

constexpr std::array qa_list = {
    Target{"fuzz_qa_table", qa_table},     Target{"fuzz_qa_results", qa_results},
    Target{"fuzz_answer", answer},         Target{"fuzz_trajectory", trajectory},
    Target{"fuzz_prices", prices},         Target{"fuzz_reply", reply},
    Target{"fuzz_agent", agent},           Target{"fuzz_questions", questions},
    Target{"fuzz_qa_journal", qa_journal}, Target{"fuzz_qa_lists", qa_lists}};

}  // namespace

std::span<const Target> qa_targets() {
  return qa_list;
}

}  // namespace assay::fuzz
