// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/first_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "assay/base/text.hpp"

namespace assay::qa {
namespace {

struct LessReasoning {
  std::string_view api, request_json;
};

constexpr LessReasoning less_reasoning[] = {
    {"chat", R"({"reasoning_effort": "low"})"},
    {"responses", R"({"reasoning": {"effort": "low"}})"},
    {"messages", R"({"thinking": {"type": "disabled"}})"},
};

std::string truncation_advice(std::string_view api, unsigned limit) {
  const auto row = std::ranges::find(less_reasoning, api, &LessReasoning::api);
  const std::string less =
      row == std::end(less_reasoning)
          ? ""
          : fmt::format(", or less reasoning (--request-json '{}')", row->request_json);
  return fmt::format("give a --max-output-tokens above {}{}", limit, less);
}

}  // namespace

FirstAnswers::Kind FirstAnswers::kind_of(const AttemptRecord& attempt) {
  if (attempt.outcome == Outcome::truncated) return Kind::truncated;
  if (attempt.outcome == Outcome::refused) return Kind::refused;
  return trimmed(attempt.prediction).empty() ? Kind::empty : Kind::useful;
}

bool FirstAnswers::useful(const AttemptRecord& attempt) {
  return !attempt.resumable && kind_of(attempt) == Kind::useful;
}

std::string FirstAnswers::take(const ModelReply& reply) {
  constexpr std::array kinds = {Kind::useful, Kind::refused, Kind::truncated};  // by reply.kind
  const Kind kind = kinds[static_cast<std::size_t>(reply.kind)];
  const bool empty = kind == Kind::useful && trimmed(reply.text).empty();
  return count(replies_, empty ? Kind::empty : kind);
}

std::string FirstAnswers::take(const AttemptRecord& attempt) {
  return attempt.resumable ? "" : count(attempts_, kind_of(attempt));
}

/// A useful reply ends the watch over replies, a useful attempt the whole watch: a navigating agent
/// may ask for crops and still be cut off when it answers.
std::string FirstAnswers::count(Tally& tally, Kind kind) {
  if (!settings_.watches) return "";
  const std::lock_guard lock(mutex_);
  over_ = over_ || (kind == Kind::useful && &tally == &attempts_);
  ++tally.counts[static_cast<std::size_t>(kind)];
  const std::size_t seen = std::accumulate(tally.counts.begin(), tally.counts.end(), 0UL);
  if (over_ || tally.counts.front() > 0 || seen < tally.enough) return "";
  over_ = true;
  return sentence(tally);
}

std::string FirstAnswers::sentence(const Tally& tally) const {
  const auto [useful, truncated, refused, empty] = tally.counts;
  std::vector<std::string> what, advice, again;
  const auto add = [&](std::size_t count, std::string_view name, std::string_view outcomes,
                       const std::string& remedy) {
    if (count == 0) return;
    what.push_back(fmt::format("{} {}", count, name));
    advice.push_back(remedy);
    again.emplace_back(outcomes);
  };
  add(truncated, "cut off", "truncated",
      truncation_advice(settings_.api, settings_.max_output_tokens));
  add(refused, "refused", "refused", "choose another --model");
  add(empty, "empty", "unparsed,errored",
      "check --api, --base-url and --max-output-tokens with 'assay qa check --probe'");
  return fmt::format(
      "none of the first answers can be used ({}), so the run stopped before it cost more; {}. "
      "Then start again with --ask-again {}, or with --keep-going to continue regardless",
      joined(what), joined(advice, "; "), joined(again, ","));
}

}  // namespace assay::qa
