// SPDX-License-Identifier: Apache-2.0
/// JSON objects in the middle of prose. Included by .cpp files only: the parser is heavy.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace assay {

struct EmbeddedObject {
  nlohmann::json value;
  std::size_t begin = 0, end = 0;  ///< [begin, end) in the text
};

/// Every outermost JSON object in a text, in order. Braces that open none are passed over.
std::vector<EmbeddedObject> embedded_objects(std::string_view text);

}  // namespace assay
