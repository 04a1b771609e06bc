// SPDX-License-Identifier: Apache-2.0
#include "assay/results/readings.hpp"

#include <algorithm>
#include <cmath>

#include "assay/stats/moments.hpp"

namespace assay::results {
namespace {

std::string spelled(double x) {
  return std::isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
}

/// The first whole number that one of the objects has under one of the keys.
std::optional<long long> whole_number(const std::vector<const Json*>& objects,
                                      std::initializer_list<std::string_view> keys) {
  for (const Json* object : objects)
    for (const std::string_view key : keys)
      if (const Json& found = member(*object, key); found.is_number_integer())
        return found.get<long long>();
  return std::nullopt;
}

std::vector<long long> whole_numbers(const Json& array) {
  std::vector<long long> numbers;
  for (const Json& element : elements(array)) {
    if (!element.is_number_integer()) return {};
    numbers.push_back(element.get<long long>());
  }
  return numbers;
}

/// A list of dilations, or one per entry of a list of layers.
std::vector<long long> dilations_of(const std::vector<const Json*>& objects) {
  for (const Json* object : objects) {
    for (const std::string_view key : {"dilations", "dilation_pattern", "dilation"})
      if (auto found = whole_numbers(member(*object, key)); !found.empty()) return found;
    std::vector<long long> found;
    for (const Json& layer : elements(member(*object, "layers")))
      if (const Json& dilation = member(layer, "dilation"); dilation.is_number_integer())
        found.push_back(dilation.get<long long>());
      else if (const auto axes = whole_numbers(dilation); !axes.empty())
        found.push_back(axes.front());
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

Error incomplete(const std::string& file, std::string_view kind) {
  return {Error::Kind::input, file + ": lacks members that every " + std::string(kind) +
                                  " file has; write it again with this version of assay"};
}

parity::NumberRead number_read(const ToldNumber& told, const std::string& place, bool raw) {
  parity::NumberRead out = {.place = place};
  if (told.is_absent)
    out.missing = place + " is absent";
  else if (!told.value)
    out.missing = place + " is null";
  else if (raw || std::isfinite(*told.value))
    out.value = told.value;
  else
    out.missing = place + " is " + spelled(*told.value);
  return out;
}

parity::NumberRead number_at(const Json& object, const std::string& key, const std::string& place,
                             bool raw) {
  const std::string whole = place.empty() ? key : place + "." + key;
  const Json& found = member(object, key);
  if (!found.is_null() && !found.is_number())
    return {.place = whole, .missing = whole + " is not a number"};
  return number_read({!object.is_object() || !object.contains(key),
                      found.is_null() ? std::nullopt : std::optional(found.get<double>())},
                     whole, raw);
}

Moments moments_of(const std::vector<parity::NumberRead>& readings, const std::string& place) {
  Moments out = {.mean = {.place = place}, .std = {.place = "SD of " + place}};
  std::vector<double> values;
  for (const parity::NumberRead& reading : readings) {
    if (!reading.value) {
      out.mean.missing = out.std.missing = reading.missing;
      return out;
    }
    values.push_back(*reading.value);
  }
  const bool finite = std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  out.mean.value = stats::mean(values);
  out.std.value = stats::standard_deviation(values, 0);
  for (parity::NumberRead* number : {&out.mean, &out.std})
    if (finite && !std::isfinite(*number->value))
      *number = {.place = number->place, .missing = number->place + " is too large for a number"};
  return out;
}

std::vector<double> finite_numbers(const Json& array, std::size_t& left_out) {
  std::vector<double> values;
  for (const Json& element : elements(array))
    if (element.is_number() && std::isfinite(element.get<double>()))
      values.push_back(element.get<double>());
    else
      ++left_out;
  return values;
}

parity::NetworkDescription description_of(const Json& file, const std::string& name) {
  const Json& config = member(file, "config");
  const std::vector<const Json*> objects = {&member(file, "model"), &config,
                                            &member(config, "model"), &file};
  parity::NetworkDescription out = {
      .parameters = whole_number(objects, {"parameters", "num_parameters", "n_parameters"}),
      .channels = whole_number(objects, {"channels", "num_channels", "hidden_channels"}),
      .dilations = dilations_of(objects)};
  if (out.parameters || out.channels || !out.dilations.empty()) out.place = name;
  return out;
}

}  // namespace assay::results
