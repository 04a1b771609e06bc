// SPDX-License-Identifier: Apache-2.0
/// Recipes in files and by name.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "assay/model.hpp"

namespace assay::model {

/// Reads TOML or JSON, recognised by content. `name` is the file's name, used in messages. Without
/// its ending it becomes the recipe's name unless the file states one. Throws an Error::input that
/// names file, key and remedy.
Recipe parse_recipe(std::string_view text, std::string_view name);

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

/// Axes by their letters, "xyz" or "x". Throws an Error::input about the value when it has other
/// letters.
std::array<bool, 3> axes_named(std::string_view letters);

}  // namespace assay::model
