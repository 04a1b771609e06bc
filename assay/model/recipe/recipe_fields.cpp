// SPDX-License-Identifier: Apache-2.0
// One table reads fields and writes them: what can be written can be read, and a field that is
// forgotten here fails the round trip of the tests.
#include "assay/model/recipe/recipe_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(Error::Kind::input, sentence);
}

bool read_truth(const Json& value) {
  if (!value.is_boolean()) fail("must be true or false");
  return value.get<bool>();
}

double read_number(const Json& value) {
  if (!value.is_number()) fail("must be a number");
  return value.get<double>();
}

std::size_t read_size(const Json& value) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1)
    fail("must be a whole number of 1 or more");
  return value.get<std::size_t>();
}

template <class T>
struct Word {
  const char* name;
  T value;
};

constexpr std::array grids = {Word<GridRule>{"native", GridRule::native},
                              Word<GridRule>{"zoom", GridRule::zoom},
                              Word<GridRule>{"field_of_view", GridRule::field_of_view},
                              Word<GridRule>{"conform", GridRule::conform}};
constexpr std::array intensities = {Word<IntensityRule>{"none", IntensityRule::none},
                                    Word<IntensityRule>{"min_max", IntensityRule::min_max},
                                    Word<IntensityRule>{"quantile", IntensityRule::quantile}};
constexpr std::array tensor_axes = {Word<TensorAxes>{"xyz", TensorAxes::xyz},
                                    Word<TensorAxes>{"zyx", TensorAxes::zyx}};

template <class Words>
std::vector<std::string_view> names_of(const Words& words) {
  std::vector<std::string_view> out;
  out.reserve(words.size());
  for (const auto& word : words) out.emplace_back(word.name);
  return out;
}

template <class Words>
auto read_one(const Words& words, const Json& value) {
  const std::string text = read_word(value);
  for (const auto& word : words)
    if (text == word.name) return word.value;
  const auto names = names_of(words);
  fail(
      fmt::format("must be one of {}, not '{}'{}", joined(names), text, did_you_mean(text, names)));
}

template <class Words, class T>
std::string name_of(const Words& words, T value) {
  return std::ranges::find(words, value, [](const auto& word) { return word.value; })->name;
}

std::optional<Shape> read_shape(const Json& value) {
  if (!value.is_array() || (!value.empty() && value.size() != 3))
    fail("must be three whole numbers such as [256, 256, 256], or [] for no crop and padding");
  if (value.empty()) return std::nullopt;
  return Shape{read_size(value[0]), read_size(value[1]), read_size(value[2])};
}

std::array<double, 2> read_pair(const Json& value) {
  if (!value.is_array() || value.size() != 2) fail("must be two numbers such as [0.02, 0.98]");
  return {read_number(value[0]), read_number(value[1])};
}

unsigned read_count(const Json& value) {
  return static_cast<unsigned>(
      std::min<std::size_t>(read_size(value), std::numeric_limits<unsigned>::max()));
}

/// A key of the file. Reading throws an Error without the key's name, which the caller knows.
struct Field {
  const char* key;
  void (*read)(const Json& value, Recipe& recipe);
  Json (*write)(const Recipe& recipe);
};

constexpr Field fields[] = {
    {"axes", [](const Json& v, Recipe& r) { r.axes = read_one(tensor_axes, v); },
     [](const Recipe& r) -> Json { return name_of(tensor_axes, r.axes); }},
    {"orientation", [](const Json& v, Recipe& r) { r.orientation = read_word(v); },
     [](const Recipe& r) -> Json { return r.orientation; }},
    {"grid", [](const Json& v, Recipe& r) { r.grid = read_one(grids, v); },
     [](const Recipe& r) -> Json { return name_of(grids, r.grid); }},
    {"spacing_mm", [](const Json& v, Recipe& r) { r.spacing_mm = read_number(v); },
     [](const Recipe& r) -> Json { return r.spacing_mm; }},
    {"shape", [](const Json& v, Recipe& r) { r.shape = read_shape(v); },
     [](const Recipe& r) -> Json { return r.shape ? Json(*r.shape) : Json::array(); }},
    {"to_bytes", [](const Json& v, Recipe& r) { r.to_bytes = read_truth(v); },
     [](const Recipe& r) -> Json { return r.to_bytes; }},
    {"bytes_upper", [](const Json& v, Recipe& r) { r.bytes_upper = read_number(v); },
     [](const Recipe& r) -> Json { return r.bytes_upper; }},
    {"intensity", [](const Json& v, Recipe& r) { r.intensity = read_one(intensities, v); },
     [](const Recipe& r) -> Json { return name_of(intensities, r.intensity); }},
    {"quantiles", [](const Json& v, Recipe& r) { r.quantiles = read_pair(v); },
     [](const Recipe& r) -> Json { return r.quantiles; }},
    {"clip", [](const Json& v, Recipe& r) { r.clip = read_truth(v); },
     [](const Recipe& r) -> Json { return r.clip; }},
    {"epsilon", [](const Json& v, Recipe& r) { r.epsilon = read_number(v); },
     [](const Recipe& r) -> Json { return r.epsilon; }},
    {"largest_component", [](const Json& v, Recipe& r) { r.largest_component = read_truth(v); },
     [](const Recipe& r) -> Json { return r.largest_component; }},
    {"min_volume_ml", [](const Json& v, Recipe& r) { r.min_volume_ml = read_number(v); },
     [](const Recipe& r) -> Json { return r.min_volume_ml; }},
    {"connectivity", [](const Json& v, Recipe& r) { r.connectivity = read_count(v); },
     [](const Recipe& r) -> Json { return r.connectivity; }},
};

}  // namespace

std::string read_word(const Json& value) {
  if (!value.is_string()) fail("must be text in quotes");
  return value.get<std::string>();
}

std::vector<std::string_view> recipe_fields() {
  std::vector<std::string_view> out;
  out.reserve(std::size(fields));
  for (const Field& field : fields) out.emplace_back(field.key);
  return out;
}

Json fields_of(const Recipe& recipe) {
  Json out = Json::object();
  for (const Field& field : fields) out[field.key] = field.write(recipe);
  return out;
}

void read_key(const Json& file, const char* key, const std::function<void(const Json&)>& read) {
  const auto found = file.find(key);
  if (found == file.end()) return;
  try {
    read(*found);
  } catch (const Error& e) {
    fail(std::string(key) + " " + e.what());
  }
}

Recipe with_fields(Recipe recipe, const Json& file) {
  for (const Field& field : fields)
    read_key(file, field.key, [&](const Json& value) { field.read(value, recipe); });
  return recipe;
}

}  // namespace assay::model
