// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/run/qa_estimate.hpp"

#include "assay/qa/agent/instructions.hpp"

namespace assay::qa {
namespace {

constexpr std::uint64_t bytes_per_token = 4, pixels_per_token = 750, answer_tokens = 300;
constexpr double usual_aspect = 0.75;  // of a slide: height over width

std::uint64_t image_tokens(std::int64_t longest) {
  const auto side = static_cast<double>(longest);
  return static_cast<std::uint64_t>(side * side * usual_aspect) / pixels_per_token;
}

/// Input and output tokens of so many calls of one conversation: each call repeats everything that
/// was said and shown before.
struct Traffic {
  std::uint64_t in = 0, out = 0;
};

Traffic conversation(std::uint64_t first_call, std::uint64_t growth, std::uint64_t calls) {
  return {calls * first_call + growth * (calls * (calls - 1) / 2), calls * answer_tokens};
}

struct ModeCost {
  std::uint64_t fewest = 1, most = 1;  ///< calls
  std::uint64_t image = 0, growth = 0;
};

ModeCost cost_of(const LoopSettings& loop) {
  switch (loop.mode) {
    case AgentMode::giant:
      return {loop.fixed_steps ? loop.max_steps : 1U, loop.max_steps,
              image_tokens(loop.thumbnail_size), image_tokens(loop.crop_size) + answer_tokens};
    case AgentMode::thumbnail: return {1, 1, image_tokens(loop.thumbnail_size), 0};
    case AgentMode::patch: return {1, 1, loop.patches.count * image_tokens(loop.patches.size), 0};
    case AgentMode::patch_vote:
      return {loop.patches.count, loop.patches.count, image_tokens(loop.patches.size), 0};
  }
  return {};
}

double dollars(const Traffic& traffic, const Prices& prices) {
  constexpr double million = 1e6;
  return (static_cast<double>(traffic.in) * prices.input +
          static_cast<double>(traffic.out) * prices.output) /
         million;
}

}  // namespace

QaEstimate estimated_run(const QaPlan& plan, const QaRunSettings& settings, unsigned runs,
                         const Prices* prices) {
  const ModeCost mode = cost_of(settings.loop);
  const std::uint64_t rules = navigation_rules(settings.loop.max_steps).size() / bytes_per_token;
  QaEstimate out;
  Traffic least, most;
  for (const PlannedItem& planned : plan.items) {
    if (!planned.selected || !planned.slide.problem.empty()) continue;
    const std::uint64_t text = plan.table.items[planned.index].prompt.size() / bytes_per_token;
    const std::uint64_t first = rules + text + mode.image;
    const Traffic few = conversation(first, mode.growth, mode.fewest);
    const Traffic many = conversation(first, mode.growth, mode.most);
    least = {least.in + runs * few.in, least.out + runs * few.out};
    most = {most.in + runs * many.in, most.out + runs * many.out};
    out.attempts += runs;
  }
  out.fewest_calls = out.attempts * mode.fewest;
  out.most_calls = out.attempts * mode.most;
  out.fewest_tokens = least.in + least.out;
  out.most_tokens = most.in + most.out;
  if (prices != nullptr) {
    out.lowest_usd = dollars(least, *prices);
    out.highest_usd = dollars(most, *prices);
  }
  return out;
}

}  // namespace assay::qa
