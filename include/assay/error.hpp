// SPDX-License-Identifier: Apache-2.0
/// The one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace assay {

/// Thrown when a request cannot be carried out. `kind` decides the Python class; the message is a
/// sentence that names the thing at fault and, where it can, the remedy.
class Error : public std::runtime_error {
 public:
  enum class Kind { usage, input, io, unsupported };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  Kind kind() const noexcept { return kind_; }

  /// The same error seen from one level up: `e.within("case sub-017")`.
  Error within(std::string_view place) const { return {kind_, std::string(place) + ": " + what()}; }

 private:
  Kind kind_;
};

}  // namespace assay
