// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/outline.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "assay/base/bytes.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom.hpp"
#include "assay/image/dicom/deflated.hpp"

namespace assay {
namespace {

constexpr std::uint32_t no_length = 0xFFFF'FFFF;
constexpr std::uint32_t item_tag = 0xFFFE'E000, item_end_tag = 0xFFFE'E00D,
                        sequence_end_tag = 0xFFFE'E0DD;
constexpr std::uint32_t syntax_tag = 0x0002'0010;
constexpr std::size_t deepest = 24;

/// DCMTK takes some 250 bytes for an item that takes 8 in a file. 100,000 frames of a segmentation
/// have about 3 million elements and items.
constexpr std::size_t most_elements = std::size_t{1} << 22;

constexpr std::string_view implicit_little = "1.2.840.10008.1.2";
constexpr std::string_view explicit_big = "1.2.840.10008.1.2.2";

/// Types whose length has four bytes, and those whose length has two. PS3.5, chapter 7.1.2.
constexpr std::string_view wide_types = "OB OD OF OL OV OW SQ SV UC UN UR UT UV";
constexpr std::string_view narrow_types =
    "AE AS AT CS DA DS DT FD FL IS LO LT PN SH SL SS ST TM UI UL US";

bool is_among(std::string_view types, std::string_view type) {
  const std::size_t at = types.find(type);
  return type.size() == 2 && at != std::string_view::npos && at % 3 == 0;
}

/// Thrown where the bytes end before the file does; caught in this file.
struct NeedsMore {};

[[noreturn]] void refuse_damage() {
  throw Error(Error::Kind::input, "is a damaged DICOM file; copy or export it again");
}

/// An open sequence or item.
struct Level {
  std::size_t end;  ///< no_end where a delimiter ends it
  bool is_sequence;
  bool has_types;  ///< whether its elements state their types
};

constexpr std::size_t no_end = SIZE_MAX;

struct OutlinedElement {
  std::uint32_t tag = 0, length = 0;
  std::string_view type{};  ///< "" where types are not stated
};

class OutlineWalker {
 public:
  OutlineWalker(std::span<const std::byte> bytes, std::size_t file_size)
      : bytes_(bytes), file_size_(file_size), at_(132) {}

  DicomOutline walk(std::uint32_t stop) {
    read_meta();
    if (out_.transfer_syntax == deflated_syntax) {
      out_.header_end = at_;
      out_.is_complete = false;
      return out_;
    }
    try {
      while (at_ < file_size_ || !levels_.empty()) {
        if (close_levels()) continue;
        const std::size_t start = at_;
        const OutlinedElement element = next();
        if (levels_.empty() && element.tag >= stop) {
          out_.header_end = start;
          note_pixels(element);
          return out_;
        }
        step_into_or_over(element);
      }
    } catch (const NeedsMore&) {
      out_.is_complete = false;
    }
    out_.header_end = std::min(at_, bytes_.size());
    return out_;
  }

 private:
  /// The file meta group, which always has types and the lowest byte first.
  void read_meta() {
    while (at_ + 4 <= bytes_.size() && tag_at(at_) >> 16 == 2) {
      const OutlinedElement element = next();
      const std::string_view value = value_of(element);
      if (element.tag == syntax_tag)
        out_.transfer_syntax = trimmed_end(value, std::string_view(" \0", 2));
    }
    has_types_ = out_.transfer_syntax != implicit_little;
    is_big_ = out_.transfer_syntax == explicit_big;
  }

  std::string_view value_of(const OutlinedElement& element) {
    const std::size_t start = at_;
    skip(element.length);
    if (at_ > bytes_.size()) throw NeedsMore{};
    return text_of(bytes_.subspan(start, element.length));
  }

  /// Whether a sequence or an item ended here.
  bool close_levels() {
    if (levels_.empty() || levels_.back().end == no_end) return false;
    if (at_ > levels_.back().end) refuse_damage();
    if (at_ < levels_.back().end) return false;
    levels_.pop_back();
    return true;
  }

  void open(bool is_sequence, std::uint32_t length, bool has_types) {
    if (levels_.size() >= deepest)
      throw Error(Error::Kind::input,
                  "nests its sequences more than 24 levels deep, which no DICOM object does");
    const std::size_t end = length == no_length ? no_end : at_ + length;
    const std::size_t limit = levels_.empty() ? file_size_ : levels_.back().end;
    if (end != no_end && (end > file_size_ || (limit != no_end && end > limit))) refuse_damage();
    levels_.push_back({end, is_sequence, has_types});
  }

