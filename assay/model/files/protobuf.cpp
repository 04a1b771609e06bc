// SPDX-License-Identifier: Apache-2.0
#include "assay/model/files/protobuf.hpp"

#include <bit>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

/// Reads from the front of a message.
class Reader {
 public:
  Reader(std::span<const std::byte> rest, const std::string& name) : rest_(rest), name_(name) {}

  bool at_end() const { return rest_.empty(); }

  std::span<const std::byte> take(std::uint64_t count) {
    if (count > rest_.size()) fail();
    const auto out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return out;
  }

  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1).front());
      out |= (byte & 0x7f) << shift;
      if (byte < 0x80) return out;
    }
    fail();
  }

  template <class T>
  T fixed() {
    return load<T>(take(sizeof(T)).data(), std::endian::native == std::endian::big);
  }

  [[noreturn]] void fail() const {
    throw Error(Error::Kind::input, name_,
                "is not a complete ONNX file: a field is damaged or cut off");
  }

 private:
  std::span<const std::byte> rest_;
  const std::string& name_;
};

void read_value(Reader& reader, ProtobufField& field, std::uint64_t wire_type) {
  switch (wire_type) {
    case 0: field.value = reader.varint(); break;
    case 1: field.value = reader.fixed<std::uint64_t>(); break;
    case 2:
      field.is_bytes = true;
      field.bytes = reader.take(reader.varint());
      break;
    case 5: field.value = reader.fixed<std::uint32_t>(); break;
    default: reader.fail();
  }
}

}  // namespace

std::vector<ProtobufField> protobuf_fields(std::span<const std::byte> message,
                                           const std::string& name) {
  Reader reader(message, name);
  std::vector<ProtobufField> out;
  while (!reader.at_end()) {
    const std::uint64_t tag = reader.varint();
    ProtobufField field = {.number = static_cast<std::uint32_t>(tag >> 3)};
    if (field.number == 0) reader.fail();
    read_value(reader, field, tag & 7);
    out.push_back(field);
  }
  return out;
}

std::vector<std::int64_t> protobuf_integers(const ProtobufField& field, const std::string& name) {
  if (!field.is_bytes) return {static_cast<std::int64_t>(field.value)};
  std::vector<std::int64_t> out;
  for (Reader reader(field.bytes, name); !reader.at_end();)
    out.push_back(static_cast<std::int64_t>(reader.varint()));
  return out;
}

}  // namespace assay::model
