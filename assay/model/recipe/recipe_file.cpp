// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/recipe_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/base/toml.hpp"
#include "assay/error.hpp"
#include "assay/named.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

// One table both reads and writes fields, so whatever can be written can be read. A field that is
// forgotten here fails the round trip of the tests.

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(Error::Kind::input, sentence);
}

std::string read_word(const Json& value) {
  if (!value.is_string()) fail("must be text in quotes");
  return value.get<std::string>();
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

constexpr Named<GridRule> grids[] = {{"native", GridRule::native},
                                     {"zoom", GridRule::zoom},
                                     {"field_of_view", GridRule::field_of_view},
                                     {"conform", GridRule::conform}};
constexpr Named<IntensityRule> intensities[] = {{"none", IntensityRule::none},
                                                {"min_max", IntensityRule::min_max},
                                                {"quantile", IntensityRule::quantile},
                                                {"zscore", IntensityRule::zscore},
                                                {"zscore_nonzero", IntensityRule::zscore_nonzero},
                                                {"fixed", IntensityRule::fixed}};
constexpr Named<TensorAxes> tensor_axes[] = {{"xyz", TensorAxes::xyz}, {"zyx", TensorAxes::zyx}};

template <class Words>
std::vector<std::string_view> names_of(const Words& words) {
  std::vector<std::string_view> out;
  out.reserve(std::size(words));
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
  return std::string(
      std::ranges::find(words, value, [](const auto& word) { return word.value; })->name);
}

std::vector<double> read_numbers(const Json& value) {
  if (!value.is_array()) return {read_number(value)};
  std::vector<double> out;
  for (const Json& one : value) out.push_back(read_number(one));
  return out;
}

/// A single number is written without brackets.
Json numbers_json(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? Json(numbers.front()) : Json(numbers);
}

Point read_spacing(const Json& value) {
  const std::vector<double> found = read_numbers(value);
  if (found.size() == 1) return {found[0], found[0], found[0]};
  if (found.size() != 3) fail("must be a number, or three along x, y and z");
  return {found[0], found[1], found[2]};
}

Json spacing_json(const Point& spacing) {
  const bool is_cube = spacing[0] == spacing[1] && spacing[1] == spacing[2];
  return is_cube ? Json(spacing[0]) : Json(spacing);
}

void read_intensity(const Json& value, Recipe& recipe) {
  recipe.channel_intensities.clear();
  if (!value.is_array()) {
    recipe.intensity = read_one(intensities, value);
    return;
  }
  recipe.intensity = IntensityRule::none;
  for (const Json& one : value) recipe.channel_intensities.push_back(read_one(intensities, one));
}

Json intensity_json(const Recipe& recipe) {
  if (recipe.channel_intensities.empty()) return name_of(intensities, recipe.intensity);
  Json out = Json::array();
  for (const IntensityRule rule : recipe.channel_intensities)
    out.push_back(name_of(intensities, rule));
  return out;
}

std::string axes_text(const std::array<bool, 3>& axes) {
  std::string out;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (axes[axis]) out += "xyz"[axis];
  return out;
}

/// "TC=1,4".
OutputRegion read_region(const Json& value) {
  const std::string text = read_word(value);
  const std::size_t sign = text.find('=');
  const auto refuse = [] {
    fail(
        "must be texts such as \"TC=1,4\", one for each channel of the output: a name, and the "
        "labels from 1 to 255 that it unites");
  };
  if (sign == std::string::npos || sign == 0) refuse();
  OutputRegion out = {.name = text.substr(0, sign)};
  for (const std::string_view part : parts_of(std::string_view(text).substr(sign + 1), ',')) {
    const std::string_view word = trimmed(part);
    std::uint8_t label = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), label);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || label == 0) refuse();
    out.labels.push_back(label);
  }
  return out;
}

std::vector<OutputRegion> read_regions(const Json& value) {
  if (!value.is_array()) fail("must be a list of texts such as [\"WT=1,2,4\", \"ET=4\"]");
  std::vector<OutputRegion> out;
  for (const Json& one : value) out.push_back(read_region(one));
  return out;
}

