// SPDX-License-Identifier: Apache-2.0
#include "assay/base/zip.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "assay/base/bytes.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, longest_comment = 65535;

template <class T>
std::size_t number(std::span<const std::byte> bytes, std::size_t at) {
  return load<T>(bytes.data() + at, std::endian::native == std::endian::big);
}

std::size_t two(std::span<const std::byte> bytes, std::size_t at) {
  return number<std::uint16_t>(bytes, at);
}

std::size_t four(std::span<const std::byte> bytes, std::size_t at) {
  return number<std::uint32_t>(bytes, at);
}

/// Where the end record of the directory is: last in the file, except for a comment.
std::size_t find_end(std::span<const std::byte> bytes, const std::string& name) {
  const std::size_t searched = std::min(bytes.size(), end_size + longest_comment);
  for (std::size_t back = end_size; back <= searched; ++back)
    if (four(bytes, bytes.size() - back) == end_mark) return bytes.size() - back;
  throw Error(Error::Kind::input, name, "has no central directory at its end; the file is cut off");
}

}  // namespace

ZipFile::ZipFile(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  const std::size_t end = find_end(bytes_, name_);
  read_directory(four(bytes_, end + 16), two(bytes_, end + 10));
}

void ZipFile::read_directory(std::size_t at, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_whole =
        at <= bytes_.size() && bytes_.size() - at >= entry_size && four(bytes_, at) == entry_mark;
    const std::size_t name_size = is_whole ? two(bytes_, at + 28) : 0;
    if (!is_whole || bytes_.size() - at - entry_size < name_size)
      throw Error(Error::Kind::input, name_,
                  "its central directory is damaged, or larger than 4 GB");
    const Entry entry = {.header = four(bytes_, at + 42),
                         .size = four(bytes_, at + 24),
                         .packed_size = four(bytes_, at + 20),
                         .method = static_cast<unsigned>(two(bytes_, at + 10)),
                         .checksum = static_cast<unsigned>(four(bytes_, at + 16))};
    std::string path(reinterpret_cast<const char*>(bytes_.data()) + at + entry_size, name_size);
    if (!entries_.emplace(path, entry).second)
      throw Error(Error::Kind::input, name_, "has two entries named '" + path + "'");
    at += entry_size + name_size + two(bytes_, at + 30) + two(bytes_, at + 32);
  }
}

std::string ZipFile::named(std::string_view last_part) const {
  std::string found;
  for (const auto& [path, entry] : entries_) {
    if (path != last_part && !path.ends_with("/" + std::string(last_part))) continue;
    if (!found.empty()) return "";
    found = path;
  }
  return found;
}

std::vector<std::string> ZipFile::paths() const {
  std::vector<std::string> out;
  for (const auto& [path, entry] : entries_) out.push_back(path);
  return out;
}

ZipFile::Packed ZipFile::packed(const std::string& entry) const {
  const auto found = entries_.find(entry);
  const std::string where = name_ + ": the entry '" + entry + "' ";
  if (found == entries_.end()) throw Error(Error::Kind::input, where + "is missing");
  const auto& [header, size, packed_size, method, checksum] = found->second;
  const bool has_header = header <= bytes_.size() && bytes_.size() - header >= local_size &&
                          four(bytes_, header) == local_mark;
  const std::size_t start =
      has_header ? header + local_size + two(bytes_, header + 26) + two(bytes_, header + 28) : 0;
  if (!has_header || start > bytes_.size() || bytes_.size() - start < packed_size)
    throw Error(Error::Kind::input, where + "lies outside the file, which may be cut off");
  return {start, bytes_.subspan(start, packed_size), size, method, checksum};
}

std::span<const std::byte> ZipFile::content(const std::string& entry) const {
  const Packed found = packed(entry);
  const std::string where = name_ + ": the entry '" + entry + "' ";
  if (found.method != 0)
    throw Error(Error::Kind::input, where + "is compressed; torch.save stores entries as they are");
  if (found.bytes.size() != found.size ||
      libdeflate_crc32(0, found.bytes.data(), found.bytes.size()) != found.checksum)
    throw Error(Error::Kind::input, where + "is damaged: its checksum does not match");
  return found.bytes;
}

}  // namespace assay
