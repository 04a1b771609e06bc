// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/prices.hpp"

#include <algorithm>

namespace assay::qa {
namespace {

constexpr double million = 1e6;

std::int64_t image_bound(const ChatImage& image, const Prices& prices) {
  if (prices.image_tokens) return *prices.image_tokens;
  constexpr std::size_t patch = 14;
  const std::size_t patches =
      ((image.width + patch - 1) / patch) * ((image.height + patch - 1) / patch);
  return static_cast<std::int64_t>(2 * patches);
}

}  // namespace

const Prices* PriceTable::find(const std::string& model) const {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.model == model) return &row.prices;
    const bool prefix =
        row.model.ends_with('*') && model.starts_with(row.model.substr(0, row.model.size() - 1));
    if (prefix && (best == nullptr || row.model.size() > best->model.size())) best = &row;
  }
  return best == nullptr ? nullptr : &best->prices;
}

std::optional<double> cost_usd(const Usage& usage, const Prices& prices) {
  if (!usage.input || !usage.output) return std::nullopt;
  const auto cost = [](std::optional<std::int64_t> tokens, double price) {
    return static_cast<double>(tokens.value_or(0)) * price / million;
  };
  return cost(usage.input, prices.input) +
         cost(usage.cache_write, prices.cache_write.value_or(prices.input)) +
         cost(usage.cache_read, prices.cache_read.value_or(prices.input)) +
         cost(usage.output, prices.output);
}

std::optional<double> billed_usd(const ReportedCost& reported, const Usage& usage,
                                 const Prices* prices) {
  const std::optional<double> told = reported.total();
  if (prices == nullptr) return told ? told : reported.estimate;
  if (told.value_or(0) > 0) return told;
  const std::optional<double> priced = cost_usd(usage, *prices);
  if (!priced) return std::nullopt;
  return *priced + reported.charged.value_or(0);
}

TokenBound worst_case(const Chat& chat, unsigned max_output_tokens, const Prices& prices) {
  constexpr std::int64_t frame = 16;  // tokens that mark a message and its parts
  TokenBound bound{.input = frame, .output = max_output_tokens};
  for (const ChatMessage& message : chat) {
    bound.input += frame;
    for (const ChatPart& part : message.parts) {
      bound.input += frame;
      if (const auto* text = std::get_if<std::string>(&part))
        bound.input += static_cast<std::int64_t>(text->size());
      else
        bound.input += image_bound(std::get<ChatImage>(part), prices);
    }
  }
  return bound;
}

double worst_cost_usd(const TokenBound& bound, const Prices& prices) {
  const double dearest = std::max({prices.input, prices.cache_write.value_or(prices.input),
                                   prices.cache_read.value_or(prices.input)});
  return (static_cast<double>(bound.input) * dearest +
          static_cast<double>(bound.output) * prices.output) /
         million;
}

}  // namespace assay::qa
