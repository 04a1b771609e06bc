// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_estimate.hpp"

#include <algorithm>

#include "assay/qa/agent/prompt.hpp"

namespace assay::qa {
namespace {

using Guess = ShortAnswers;
constexpr double usual_aspect = 0.75;  // of a slide: height over width

std::uint64_t image_tokens(std::int64_t longest) {
  const auto side = static_cast<double>(longest);
  return static_cast<std::uint64_t>(side * side * usual_aspect) / Guess::pixels_per_token;
}

/// Tokens of so many calls of one conversation: each call repeats everything that was said and
/// shown before, and only the rest of it is new to the server.
struct Traffic {
  std::uint64_t fresh = 0, repeated = 0, out = 0;

  void add(const Traffic& other, std::uint64_t times) {
    fresh += times * other.fresh;
    repeated += times * other.repeated;
    out += times * other.out;
  }
  std::uint64_t all() const { return fresh + repeated + out; }
};

/// The length of a conversation: its first call, and what each further one adds.
struct Conversation {
  std::uint64_t first = 0, growth = 0, answer = 0;

  Traffic of(std::uint64_t calls) const {
    const std::uint64_t before = calls - 1;
    return {.fresh = first + growth * before,
            .repeated = before * first + (before < 2 ? 0 : growth * (before * (before - 1) / 2)),
            .out = calls * answer};
  }
};

/// How a mode asks: so many conversations of so many calls.
struct ModePlan {
  std::uint64_t conversations = 1, fewest = 1, most = 1;  ///< calls of each
  std::int64_t image = 0, crop = 0;                       ///< longer sides, pixels
  std::uint64_t images = 1;                               ///< of that size, as one picture
  std::string rules{};
};

ModePlan plan_of(const LoopSettings& loop) {
  const std::uint64_t patches = loop.patches.count;
  switch (loop.mode) {
    case AgentMode::giant:
      return {.fewest = loop.fixed_steps ? loop.max_steps : 1U,
              .most = loop.max_steps,
              .image = loop.thumbnail_size,
              .crop = loop.crop_size,
              .rules = navigation_rules(loop.max_steps)};
    case AgentMode::thumbnail: return {.image = loop.thumbnail_size, .rules = thumbnail_rules()};
    case AgentMode::patch:
      return {.image = loop.patches.size, .images = patches, .rules = collage_rules(patches)};
    case AgentMode::patch_vote:
      return {.conversations = patches, .image = loop.patches.size, .rules = patch_rules()};
  }
  return {};
}

Conversation short_answers(const ModePlan& mode) {
  return {
      .first = mode.rules.size() / Guess::bytes_per_token + mode.images * image_tokens(mode.image),
      .growth = mode.crop == 0 ? 0 : image_tokens(mode.crop) + Guess::answer_tokens,
      .answer = Guess::answer_tokens};
}

/// A square picture, which has the most pixels; of several, as many columns as rows.
ChatImage largest_picture(std::int64_t side, std::uint64_t count) {
  std::size_t columns = 1;
  while (columns * columns < count) ++columns;
  const std::size_t rows = (static_cast<std::size_t>(count) + columns - 1) / columns;
  return {.jpeg = {},
          .sha256 = {},
          .width = columns * static_cast<std::size_t>(side),
          .height = rows * static_cast<std::size_t>(side)};
}

/// By the bounds of the budget, on conversations as long as those of the run.
Conversation longest_answers(const ModePlan& mode, const QaRunSettings& settings, unsigned output,
                             const Prices& prices) {
  constexpr std::int64_t large = 1'000'000;  // pixels of a slide: its numbers are texts as well
  const slide::SlideInfo slide{.width = large, .height = large};
  const LoopSettings& loop = settings.loop;
  const std::string step = mode.crop == 0 ? "" : step_text(1, loop.max_steps, loop.fixed_steps);
  Chat chat = {
      {Role::system, {mode.rules}},
      {Role::user, {question_text("", slide), largest_picture(mode.image, mode.images), step}}};
  const auto bound = [&] {
    return static_cast<std::uint64_t>(worst_case(chat, output, prices).input);
  };
  Conversation out{.first = bound() + settings.model.request_json.size(), .answer = output};
  if (mode.crop == 0) return out;
  const std::uint64_t before = bound();
  chat.push_back({Role::assistant, {""}});
  chat.push_back(
      {Role::user, {crop_text({large, large, large, large}), largest_picture(mode.crop, 1), step}});
  out.growth = bound() - before + output;
  return out;
}

struct Rates {
  double fresh = 0, repeated = 0, out = 0;
};

/// A server that caches by itself reads what is repeated; one that wants marks also writes.
Rates cached_rates(const QaRunSettings& settings, const Prices& prices) {
  const auto api = std::ranges::find(model_apis(), settings.api, &ModelApi::name);
  const bool wants_marks = api != model_apis().end() && api->marks_cache;
  const bool caches = !wants_marks || settings.model.marks_cache;
  return {.fresh = wants_marks && caches ? prices.cache_write.value_or(prices.input) : prices.input,
          .repeated = caches ? prices.cache_read.value_or(prices.input) : prices.input,
          .out = prices.output};
}

double dollars_of(const Traffic& traffic, const Rates& rates) {
  constexpr double million = 1e6;
  return (static_cast<double>(traffic.fresh) * rates.fresh +
          static_cast<double>(traffic.repeated) * rates.repeated +
          static_cast<double>(traffic.out) * rates.out) /
         million;
}

/// The same conversation about another question.
Conversation with_text(Conversation each, std::uint64_t tokens) {
  each.first += tokens;
  return each;
}

}  // namespace

QaEstimate estimated_run(const QaPlan& plan, const QaRunSettings& settings,
                         const QaExecution& execution) {
  const Prices* prices = execution.prices.find(settings.model.model);
  const ModePlan mode = plan_of(settings.loop);
  const unsigned output = std::max(settings.model.max_output_tokens, execution.most_output_tokens);
  const Conversation usual = short_answers(mode);
  const Conversation longest =
      longest_answers(mode, settings, output, prices == nullptr ? Prices{} : *prices);
  QaEstimate out;
  Traffic least, most, worst;
  for (const PlannedItem& planned : plan.items) {
    if (!planned.selected || !planned.slide.problem.empty()) continue;
    const std::uint64_t text = plan.table.items[planned.index].prompt.size();
    const std::uint64_t times = execution.runs * mode.conversations;
    const Conversation guess = with_text(usual, text / Guess::bytes_per_token);
    least.add(guess.of(mode.fewest), times);
    most.add(guess.of(mode.most), times);
    worst.add(with_text(longest, text).of(mode.most), times);
    out.attempts += execution.runs;
  }
  out.fewest_calls = out.attempts * mode.conversations * mode.fewest;
  out.most_calls = out.attempts * mode.conversations * mode.most;
  out.fewest_tokens = least.all();
  out.most_tokens = most.all();
  out.worst_tokens = worst.all();
  if (prices == nullptr) return out;
  const Rates cached = cached_rates(settings, *prices);
  const double dearest = worst_cost_usd({.input = 1'000'000, .output = 0}, *prices);
  out.lowest_usd = dollars_of(least, cached);
  out.highest_usd = dollars_of(most, cached);
  out.worst_usd = dollars_of(worst, {dearest, dearest, prices->output});
  return out;
}

}  // namespace assay::qa
