// SPDX-License-Identifier: Apache-2.0
/// Adding members to objects where operator[] will not do.
#pragma once

#include <string>
#include <utility>

#include "assay/base/json.hpp"

namespace assay {

/// Adds a member to an object that has none of this name. An object of Json is a list, and
/// operator[] looks at every member before it adds one, so tens of thousands would take minutes.
inline Json& append_member(Json& object, std::string key) {
  using Members = Json::object_t::Container;
  Members& members = *object.get_ptr<Json::object_t*>();
  return members.emplace_back(std::move(key), Json()).second;
}

/// The member of this name as an object; an empty one is added if there is none. The object is
/// assigned explicitly, because nlohmann 3.11.2 crashes without memory when operator[] of a null
/// value turns it into an object.
inline Json& object_member(Json& object, const std::string& key) {
  Json& member = object[key];
  if (member.is_null()) member = Json::object();
  return member;
}

}  // namespace assay
