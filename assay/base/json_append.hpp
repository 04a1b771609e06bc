// SPDX-License-Identifier: Apache-2.0
/// Objects of many members. Those of Json are lists, so that operator[] looks at every member
/// before it adds one: tens of thousands of them would take minutes.
#pragma once

#include <string>
#include <utility>

#include "assay/base/json.hpp"

namespace assay {

/// Adds a member to an object that has none of this name.
inline Json& append_member(Json& object, std::string key) {
  using Members = Json::object_t::Container;
  Members& members = *object.get_ptr<Json::object_t*>();
  return members.emplace_back(std::move(key), Json()).second;
}

}  // namespace assay
