// SPDX-License-Identifier: Apache-2.0
/// Parts of web addresses.
#pragma once

#include <string_view>

namespace assay {

inline bool is_http(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

}  // namespace assay
