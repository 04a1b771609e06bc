// SPDX-License-Identifier: Apache-2.0
/// Recipes in files and by name.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/model.hpp"

namespace assay::model {

/// Reads TOML or JSON, recognised by content. `name` is the file's name, used in messages. Without
/// its ending it becomes the recipe's name unless the file states one. Throws an Error::input that
/// names file, key and remedy.
Recipe parse_recipe(std::string_view text, std::string_view name);
Recipe read_recipe(const std::filesystem::path& path);

/// A built-in recipe by its name, otherwise the file at that path. Throws Error::usage, listing
/// the names, when it is neither.
Recipe find_recipe(const std::string& name_or_path);

/// The recipe next to a model: MODEL.recipe.toml or MODEL.recipe.json, with or without the model's
/// own ending, then recipe.toml or recipe.json in its folder (or in the model, if that is a
/// folder). Throws Error::input when a .toml and a .json file of the same kind both exist.
std::optional<std::filesystem::path> recipe_beside(const std::filesystem::path& model);

/// All fields as JSON in a fixed order, as `assay.recipe/1`; parse_recipe reads it back.
std::string recipe_text(const Recipe& recipe);

/// A hash of the fields without the name, in which fields without effect are set to their defaults.
/// So recipes that do the same have the same hash.
std::string recipe_sha256(const Recipe& recipe);

// The keys of a recipe file that are fields of the recipe.

std::vector<std::string_view> recipe_fields();

/// The fields that were added after the first version.
std::vector<std::string_view> later_fields();

/// All fields, in a fixed order.
Json fields_of(const Recipe& recipe);

/// The recipe, changed by the fields that `file` has. Throws an Error::input that names the key.
Recipe with_fields(Recipe recipe, const Json& file);

/// Calls `read` on the value of a key that is there. Errors that it throws get the key's name.
void read_key(const Json& file, const char* key, const std::function<void(const Json&)>& read);

/// Axes by their letters, "xyz" or "x". Throws an Error::input about the value when it has other
/// letters.
std::array<bool, 3> axes_named(std::string_view letters);

/// Throws Error::input unless the value is text.
std::string read_word(const Json& value);

}  // namespace assay::model