Json regions_json(const std::vector<OutputRegion>& regions) {
  Json out = Json::array();
  for (const OutputRegion& region : regions)
    out.push_back(region.name + "=" + fmt::format("{}", fmt::join(region.labels, ",")));
  return out;
}

std::optional<Shape> read_shape(const Json& value) {
  if (!value.is_array() || (!value.empty() && value.size() != 3))
    fail("must be three whole numbers such as [256, 256, 256], or [] for none");
  if (value.empty()) return std::nullopt;
  return Shape{read_size(value[0]), read_size(value[1]), read_size(value[2])};
}

Json shape_json(const std::optional<Shape>& shape) {
  return shape ? Json(*shape) : Json::array();
}

std::array<double, 2> read_pair(const Json& value) {
  if (!value.is_array() || value.size() != 2) fail("must be two numbers such as [0.02, 0.98]");
  return {read_number(value[0]), read_number(value[1])};
}

unsigned read_count(const Json& value) {
  return static_cast<unsigned>(
      std::min<std::size_t>(read_size(value), std::numeric_limits<unsigned>::max()));
}

/// A key of the file. Errors from `read` do not name the key; the caller adds it.
struct Field {
  const char* key;
  void (*read)(const Json& value, Recipe& recipe);
  Json (*write)(const Recipe& recipe);
  bool came_later = false;  ///< recipes were first hashed without it
};

constexpr Field fields[] = {
    {"axes", [](const Json& v, Recipe& r) { r.axes = read_one(tensor_axes, v); },
     [](const Recipe& r) -> Json { return name_of(tensor_axes, r.axes); }},
    {"orientation", [](const Json& v, Recipe& r) { r.orientation = read_word(v); },
     [](const Recipe& r) -> Json { return r.orientation; }},
    {"grid", [](const Json& v, Recipe& r) { r.grid = read_one(grids, v); },
     [](const Recipe& r) -> Json { return name_of(grids, r.grid); }},
    {"spacing_mm", [](const Json& v, Recipe& r) { r.spacing_mm = read_spacing(v); },
     [](const Recipe& r) -> Json { return spacing_json(r.spacing_mm); }},
    {"shape", [](const Json& v, Recipe& r) { r.shape = read_shape(v); },
     [](const Recipe& r) -> Json { return shape_json(r.shape); }},
    {"to_bytes", [](const Json& v, Recipe& r) { r.to_bytes = read_truth(v); },
     [](const Recipe& r) -> Json { return r.to_bytes; }},
    {"bytes_upper", [](const Json& v, Recipe& r) { r.bytes_upper = read_number(v); },
     [](const Recipe& r) -> Json { return r.bytes_upper; }},
    {"intensity", read_intensity, intensity_json},
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
    {"channels", [](const Json& v, Recipe& r) { r.channels = v == 0 ? 0 : read_size(v); },
     [](const Recipe& r) -> Json { return r.channels; }, true},
    {"volumes_are_channels",
     [](const Json& v, Recipe& r) { r.volumes_are_channels = read_truth(v); },
     [](const Recipe& r) -> Json { return r.volumes_are_channels; }, true},
    {"mean", [](const Json& v, Recipe& r) { r.mean = read_numbers(v); },
     [](const Recipe& r) -> Json { return numbers_json(r.mean); }, true},
    {"standard_deviation", [](const Json& v, Recipe& r) { r.standard_deviation = read_numbers(v); },
     [](const Recipe& r) -> Json { return numbers_json(r.standard_deviation); }, true},
    {"clip_values", [](const Json& v, Recipe& r) { r.clip_values = read_numbers(v); },
     [](const Recipe& r) -> Json { return r.clip_values; }, true},
    {"window", [](const Json& v, Recipe& r) { r.scores.window = read_shape(v); },
     [](const Recipe& r) -> Json { return shape_json(r.scores.window); }, true},
    {"overlap", [](const Json& v, Recipe& r) { r.scores.overlap = read_number(v); },
     [](const Recipe& r) -> Json { return r.scores.overlap; }, true},
    {"window_weights",
     [](const Json& v, Recipe& r) { r.scores.weights = read_one(window_weight_names(), v); },
     [](const Recipe& r) -> Json { return name_of(window_weight_names(), r.scores.weights); },
     true},
    {"mirror", [](const Json& v, Recipe& r) { r.scores.mirror = axes_named(read_word(v)); },
     [](const Recipe& r) -> Json { return axes_text(r.scores.mirror); }, true},
    {"regions", [](const Json& v, Recipe& r) { r.scores.regions = read_regions(v); },
     [](const Recipe& r) -> Json { return regions_json(r.scores.regions); }, true},
    {"threshold", [](const Json& v, Recipe& r) { r.scores.threshold = read_number(v); },
     [](const Recipe& r) -> Json { return r.scores.threshold; }, true},
};

