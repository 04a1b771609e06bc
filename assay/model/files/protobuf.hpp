// SPDX-License-Identifier: Apache-2.0
/// Google's protocol buffers, as far as a reader of ONNX needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::model {

/// One field: a number for wire types 0, 1 and 5, bytes for wire type 2.
struct ProtobufField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  ///< a fixed 32- or 64-bit field as its bits
  std::span<const std::byte> bytes = {};
  bool is_bytes = false;

  std::string text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// The fields of a message, in their order. Throws Error::input when it is not a message. `name` is
/// used in messages.
std::vector<ProtobufField> protobuf_fields(std::span<const std::byte> message,
                                           const std::string& name);

/// The numbers of a packed field, or the one number of a field that is not packed.
std::vector<std::int64_t> protobuf_integers(const ProtobufField& field, const std::string& name);

}  // namespace assay::model
