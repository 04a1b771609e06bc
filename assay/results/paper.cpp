// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/results.hpp"
#include "assay/results/paper_json.hpp"
#include "assay/results/readings.hpp"

namespace assay::results {
namespace {

[[noreturn]] void refuse_paper(const std::string& file, const std::string& why) {
  throw Error(Error::Kind::input, file + ": " + why);
}

/// Nothing if absent or null. Any other value must be a finite number of 0 or more.
std::optional<double> optional_number(const Json& object, const std::string& key,
                                      const std::string& where) {
  if (member(object, key).is_null()) return std::nullopt;
  const parity::NumberRead found = number_at(object, key, "");
  if (!found.value) refuse_paper(where, found.missing);
  if (*found.value < 0) refuse_paper(where, key + " is negative");
  return found.value;
}

/// A count of at least two, because a single value has no spread.
std::optional<std::size_t> count_of(const Json& object, const std::string& key,
                                    const std::string& where) {
  const auto found = optional_number(object, key, where);
  if (!found) return std::nullopt;
  if (*found < 2 || *found > 1e9 || std::floor(*found) != *found)
    refuse_paper(where, key + " is not a whole number of 2 or more");
  return static_cast<std::size_t>(*found);
}

std::optional<parity::PaperValue> value_of(const Json& row, const std::string& metric,
                                           const std::string& where) {
  const auto mean = optional_number(row, metric + "_mean", where);
  if (!mean) return std::nullopt;
  const Json& differs = member(row, metric + "_differs");
  const auto star = optional_number(row, metric + "_sig", where);
  return parity::PaperValue{
      .mean = *mean,
      .std = optional_number(row, metric + "_std", where),
      .differs = differs.is_boolean() ? differs.get<bool>() : star.value_or(0) != 0,
      .n = count_of(row, metric + "_n", where)};
}

parity::PaperModel model_of(const Json& row, const std::string& name, const std::string& file) {
  const std::string where = file + ": model '" + name + "'";
  parity::PaperModel model = {.key = parity::model_key(name), .name = name, .dice = {}};
  const auto dice = value_of(row, "dice", where);
  if (!dice) refuse_paper(where, "dice_mean is absent");
  if (dice->mean == 0) refuse_paper(where, "dice_mean is 0, which is not a result to match");
  model.dice = *dice;
  model.avd = value_of(row, "avd", where);
  model.mcc = value_of(row, "mcc", where);
  const Json& parameters = member(row, "parameters");
  if (parameters.is_number_integer())
    model.parameters = parameters.get<long long>();
  else if (!parameters.is_null())
    refuse_paper(where, "parameters is not a whole number");
  return model;
}

std::string name_of(const Json& row, const std::string& file) {
  for (const char* key : {"model", "name", "key"})
    if (const Json& name = member(row, key); name.is_string()) return name.get<std::string>();
  refuse_paper(file, "a model lacks its name; give it as \"model\"");
}

bool is_row(const Json& value) {
  return value.is_object() && value.contains("dice_mean");
}

/// The list of rows, the object of rows by key, or the first member that is either.
const Json& table_of(const Json& file) {
  if (const Json& models = member(file, "models"); models.is_structured()) return models;
  if (file.is_object() && std::ranges::none_of(file, is_row))
    for (const Json& part : file)
      if (part.is_structured() && std::ranges::any_of(part, is_row)) return part;
  return file;
}

std::vector<parity::PaperModel> models_of(const Json& file, const std::string& name) {
  const Json& table = table_of(file);
  std::vector<parity::PaperModel> models;
  if (table.is_array()) {
    for (const Json& row : table) models.push_back(model_of(row, name_of(row, name), name));
  } else if (table.is_object()) {
    for (const auto& item : table.items())
      if (is_row(item.value())) models.push_back(model_of(item.value(), item.key(), name));
  }
  if (models.empty())
    refuse_paper(name,
                 "no published models; each needs at least a name and dice_mean "
                 "(docs/formats/paper.md)");
  for (std::size_t i = 0; i < models.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (models[i].key == models[j].key)
        refuse_paper(name, "two models have the key '" + models[i].key + "'");
  return models;
}

struct Limit {
  std::string_view key;
  double parity::ParityLimits::*value;
};
constexpr Limit tolerances[] = {{"dice", &parity::ParityLimits::dice_tolerance},
                                {"avd", &parity::ParityLimits::avd_tolerance},
                                {"mcc", &parity::ParityLimits::mcc_tolerance},
                                {"dice_std", &parity::ParityLimits::dice_std}};
constexpr Limit acceptable[] = {{"dice", &parity::ParityLimits::acceptable_dice},
                                {"avd", &parity::ParityLimits::acceptable_avd},
                                {"mcc", &parity::ParityLimits::acceptable_mcc}};
constexpr Limit minimum[] = {{"dice", &parity::ParityLimits::minimum_dice}};

/// Whether anything was set. An unknown name is probably a mistake, so it is reported.
bool read_limits(const Json& object, std::span<const Limit> known, const std::string& where,
                 parity::ParityLimits& limits) {
  if (object.is_null()) return false;
  if (!object.is_object()) refuse_paper(where, "is not an object of limits by metric");
  for (const auto& item : object.items()) {
    const auto limit = std::ranges::find(known, std::string_view(item.key()), &Limit::key);
    if (limit == known.end())
      refuse_paper(where, "'" + item.key() + "' is not known there" +
                              did_you_mean(item.key(), known, &Limit::key));
    if (const auto value = optional_number(object, item.key(), where))
      limits.*(limit->value) = *value;
  }
  return true;
}

void add_value(Json& out, const std::string& metric,
               const std::optional<parity::PaperValue>& value) {
  out[metric + "_mean"] = value ? Json(value->mean) : Json(nullptr);
  out[metric + "_std"] = value ? or_null(value->std) : Json(nullptr);
  out[metric + "_n"] = value ? or_null(value->n) : Json(nullptr);
  out[metric + "_differs"] = value && value->differs;
}

Json limits_json(std::span<const Limit> known, const parity::ParityLimits& limits) {
  Json out = Json::object();
  for (const Limit& limit : known) out[std::string(limit.key)] = limits.*limit.value;
  return out;
}

}  // namespace

void add_limits(Json& out, const parity::ParityLimits& limits) {
  out["tolerances"] = limits_json(tolerances, limits);
  out["limits"] = {{"acceptable", limits_json(acceptable, limits)},
                   {"minimum", limits_json(minimum, limits)}};
}

parity::ParityLimits parse_limits(const Json& file) {
  parity::ParityLimits out;
  const auto read = [&](std::span<const Limit> known, const Json& block) {
    for (const Limit& limit : known)
      out.*limit.value = block.at(std::string(limit.key)).get<double>();
  };
  read(tolerances, file.at("tolerances"));
  read(acceptable, file.at("limits").at("acceptable"));
  read(minimum, file.at("limits").at("minimum"));
  return out;
}

Json paper_model_json(const parity::PaperModel& m) {
  Json out = {{"key", m.key}, {"model", m.name}, {"parameters", or_null(m.parameters)}};
  add_value(out, "dice", m.dice);
  add_value(out, "avd", m.avd);
  add_value(out, "mcc", m.mcc);
  out["dice_per_million_parameters"] = or_null(parity::dice_per_million(m.dice.mean, m.parameters));
  return out;
}

parity::Paper parse_paper(std::string_view text, const std::string& name) {
  const Json file = parse_json(text, name);
  parity::Paper paper = {.source = name, .models = models_of(file, name), .gives_limits = false};
  read_limits(member(file, "tolerances"), tolerances, name + ": tolerances", paper.limits);
  const Json& limits = member(file, "limits");
  if (!limits.is_null() && !limits.is_object()) refuse_paper(name, "limits is not an object");
  for (const auto& item : limits.items()) {
    const bool is_minimum = item.key() == "minimum";
    if (!is_minimum && item.key() != "acceptable")
      refuse_paper(name,
                   "limits." + item.key() + " is not known; there are acceptable and minimum");
    const auto known =
        is_minimum ? std::span<const Limit>(minimum) : std::span<const Limit>(acceptable);
    const bool any =
        read_limits(item.value(), known, name + ": limits." + item.key(), paper.limits);
    paper.gives_limits = paper.gives_limits || any;
  }
  return paper;
}

parity::Paper read_paper(const std::filesystem::path& path) {
  return parse_paper(read_text(path), path.string());
}

std::string paper_text(const parity::Paper& paper) {
  Json models = Json::array();
  for (const parity::PaperModel& model : paper.models) models.push_back(paper_model_json(model));
  Json out = {{"source", paper.source.empty() ? "built in" : paper.source}, {"models", models}};
  add_limits(out, paper.limits);
  return to_text(out) + "\n";
}

}  // namespace assay::results
