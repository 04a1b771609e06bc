// SPDX-License-Identifier: Apache-2.0
/// TensorBoard's event files: records of TFRecord that hold Event messages of Protocol Buffers.
///
/// A record is its length (8 bytes), a masked CRC-32C of these bytes, the data, and a masked
/// CRC-32C of the data. The mask rotates the checksum and adds a constant, because a checksum of
/// data that hold checksums is weak. An Event has wall_time (field 1, double), step (2, integer),
/// file_version (3, text, in the first record) or summary (5). A Summary has values (1), each with
/// a tag (1, text) and a simple_value (2, float).
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "assay/results/foreign/trackers.hpp"

namespace assay::results {
namespace {

constexpr std::array<std::uint32_t, 256> make_castagnoli_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit)
      rest = (rest & 1U) != 0 ? (rest >> 1U) ^ 0x82F63B78U : rest >> 1U;
    table[byte] = rest;
  }
  return table;
}

/// The bytes of a number, lowest first.
template <class Number>
std::string little_endian(Number number) {
  std::string out;
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte)
    out += static_cast<char>(static_cast<unsigned char>(number >> (8 * byte)));
  return out;
}

std::string masked_checksum(std::string_view bytes) {
  return little_endian(std::rotr(crc32c(bytes), 15) + 0xA282EAD8U);
}

std::string record(const std::string& data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + masked_checksum(length) + data + masked_checksum(data);
}

// ---- Fields of a message: a key made of field number and wire type, then the value. All our field
// numbers are below 16, so a key is one byte.

enum class Wire { varint = 0, eight_bytes = 1, length = 2, four_bytes = 5 };

std::string key(int field, Wire wire) {
  return {static_cast<char>((field << 3) | static_cast<int>(wire))};
}

std::string varint(std::uint64_t number) {
  std::string out;
  for (; number >= 0x80; number >>= 7U) out += static_cast<char>((number & 0x7FU) | 0x80U);
  return out + static_cast<char>(number);
}

std::string text_field(int field, std::string_view text) {
  return key(field, Wire::length) + varint(text.size()) + std::string(text);
}

std::string event(std::int64_t time_ms, const std::string& content) {
  const double seconds = static_cast<double>(time_ms) / 1000;
  return record(key(1, Wire::eight_bytes) + little_endian(std::bit_cast<std::uint64_t>(seconds)) +
                content);
}

/// "lesion/dice". TensorBoard groups by what comes before the slash.
std::string tag_of(const TrackedMean& mean) {
  return mean.label.empty() ? mean.metric : mean.label + "/" + mean.metric;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = make_castagnoli_table();
  std::uint32_t rest = ~0U;
  for (const char byte : bytes)
    rest = (rest >> 8U) ^ table[(rest ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~rest;
}

std::string tensorboard_events(const TrackedRun& run) {
  std::string out = event(run.end_ms, text_field(3, "brain.Event:2"));
  for (const TrackedMean& mean : run.means) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(mean.mean));
    const std::string value =
        text_field(1, tag_of(mean)) + key(2, Wire::four_bytes) + little_endian(bits);
    out += event(run.end_ms, text_field(5, text_field(1, value)));
  }
  return out;
}

}  // namespace assay::results