/// All fields, in a fixed order.
Json fields_of(const Recipe& recipe) {
  Json out = Json::object();
  for (const Field& field : fields) out[field.key] = field.write(recipe);
  return out;
}

/// Calls `read` on the value of a key that is there. Errors that it throws get the key's name.
void read_key(const Json& file, const char* key, const std::function<void(const Json&)>& read) {
  const auto found = file.find(key);
  if (found == file.end()) return;
  try {
    read(*found);
  } catch (const Error& e) {
    fail(std::string(key) + " " + e.what());
  }
}

/// The recipe, changed by the fields that `file` has. Throws an Error::input that names the key.
Recipe with_fields(Recipe recipe, const Json& file) {
  for (const Field& field : fields)
    read_key(file, field.key, [&](const Json& value) { field.read(value, recipe); });
  return recipe;
}

/// Keys that are not fields of a recipe: its schema, its name, the recipe it extends and its hash.
constexpr std::array<std::string_view, 4> other_keys = {"schema", "name", "extends", "sha256"};
constexpr std::string_view schema = "assay.recipe/1";

const Recipe* builtin(std::string_view name) {
  const auto all = builtin_recipes();
  const auto found = std::ranges::find(all, name, &Recipe::name);
  return found == all.end() ? nullptr : &*found;
}

std::string builtin_names() {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : builtin_recipes()) names.push_back(recipe.name);
  return joined(names);
}

void require_known(const std::string& key) {
  std::vector<std::string_view> known(other_keys.begin(), other_keys.end());
  for (const Field& field : fields) known.emplace_back(field.key);
  if (std::ranges::find(known, key) != known.end()) return;
  const std::string nearest = did_you_mean(key, known);
  fail(fmt::format("there is no key '{}'{}", key,
                   nearest.empty() ? "; the keys are " + joined(known) : nearest));
}

Recipe extended(const Json& value) {
  const std::string name = read_word(value);
  if (const Recipe* found = builtin(name)) return *found;
  fail(fmt::format("must be a built-in recipe ({}), not '{}'{}", builtin_names(), name,
                   did_you_mean(name, builtin_recipes(), &Recipe::name)));
}

Recipe recipe_of(const Json& file, std::string_view name) {
  if (!file.is_object()) fail("must hold keys and values, such as grid = \"zoom\"");
  for (const auto& item : file.items()) require_known(item.key());
  Recipe out;
  read_key(file, "schema", [](const Json& value) {
    if (value != schema) fail(fmt::format("must be \"{}\"", schema));
  });
  read_key(file, "extends", [&](const Json& value) { out = extended(value); });
  out.name = name;
  read_key(file, "name", [&](const Json& value) { out.name = read_word(value); });
  out = with_fields(std::move(out), file);
  require_valid(out);
  read_key(file, "sha256", [&](const Json& value) {
    if (value != recipe_sha256(out))
      fail("is the hash of another recipe; remove it, or undo the changes");
  });
  return out;
}

bool looks_like_json(std::string_view text) {
  return first_sign(text) == '{' || first_sign(text) == '"';
}

/// Whether a channel is scaled by that rule.
bool scales_by(const Recipe& recipe, IntensityRule rule) {
  const auto& each = recipe.channel_intensities;
  return each.empty() ? recipe.intensity == rule : std::ranges::find(each, rule) != each.end();
}

