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

/// Reads TOML or JSON, recognised by content. `name` is the file's for messages, and without its
/// ending the recipe's unless that has one. Throws Error::input naming file, key and remedy.
Recipe parse_recipe(std::string_view text, std::string_view name);
Recipe read_recipe(const std::filesystem::path& path);

/// A built-in recipe by its name, otherwise the file at that path. Throws Error::usage, listing
/// the names, when it is neither.
Recipe find_recipe(const std::string& name_or_path);

/// The recipe next to a model: MODEL.recipe.toml, MODEL.recipe.json, with or without the model's
/// own ending, then recipe.toml or recipe.json in its folder (in the model, if that is a folder).
/// Throws Error::input when two of one kind are there.
std::optional<std::filesystem::path> recipe_beside(const std::filesystem::path& model);

/// All fields as JSON in a fixed order, as `assay.recipe/1`; parse_recipe reads it back.
std::string recipe_text(const Recipe& recipe);

/// A hash of the fields, without the name and with fields that have no effect at their defaults:
/// recipes that do the same have the same hash.
std::string recipe_sha256(const Recipe& recipe);

// The keys of a recipe file that say what is done.

std::vector<std::string_view> recipe_fields();

/// Those of them that recipes did not always have.
std::vector<std::string_view> later_fields();

/// All of them, in a fixed order.
Json fields_of(const Recipe& recipe);

/// The recipe with the fields that are in `file`. Throws Error::input naming the key.
Recipe with_fields(Recipe recipe, const Json& file);

/// Calls `read` on the value of a key that is there; what that throws then names the key.
void read_key(const Json& file, const char* key, const std::function<void(const Json&)>& read);

/// Axes by their letters, "xyz" or "x". Throws Error::input about the value when there are others.
std::array<bool, 3> axes_named(std::string_view letters);

/// Throws Error::input unless it is text.
std::string read_word(const Json& value);

}  // namespace assay::model
