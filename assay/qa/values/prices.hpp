// SPDX-License-Identifier: Apache-2.0
/// What calls cost, and what they can cost at most.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/qa/values/chat.hpp"

namespace assay::qa {

/// US dollars per million tokens of one model.
struct Prices {
  double input = 0, output = 0;
  std::optional<double> cache_write{}, cache_read{};  ///< nothing: as input
  /// The most that one picture can count, where the provider says so; nothing: see worst_case.
  std::optional<std::int64_t> image_tokens{};
};

struct PriceTable {
  struct Row {
    std::string model;  ///< as in --model, or a prefix that ends in '*'
    Prices prices;
  };
  std::vector<Row> rows;

  /// The row of a model: the exact name, else the longest prefix.
  const Prices* find(const std::string& model) const;
};

/// Nothing when a class of tokens that was used has no count.
std::optional<double> cost_usd(const Usage& usage, const Prices& prices);

/// What a call costs: as the server reports it, else by the price table, else (null: there is none)
/// by a gateway's estimate. A reported cost of 0 does not replace a price, and neither does a
/// gateway's fee without the cost of the provider. Nothing when it is not known.
std::optional<double> billed_usd(const ReportedCost& reported, const Usage& usage,
                                 const Prices* prices);

/// Tokens that a call can use at the most.
struct TokenBound {
  std::int64_t input = 0, output = 0;
};

/// A bound, not a guess: a token is at least one byte of text, and a picture counts at most what
/// the price table says, or one token for each 14 x 14 pixels (the finest patches in use) twice.
TokenBound worst_case(const Chat& chat, unsigned max_output_tokens, const Prices& prices);

double worst_cost_usd(const TokenBound& bound, const Prices& prices);

// The price table of a run, as JSON. docs/qa-agents.md describes it.

/// {"MODEL or PREFIX*": {"input": 1.25, "output": 10, "cache_read": …, "cache_write": …,
/// "image_tokens": …}}, US dollars per million tokens. Throws Error::input with file and row.
PriceTable read_prices(const std::filesystem::path& path);
PriceTable parse_prices(std::string_view text, const std::string& name);

}  // namespace assay::qa
