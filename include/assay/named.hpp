// SPDX-License-Identifier: Apache-2.0
/// A row of a table of names: what people type, and the value that it means.
#pragma once

#include <string_view>

namespace assay {

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

}  // namespace assay
