// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "assay/base/bytes.hpp"

namespace assay {
namespace {

constexpr std::uint32_t undefined_length = 0xFFFF'FFFF;
constexpr std::uint32_t item_end = 0xFFFE'E00D, sequence_end = 0xFFFE'E0DD;
constexpr std::uint32_t storage_class = 0x0002'0002;
constexpr std::uint32_t transfer_syntax = 0x0002'0010, series_instance = 0x0020'000E;

/// Thrown on bytes that are not DICOM, caught in this file.
struct Malformed {};

struct Element {
  std::uint32_t tag = 0, length = 0;
};

/// Walks through elements in order. PS3.5, chapter 7.
class Walker {
 public:
  explicit Walker(std::span<const std::byte> bytes) : bytes_(bytes) { skip(132); }

  bool at_end() const { return at_ == bytes_.size(); }
  /// Whether the elements state their type. The header always does.
  void set_explicit(bool is_explicit) { explicit_ = is_explicit; }

  std::uint32_t peek_tag() const { return tag_at(at_); }

  Element next() {
    Element out = {.tag = peek_tag()};
    skip(4);
    const bool has_kind = out.tag >> 16 != 0xFFFE && (explicit_ || out.tag >> 16 == 2);
    out.length = has_kind ? explicit_length() : number<std::uint32_t>();
    return out;
  }

  /// The value as text, without the padding after it.
  std::string text(const Element& element) {
    const std::size_t start = at_;
    skip(element.length);
    std::string out(reinterpret_cast<const char*>(bytes_.data()) + start, element.length);
    while (!out.empty() && (out.back() == '\0' || out.back() == ' ')) out.pop_back();
    return out;
  }

  void skip_value(const Element& element, int depth = 0) {
    constexpr int deepest = 32;
    if (element.length != undefined_length) return skip(element.length);
    if (depth > deepest) throw Malformed{};
    for (Element inner = next(); inner.tag != sequence_end && inner.tag != item_end; inner = next())
      skip_value(inner, depth + 1);
  }

 private:
  void skip(std::size_t count) {
    if (count > bytes_.size() - at_) throw Malformed{};
    at_ += count;
  }

  template <class T>
  T number() {
    const std::size_t start = at_;
    skip(sizeof(T));
    return load<T>(bytes_.data() + start, std::endian::native == std::endian::big);
  }

  std::uint32_t tag_at(std::size_t at) const {
    if (bytes_.size() - at < 4) throw Malformed{};
    constexpr bool swapped = std::endian::native == std::endian::big;
    return std::uint32_t{load<std::uint16_t, swapped>(bytes_.data() + at)} << 16 |
           load<std::uint16_t, swapped>(bytes_.data() + at + 2);
  }

  std::uint32_t explicit_length() {
    constexpr std::array<std::string_view, 13> wide = {"OB", "OD", "OF", "OL", "OV", "OW", "SQ",
                                                       "SV", "UC", "UN", "UR", "UT", "UV"};
    const std::size_t start = at_;
    skip(2);
    const std::string_view kind(reinterpret_cast<const char*>(bytes_.data()) + start, 2);
    if (std::ranges::find(wide, kind) == wide.end()) return number<std::uint16_t>();
    skip(2);
    return number<std::uint32_t>();
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool explicit_ = true;
};

std::optional<std::string> found_series(std::span<const std::byte> file) {
  Walker walker(file);
  bool is_explicit = true;
  while (!walker.at_end() && walker.peek_tag() <= series_instance) {
    walker.set_explicit(is_explicit);
    const Element element = walker.next();
    if (element.tag == series_instance) return walker.text(element);
    if (element.tag == transfer_syntax)
      is_explicit = walker.text(element) != "1.2.840.10008.1.2";
    else
      walker.skip_value(element);
  }
  return std::nullopt;
}

}  // namespace

bool is_dicom(std::span<const std::byte> head) {
  constexpr std::string_view magic = "DICM";
  return head.size() >= 132 &&
         std::string_view(reinterpret_cast<const char*>(head.data()) + 128, 4) == magic;
}

std::optional<std::string> dicom_class(std::span<const std::byte> head) try {
  if (!is_dicom(head)) return std::nullopt;
  Walker walker(head);
  while (walker.peek_tag() < storage_class) walker.skip_value(walker.next());
  const Element element = walker.next();
  return element.tag == storage_class ? std::optional(walker.text(element)) : std::nullopt;
} catch (const Malformed&) {
  return std::nullopt;
}

std::optional<std::string> dicom_series(std::span<const std::byte> file) try {
  return is_dicom(file) ? found_series(file) : std::nullopt;
} catch (const Malformed&) {
  return std::nullopt;
}

}  // namespace assay
