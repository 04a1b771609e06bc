// SPDX-License-Identifier: Apache-2.0
// How much a stream holds is not known before it ends, and a few kilobytes may hold gigabytes. So
// only its start is decompressed, and enlarged until its outline says where the wanted elements
// end.
#include "assay/image/dicom/deflated.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "assay/base/gzip.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom/outline.hpp"

namespace assay {
namespace {

constexpr std::size_t most_inflated = std::size_t{1} << 29, most_header = std::size_t{1} << 27;

/// The size of a file that is as long as its elements say.
constexpr std::size_t endless = SIZE_MAX / 2;

/// The file meta group with an uncompressed transfer syntax, followed by the decompressed data.
Buffer joined(std::span<const std::byte> group, std::span<const std::byte> data) {
  constexpr std::string_view plain("1.2.840.10008.1.2.1\0\0\0", deflated_syntax.size());
  Buffer out;
  const std::span<std::byte> bytes = out.resize(group.size() + data.size());
  std::ranges::copy(group, bytes.begin());
  std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(group.size()));
  const std::size_t at = text_of(group).rfind(deflated_syntax);
  if (at != std::string_view::npos) std::memcpy(bytes.data() + at, plain.data(), plain.size());
  return out;
}

void require_room(std::size_t size, std::size_t most) {
  if (size > most)
    throw Error(Error::Kind::input, "is deflated, and would take more than " +
                                        std::to_string(most >> 20) +
                                        " MB; convert it with 'dcmconv +te' if it is really so "
                                        "large");
}

}  // namespace

InflatedDicom inflate_dicom(std::span<const std::byte> file, std::size_t begin,
                            std::uint32_t stop) {
  for (std::size_t limit = std::size_t{1} << 18;;) {
    const std::vector<std::byte> data = inflate_deflate_prefix(file.subspan(begin), limit);
    InflatedDicom out = {joined(file.first(begin), data), begin + data.size()};
    if (data.size() < limit) return out;
    const DicomOutline outline = dicom_outline(out.bytes.bytes(), endless, stop);
    const std::size_t wanted = outline.pixels_begin + outline.pixels_size;
    if (outline.is_complete && (stop != pixel_data_tag || out.file_size >= wanted)) {
      out.file_size = endless;
      return out;
    }
    limit = outline.is_complete ? wanted - begin : 8 * limit;
    require_room(limit, outline.is_complete ? most_inflated : most_header);
  }
}

}  // namespace assay
