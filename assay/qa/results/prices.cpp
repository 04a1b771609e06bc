// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/prices.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"

namespace assay::qa {
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
    throw Error(
        Error::Kind::input,
        name + ": must be an object such as {\"gpt-5\": {\"input\": 1.25, \"output\": 10}}");
  PriceTable table;
  for (const auto& [model, row] : json.items())
    table.rows.push_back(
        {model,
         prices_of(PriceRow(row, std::string(name).append(": '").append(model).append("'")))});
  return table;
}

}  // namespace assay::qa
