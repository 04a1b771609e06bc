// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/values/prices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"

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

namespace {

constexpr std::array known = {"input", "output", "cache_write", "cache_read", "image_tokens"};

constexpr double largest_price = 1e12;  // dollars or tokens: sums over a run stay finite

/// One row; messages name it.
class PriceRow {
 public:
  PriceRow(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json_.is_object()) throw Error(Error::Kind::input, place_ + " must be an object");
    for (const auto& [key, value] : json_.items())
      if (std::ranges::find(known, key) == known.end())
        throw Error(Error::Kind::input,
                    place_ + " has an unknown key '" + key +
                        "' (known: input, output, cache_write, cache_read, image_tokens)");
  }

  std::optional<double> price(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) return std::nullopt;
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!(value >= 0 && value <= largest_price))
      throw Error(Error::Kind::input, place_ + ": '" + key + "' must be a number from 0 to 1e12");
    return value;
  }

  double required(const char* key) const {
    if (const auto value = price(key)) return *value;
    throw Error(Error::Kind::input,
                place_ + " needs '" + key + "', in US dollars per million tokens");
  }

 private:
  const Json& json_;
  std::string place_;
};

Prices prices_of(const PriceRow& row) {
  Prices out{.input = row.required("input"),
             .output = row.required("output"),
             .cache_write = row.price("cache_write"),
             .cache_read = row.price("cache_read")};
  if (const auto tokens = row.price("image_tokens"))
    out.image_tokens = static_cast<std::int64_t>(std::ceil(*tokens));
  return out;
}

}  // namespace

PriceTable read_prices(const std::filesystem::path& path) {
  return parse_prices(read_text(path), path.string());
}

PriceTable parse_prices(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  if (!json.is_object())
    throw Error(Error::Kind::input, name,
                "must be an object such as {\"gpt-5\": {\"input\": 1.25, \"output\": 10}}");
  PriceTable table;
  for (const auto& [model, row] : json.items())
    table.rows.push_back(
        {model,
         prices_of(PriceRow(row, std::string(name).append(": '").append(model).append("'")))});
  return table;
}

}  // namespace assay::qa