  void step_into_or_over(const OutlinedElement& element) {
    const bool in_sequence = !levels_.empty() && levels_.back().is_sequence;
    const bool types = levels_.empty() ? has_types_ : levels_.back().has_types;
    if (element.tag == item_tag && in_sequence) return open(false, element.length, types);
    if (element.tag == sequence_end_tag || element.tag == item_end_tag) {
      const bool fits = !levels_.empty() && levels_.back().end == no_end &&
                        in_sequence == (element.tag == sequence_end_tag);
      if (!fits) refuse_damage();
      levels_.pop_back();
      return;
    }
    if (in_sequence || element.tag == item_tag) refuse_damage();
    if (element.length == no_length && is_among("OB OW", element.type)) return skip_fragments();
    if (element.length == no_length) return open(true, no_length, types && element.type != "UN");
    if (element.type == "SQ" || (element.type.empty() && starts_with_item(element)))
      return open(true, element.length, types);
    skip(element.length);
  }

  /// Where types are not stated, a sequence is recognised by its first item.
  bool starts_with_item(const OutlinedElement& element) const {
    if (element.tag == pixel_data_tag || element.length < 8) return false;
    if (at_ + 4 > bytes_.size()) throw NeedsMore{};
    return tag_at(at_) == item_tag;
  }

  /// Encapsulated pixels: items of bytes, then a delimiter.
  void skip_fragments() {
    for (OutlinedElement part = next(); part.tag != sequence_end_tag; part = next()) {
      if (part.tag != item_tag || part.length == no_length) refuse_damage();
      skip(part.length);
    }
  }

  void note_pixels(const OutlinedElement& element) {
    if (element.tag != pixel_data_tag || element.length == no_length || is_big_) return;
    if (element.length > file_size_ - at_)
      throw Error(Error::Kind::input, "is cut short: it states " + std::to_string(element.length) +
                                          " bytes of pixels, but has " +
                                          std::to_string(file_size_ - at_) +
                                          "; copy or download it again");
    out_.pixels_begin = at_;
    out_.pixels_size = element.length;
  }

  OutlinedElement next() {
    if (++elements_ > most_elements)
      throw Error(Error::Kind::unsupported,
                  "has more than 4 million elements; split it into several objects");
    OutlinedElement out = {.tag = number<std::uint16_t>()};
    out.tag = out.tag << 16 | number<std::uint16_t>();
    const bool is_meta = out.tag >> 16 == 2;
    const bool types = is_meta || (levels_.empty() ? has_types_ : levels_.back().has_types);
    if (out.tag >> 16 == 0xFFFE || !types) {
      out.length = number<std::uint32_t>();
      return out;
    }
    const std::size_t start = at_;
    skip(2);
    if (at_ > bytes_.size()) throw NeedsMore{};
    out.type = text_of(bytes_.subspan(start, 2));
    if (is_among(narrow_types, out.type)) {
      out.length = number<std::uint16_t>();
    } else if (is_among(wide_types, out.type)) {
      skip(2);
      out.length = number<std::uint32_t>();
    } else {
      refuse_damage();
    }
    return out;
  }

  std::uint32_t tag_at(std::size_t at) const {
    const std::uint32_t group = load_at<std::uint16_t>(at);
    return group << 16 | load_at<std::uint16_t>(at + 2);
  }

  template <class T>
  T load_at(std::size_t at) const {
    const bool swapped = is_big_ != (std::endian::native == std::endian::big);
    return load<T>(bytes_.data() + at, swapped);
  }

  template <class T>
  T number() {
    const std::size_t start = at_;
    skip(sizeof(T));
    if (at_ > bytes_.size()) throw NeedsMore{};
    return load_at<T>(start);
  }

  void skip(std::size_t count) {
    if (count > file_size_ - at_) refuse_damage();
    at_ += count;
  }

  std::span<const std::byte> bytes_;
  std::size_t file_size_, at_, elements_ = 0;
  bool has_types_ = true, is_big_ = false;
  std::vector<Level> levels_;
  DicomOutline out_;
};

}  // namespace

DicomOutline dicom_outline(std::span<const std::byte> bytes, std::size_t file_size,
                           std::uint32_t stop) try {
  if (!is_dicom(bytes)) throw Error(Error::Kind::input, "is not a DICOM file");
  return OutlineWalker(bytes, file_size).walk(stop);
} catch (const NeedsMore&) {
  if (bytes.size() >= file_size) refuse_damage();
  DicomOutline out;
  out.is_complete = false;
  return out;
}

}  // namespace assay
