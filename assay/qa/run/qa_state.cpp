// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_state.hpp"

#include <algorithm>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_settings.hpp"

namespace assay::qa {
namespace {

const std::string* value_of(const SettingsRecord& settings, const std::string& name) {
  const auto found =
      std::ranges::find(settings.values, name, &std::pair<std::string, std::string>::first);
  return found == settings.values.end() ? nullptr : &found->second;
}

/// "max_steps was 20, is now 10". A setting that the version before did not have was null.
std::vector<std::string> differences(const SettingsRecord& before, const SettingsRecord& now) {
  std::vector<std::string> out;
  for (const auto& [name, value] : now.values) {
    const std::string* known = value_of(before, name);
    const std::string old = known == nullptr ? "null" : *known;
    if (old != value)
      out.push_back(
          std::string(name).append(" was ").append(old).append(", is now ").append(value));
  }
  return out;
}

void refuse_changed(const SettingsRecord& before, const SettingsRecord& now,
                    const std::filesystem::path& path) {
  const std::vector<std::string> changed =
      differences(lasting_settings(before), lasting_settings(now));
  if (changed.empty()) return;
  throw Error(Error::Kind::input, path.string(),
              "this run was begun with other settings, so its answers cannot be mixed with new "
              "ones: " +
                  joined(changed, "; ") + ". Set them back, or choose another --out");
}

/// A salvaged journal may have answers whose settings are lost. They were paid for, so they are not
/// overwritten.
void refuse_lost_settings(const OpenedRun& run, const std::optional<JournalContent>& content,
                          const std::filesystem::path& path) {
  if (run.resumed || !content || run.state.attempts.empty()) return;
  throw Error(Error::Kind::input, path.string(),
              "the settings of this run are lost, so it cannot be continued; choose another "
              "--out. 'assay qa score' still reads its answers");
}

QaRecord record_in(std::string_view text, const std::filesystem::path& path) try {
  return parse_qa_record(text);
} catch (const Error& error) {
  throw error.within(path.string());
}

/// What an attempt that is made again can replay: everything, if it broke off between two calls;
/// all that was answered, if a reply was cut off or refused. An attempt that failed on its content
/// would fail on the same recorded words once more.
void keep_for_next_time(std::vector<CallRecord>& calls, const AttemptRecord& record) {
  const bool unusable = record.outcome == Outcome::truncated || record.outcome == Outcome::refused;
  if (unusable)
    std::erase_if(
        calls, [](const CallRecord& call) { return call.reply.kind != ModelReply::Kind::answer; });
  else if (!record.resumable)
    calls = {};
}

}  // namespace

void CallTotals::add(const ModelReply& reply) {
  ++calls;
  known_usd += reply.cost_usd.value_or(0);
  cost_usd = cost_usd && reply.cost_usd ? std::optional(*cost_usd + *reply.cost_usd) : std::nullopt;
  const auto total = reply.usage.total();
  tokens = tokens && total ? std::optional(capped_sum(*tokens, *total)) : std::nullopt;
}

void QaState::take(QaRecord record, const AskAgain& again) {
  if (auto* sent = std::get_if<SentRecord>(&record)) {
    possible_usd += sent->worst_usd;
    under_way_.insert_or_assign(sent->key, std::move(*sent));
  } else if (auto* call = std::get_if<CallRecord>(&record)) {
    take_call(std::move(*call));
  } else if (auto* attempt = std::get_if<AttemptRecord>(&record)) {
    take_attempt(std::move(*attempt), again);
  } else if (const auto* event = std::get_if<QaEvent>(&record)) {
    take_event(*event);
  }
}

/// Lost records may have been calls: their money counts as perhaps spent, and what follows a gap
/// may belong to a conversation that cannot be replayed.
void QaState::take_event(const QaEvent& event) {
  const auto* salvage = std::get_if<SalvageEvent>(&event);
  if (salvage == nullptr) return;
  possible_usd += salvage->possible_usd;
  unknown_costs += salvage->unknown_calls;
  for (auto& [key, attempt] : attempts) attempt.has_gaps = true;
}

void QaState::take_call(CallRecord record) {
  if (const auto sent = under_way_.find(record.key); sent != under_way_.end()) {
    possible_usd -= sent->second.worst_usd;
    compare_with(sent->second, record);
    under_way_.erase(sent);
  }
  possible_usd += record.possible_usd;
  if (!record.failure.empty()) {
    unknown_costs += record.charged && record.possible_usd == 0;
    return;
  }
  AttemptState& state = attempts[record.key];
  state.totals.add(record.reply);
  ++served[{record.reply.model, record.reply.provider}];
  ++asked_with[record.asked_with];
  spent_usd += record.reply.cost_usd.value_or(0);
  unknown_costs += !record.reply.cost_usd && record.possible_usd == 0;
  state.calls.push_back(std::move(record));
}

/// A later start must not forget that replies can cost more than they should.
void QaState::compare_with(const SentRecord& sent, const CallRecord& record) {
  constexpr double rounding = 1e-9;
  const double bound_usd = sent.worst_usd - sent.margin_usd;
  if (!record.failure.empty() || !record.reply.cost_usd || bound_usd <= 0) return;
  const double cost_usd = *record.reply.cost_usd;
  largest_excess_usd = std::max(largest_excess_usd, cost_usd - bound_usd);
  above_reserve += cost_usd > sent.worst_usd + rounding;
}

void QaState::take_attempt(AttemptRecord record, const AskAgain& again) {
  AttemptState& state = attempts[record.key];
  if (again && again(record)) {
    keep_for_next_time(state.calls, record);
    state.dropped = state.totals.calls - static_cast<unsigned>(state.calls.size());
    state.end = std::nullopt;
    state.before = std::move(record);
    return;
  }
  state.calls = {};
  state.before = std::nullopt;
  state.end = std::move(record);
}

void QaState::count_calls_under_way() {
  for (const auto& [key, sent] : under_way_) unknown_costs += sent.worst_usd == 0;
}

OpenedRun opened_run(const std::filesystem::path& path, const SettingsRecord& settings,
                     const JournalHeader& header, const AskAgain& again) {
  OpenedRun run{.journal = Journal::locked(path), .state = {}};
  SettingsRecord begun_with;
  const auto content = scan_journal(path, [&](std::string_view text) {
    QaRecord record = record_in(text, path);
    if (const auto* before = std::get_if<SettingsRecord>(&record)) {
      refuse_changed(*before, settings, path);
      begun_with = *before;
      run.resumed = true;
    } else {
      run.state.take(std::move(record), again);
    }
  });
  refuse_lost_settings(run, content, path);
  // Settings and header are written together; without them, nothing was asked yet.
  if (run.resumed)
    run.journal.go_on(*content);
  else
    run.journal.start(header, {qa_record_text(settings)});
  run.state.count_calls_under_way();
  // A version that kept no more per call asked with the settings of the run.
  if (auto old = run.state.asked_with.extract(""); !old.empty())
    run.state.asked_with[asked_with(begun_with, nullptr)] += old.mapped();
  return run;
}

}  // namespace assay::qa
