// SPDX-License-Identifier: Apache-2.0
/// Reads the reference vectors of tests/vectors, whose README says where the numbers come from.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/stats/random.hpp"

namespace assay::vectors {

using Json = nlohmann::json;

/// The parsed file.
inline Json file(std::string_view name) {
  std::ifstream in(ASSAY_SOURCE_DIR "/tests/vectors/" + std::string(name));
  return Json::parse(in);
}

/// All cases of one family of statistics.json. There is at least one.
inline std::vector<Json> cases(std::string_view family) {
  static const Json all = file("statistics.json");
  std::vector<Json> chosen;
  for (const Json& item : all.at("cases"))
    if (item.at("family") == family) chosen.push_back(item);
  EXPECT_FALSE(chosen.empty()) << "statistics.json has no family " << family;
  return chosen;
}

/// One section of specification-reference.json.
inline Json reference(const char* section) {
  static const Json all = file("specification-reference.json");
  return all.at(section);
}

/// Non-finite numbers are written as words.
inline double number(const Json& value) {
  if (!value.is_string()) return value.is_null() ? NAN : value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "NaN") return NAN;
  const double inf = std::numeric_limits<double>::infinity();
  return text.front() == '-' ? -inf : inf;
}

inline std::vector<double> numbers(const Json& list) {
  std::vector<double> values;
  for (const Json& item : list) values.push_back(number(item));
  return values;
}

/// The expectation for one peer version, or the one that holds for all.
inline const Json* expected(const Json& item, const char* version) {
  const Json& all = item.at("expected");
  if (all.contains("all")) return &all.at("all");
  return all.contains(version) ? &all.at(version) : nullptr;
}

/// Bits for a tolerance of 0, otherwise a relative distance; NaN equals NaN.
inline bool near(double found, double wanted, double rtol) {
  if (std::isnan(wanted)) return std::isnan(found);
  return found == wanted || std::fabs(found - wanted) <= rtol * std::fabs(wanted);
}

inline void expect_near(double found, double wanted, double rtol, const std::string& where) {
  EXPECT_TRUE(near(found, wanted, rtol)) << where << ": found " << ::testing::PrintToString(found)
                                         << ", expected " << ::testing::PrintToString(wanted);
}

/// The data of a recipe {seed, n, kind}, which tests/vectors/README.md explains.
inline std::vector<double> generated(const Json& recipe) {
  const auto n = recipe.at("n").get<std::size_t>();
  const bool scaled = recipe.at("kind") == "random_scaled";
  stats::Generator generator(recipe.at("seed").get<std::uint64_t>());
  std::vector<double> values(n);
  for (double& value : values) {
    value = generator.uniform();
    if (scaled) value = (value - 0.3) * std::pow(10, std::floor(generator.uniform() * 6) - 3);
    if (recipe.at("kind") == "centered_random_shift")
      value = value - 0.5 + recipe.at("shift").get<double>();
  }
  return values;
}

/// The data of a case: literal under `key`, or generated.
inline std::vector<double> data(const Json& item, const char* key) {
  return item.contains(key) ? numbers(item.at(key)) : generated(item.at("rng"));
}

/// FNV-1a over whole indices, as the vectors summarise long streams.
template <class Index>
std::uint64_t fnv1a(std::span<const Index> indices, std::uint64_t hash = 1469598103934665603U) {
  for (const Index index : indices) hash = (hash ^ index) * 1099511628211U;
  return hash;
}

}  // namespace assay::vectors
