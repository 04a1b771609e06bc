// SPDX-License-Identifier: Apache-2.0
/// safetensors: eight bytes with the length of a JSON header, the header, and raw numbers.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "assay/base/bytes.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"
#include "assay/model/files/tensors.hpp"
#include "assay/named.hpp"

namespace assay::model {
namespace {

constexpr Named<ElementType> type_names[] = {{"F32", ElementType::float32},
                                             {"F64", ElementType::float64},
                                             {"F16", ElementType::float16},
                                             {"BF16", ElementType::bfloat16}};

std::vector<std::size_t> listed_sizes(const Json& list, const std::string& where) {
  if (!list.is_array())
    refuse_part(where, "its shape and its data_offsets must be lists of numbers");
  std::vector<std::size_t> out;
  for (const Json& entry : list) {
    if (!entry.is_number_unsigned())
      refuse_part(where, "its shape and its data_offsets must be whole numbers of 0 or more");
    out.push_back(entry.get<std::size_t>());
  }
  return out;
}

StoredTensor tensor_of(const std::string& key, const Json& entry,
                       std::span<const std::byte> numbers, const std::string& where) {
  StoredTensor out = {.name = key, .shape = listed_sizes(member(entry, "shape"), where)};
  const Json& dtype = member(entry, "dtype");
  const auto type = std::ranges::find(type_names, text_of(dtype), &Named<ElementType>::name);
  out.type = type != std::end(type_names) ? type->value : ElementType::other;
  const std::vector<std::size_t> range = listed_sizes(member(entry, "data_offsets"), where);
  if (range.size() != 2 || range[0] > range[1] || range[1] > numbers.size())
    refuse_part(where, fmt::format("its data_offsets lie outside the file, which has {} bytes of "
                                   "numbers; it may be cut off",
                                   numbers.size()));
  out.bytes = numbers.subspan(range[0], range[1] - range[0]);
  return out;
}

}  // namespace

std::vector<StoredTensor> safetensors_tensors(std::span<const std::byte> bytes,
                                              const std::string& name) {
  constexpr std::size_t prefix = 8;
  if (bytes.size() < prefix) refuse(name, "is too short for a safetensors file");
  const auto length = load<std::uint64_t>(bytes.data(), std::endian::native == std::endian::big);
  if (length > bytes.size() - prefix)
    refuse(name, fmt::format("its header should have {} bytes, but the file has {} in all; it may "
                             "be cut off",
                             length, bytes.size()));
  const auto header = bytes.subspan(prefix, length);
  const Json json = parse_json({reinterpret_cast<const char*>(header.data()), header.size()}, name);
  if (!json.is_object()) refuse(name, "its header is not a JSON object");
  std::vector<StoredTensor> out;
  for (const auto& [key, entry] : json.items()) {
    if (key == "__metadata__") continue;
    const std::string where = fmt::format("tensor '{}'", key);
    out.push_back(tensor_of(key, entry, bytes.subspan(prefix + length), where));
  }
  return out;
}

}  // namespace assay::model
