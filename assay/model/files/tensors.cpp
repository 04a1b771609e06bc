// SPDX-License-Identifier: Apache-2.0
#include "assay/model/files/tensors.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "assay/base/bytes.hpp"
#include "assay/base/half.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr bool swapped = std::endian::native == std::endian::big;  // files are little-endian

float float32_at(const std::byte* at) {
  return load<float, swapped>(at);
}
float float64_at(const std::byte* at) {
  return static_cast<float>(load<double, swapped>(at));
}
float float16_at(const std::byte* at) {
  return to_float(Half{load<std::uint16_t, swapped>(at)});
}
float bfloat16_at(const std::byte* at) {
  return std::bit_cast<float>(std::uint32_t{load<std::uint16_t, swapped>(at)} << 16);
}

struct Type {
  std::size_t bytes;
  float (*at)(const std::byte*);
};

constexpr std::array types = {Type{4, float32_at}, Type{8, float64_at}, Type{2, float16_at},
                              Type{2, bfloat16_at}, Type{0, nullptr}};

const Type& row(ElementType type) {
  return types.at(static_cast<std::size_t>(type));
}

}  // namespace

void refuse(const std::string& file, const std::string& why) {
  throw Error(Error::Kind::input, file, why);
}

void refuse_part(const std::string& part, const std::string& why) {
  throw Error(Error::Kind::input, part + ": " + why);
}

std::size_t element_bytes(ElementType type) {
  return row(type).bytes;
}

std::size_t element_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t side : shape)
    if (__builtin_mul_overflow(count, side, &count)) return static_cast<std::size_t>(-1);
  return count;
}

std::vector<float> floats(const StoredTensor& tensor) {
  const Type& type = row(tensor.type);
  if (type.at == nullptr)
    throw Error(Error::Kind::input,
                "'" + tensor.name + "' does not hold floating-point numbers of 16 to 64 bits");
  const std::size_t count = tensor.bytes.size() / type.bytes;
  if (count != element_count(tensor.shape) || tensor.bytes.size() % type.bytes != 0)
    throw Error(Error::Kind::input, fmt::format("'{}' of shape {} has {} bytes", tensor.name,
                                                shape_text(tensor.shape), tensor.bytes.size()));
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = type.at(tensor.bytes.data() + i * type.bytes);
  return out;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::vector<std::string> sides;
  for (const std::size_t side : shape) sides.push_back(std::to_string(side));
  return sides.empty() ? "one number" : joined(sides, "x");
}

}  // namespace assay::model