/// The recipe with every field that has no effect set to its default.
Recipe essential(Recipe recipe) {
  const Recipe defaults;
  if (recipe.grid == GridRule::native) recipe.spacing_mm = defaults.spacing_mm;
  if (!recipe.to_bytes) recipe.bytes_upper = defaults.bytes_upper;
  if (!scales_by(recipe, IntensityRule::quantile)) recipe.quantiles = defaults.quantiles;
  if (recipe.intensity == IntensityRule::none && recipe.channel_intensities.empty()) {
    recipe.clip = defaults.clip;
    recipe.epsilon = defaults.epsilon;
  }
  if (!recipe.largest_component && recipe.min_volume_ml == 0)
    recipe.connectivity = defaults.connectivity;
  if (!scales_by(recipe, IntensityRule::fixed)) {
    recipe.mean = defaults.mean;
    recipe.standard_deviation = defaults.standard_deviation;
    recipe.clip_values = defaults.clip_values;
  }
  if (!recipe.scores.window) {
    recipe.scores.overlap = defaults.scores.overlap;
    recipe.scores.weights = defaults.scores.weights;
  }
  if (recipe.scores.regions.empty()) recipe.scores.threshold = defaults.scores.threshold;
  return recipe;
}

}  // namespace

std::array<bool, 3> axes_named(std::string_view letters) {
  std::array<bool, 3> out{};
  for (const char letter : letters) {
    if (letter < 'x' || letter > 'z' || out[static_cast<std::size_t>(letter - 'x')])
      fail("must be the letters of axes, such as \"xyz\" or \"x\"; \"\" for none");
    out[static_cast<std::size_t>(letter - 'x')] = true;
  }
  return out;
}

Recipe parse_recipe(std::string_view text, std::string_view name) {
  text = without_mark(text);
  const Json file = looks_like_json(text) ? parse_json(text, name) : parse_toml(text, name);
  fs::path stem = fs::path(name).filename().stem();
  if (stem.extension() == ".recipe") stem = stem.stem();
  try {
    return recipe_of(file, stem.string());
  } catch (const Error& e) {
    throw e.about(name);
  }
}

Recipe find_recipe(const std::string& name_or_path) {
  if (const Recipe* found = builtin(name_or_path)) return *found;
  if (std::error_code error; fs::exists(name_or_path, error))
    return parse_recipe(read_text(name_or_path), name_or_path);
  throw Error(
      Error::Kind::usage,
      fmt::format("there is no recipe '{}', built in ({}) or as a file{}", name_or_path,
                  builtin_names(), did_you_mean(name_or_path, builtin_recipes(), &Recipe::name)));
}

std::optional<fs::path> recipe_beside(const fs::path& model) {
  std::error_code error;
  const fs::path folder = fs::is_directory(model, error) ? model : model.parent_path();
  std::vector<fs::path> starts = {folder / "recipe"};
  if (folder != model) {
    starts.insert(starts.begin(), folder / (model.stem().string() + ".recipe"));
    starts.insert(starts.begin(), folder / (model.filename().string() + ".recipe"));
  }
  for (const fs::path& start : starts) {
    const fs::path toml = start.string() + ".toml", json = start.string() + ".json";
    const bool has_toml = fs::exists(toml, error), has_json = fs::exists(json, error);
    if (has_toml && has_json)
      fail(fmt::format("{} and {} both say how to prepare images; remove one", toml.string(),
                       json.filename().string()));
    if (has_toml || has_json) return has_toml ? toml : json;
  }
  return std::nullopt;
}

std::string recipe_text(const Recipe& recipe) {
  Json out = {{"schema", schema}, {"name", recipe.name}};
  out.update(fields_of(recipe));
  out["sha256"] = recipe_sha256(recipe);
  return to_text(out) + "\n";
}

/// Fields that were added later count only where they differ from their defaults, so that older
/// recipes keep their hashes.
std::string recipe_sha256(const Recipe& recipe) {
  Json out = fields_of(essential(recipe)), defaults = fields_of(Recipe{});
  for (const Field& field : fields)
    if (const std::string key = field.key; field.came_later && out[key] == defaults[key])
      out.erase(key);
  return sha256(to_text(out, {.indent = 0}));
}

}  // namespace assay::model
