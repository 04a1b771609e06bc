// SPDX-License-Identifier: Apache-2.0
/// Tokens as JSON: null where a count is unknown.
#pragma once

#include <array>

#include "assay/base/whole.hpp"
#include "assay/qa/values/usage.hpp"

namespace assay::qa {

struct UsageField {
  const char* key;
  std::optional<std::int64_t> Usage::*value;
};

inline constexpr std::array usage_fields = {
    UsageField{"input", &Usage::input},           UsageField{"cache_write", &Usage::cache_write},
    UsageField{"cache_read", &Usage::cache_read}, UsageField{"output", &Usage::output},
    UsageField{"reasoning", &Usage::reasoning},
};

inline Json usage_json(const Usage& usage) {
  Json out = Json::object();
  for (const UsageField& field : usage_fields)
    out[field.key] = usage.*field.value ? Json(*(usage.*field.value)) : Json();
  return out;
}

/// Absent and null are unknown. Throws Error::input on anything but whole numbers.
inline Usage usage_of(const Json& json) {
  Usage usage;
  for (const UsageField& field : usage_fields)
    if (const auto found = json.find(field.key); found != json.end() && !found->is_null())
      usage.*field.value = std::int64_t{Whole(*found)};
  return usage;
}

}  // namespace assay::qa
