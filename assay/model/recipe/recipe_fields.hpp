// SPDX-License-Identifier: Apache-2.0
/// The keys of a recipe file that say what is done.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/model.hpp"

namespace assay::model {

std::vector<std::string_view> recipe_fields();

/// All of them, in a fixed order.
Json fields_of(const Recipe& recipe);

/// The recipe with the fields that are in `file`. Throws Error::input naming the key.
Recipe with_fields(Recipe recipe, const Json& file);

/// Calls `read` on the value of a key that is there; what that throws then names the key.
void read_key(const Json& file, const char* key, const std::function<void(const Json&)>& read);

/// Throws Error::input unless it is text.
std::string read_word(const Json& value);

}  // namespace assay::model
