// SPDX-License-Identifier: Apache-2.0
#include "assay/model/recipe/recipe_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/base/toml.hpp"
#include "assay/error.hpp"
#include "assay/model/recipe/recipe_fields.hpp"

namespace assay::model {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_file(const std::string& sentence) {
  throw Error(Error::Kind::input, sentence);
}

/// Keys that are not fields: what the recipe is, and what it starts from.
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
  const std::vector<std::string_view> names = recipe_fields();
  std::vector<std::string_view> known(other_keys.begin(), other_keys.end());
  known.insert(known.end(), names.begin(), names.end());
  if (std::ranges::find(known, key) != known.end()) return;
  const std::string nearest = did_you_mean(key, known);
  fail_file(fmt::format("there is no key '{}'{}", key,
                        nearest.empty() ? "; the keys are " + joined(known) : nearest));
}

Recipe extended(const Json& value) {
  const std::string name = read_word(value);
  if (const Recipe* found = builtin(name)) return *found;
  fail_file(fmt::format("must be a built-in recipe ({}), not '{}'{}", builtin_names(), name,
                        did_you_mean(name, builtin_recipes(), &Recipe::name)));
}

Recipe recipe_of(const Json& file, std::string_view name) {
  if (!file.is_object()) fail_file("must hold keys and values, such as grid = \"zoom\"");
  for (const auto& item : file.items()) require_known(item.key());
  Recipe out;
  read_key(file, "schema", [](const Json& value) {
    if (value != schema) fail_file(fmt::format("must be \"{}\"", schema));
  });
  read_key(file, "extends", [&](const Json& value) { out = extended(value); });
  out.name = name;
  read_key(file, "name", [&](const Json& value) { out.name = read_word(value); });
  out = with_fields(std::move(out), file);
  require_valid(out);
  read_key(file, "sha256", [&](const Json& value) {
    if (value != recipe_sha256(out))
      fail_file("is the hash of another recipe; remove it, or undo the changes");
  });
  return out;
}

bool looks_like_json(std::string_view text) {
  return first_sign(text) == '{' || first_sign(text) == '"';
}

/// The recipe with its defaults wherever a field has no effect.
Recipe essential(Recipe recipe) {
  const Recipe defaults;
  if (recipe.grid == GridRule::native) recipe.spacing_mm = defaults.spacing_mm;
  if (!recipe.to_bytes) recipe.bytes_upper = defaults.bytes_upper;
  if (recipe.intensity != IntensityRule::quantile) recipe.quantiles = defaults.quantiles;
  if (recipe.intensity == IntensityRule::none) {
    recipe.clip = defaults.clip;
    recipe.epsilon = defaults.epsilon;
  }
  if (!recipe.largest_component && recipe.min_volume_ml == 0)
    recipe.connectivity = defaults.connectivity;
  return recipe;
}

}  // namespace

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

Recipe read_recipe(const fs::path& path) {
  return parse_recipe(read_text(path), path.string());
}

Recipe find_recipe(const std::string& name_or_path) {
  if (const Recipe* found = builtin(name_or_path)) return *found;
  if (std::error_code error; fs::exists(name_or_path, error)) return read_recipe(name_or_path);
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
      fail_file(fmt::format("{} and {} both say how to prepare images; remove one", toml.string(),
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

std::string recipe_sha256(const Recipe& recipe) {
  return sha256(to_text(fields_of(essential(recipe)), {.indent = 0}));
}

}  // namespace assay::model
