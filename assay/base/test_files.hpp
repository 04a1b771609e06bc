// SPDX-License-Identifier: Apache-2.0
/// For tests: folders that vanish, and NIfTI files made byte by byte, independently of our own
/// writer.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/bytes.hpp"
#include "assay/base/file.hpp"
#include "assay/error.hpp"

namespace assay::test {

using FileBytes = std::vector<std::byte>;

/// A new folder that is deleted with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// What a call says when it refuses; "" when it does not.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

inline FileBytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A header in text, followed by voxels.
inline FileBytes with_voxels(std::string_view header, const FileBytes& voxels) {
  FileBytes file = bytes_of(header);
  file.insert(file.end(), voxels.begin(), voxels.end());
  return file;
}

/// Appends numbers of type T in either byte order.
template <class T>
void append(FileBytes& out, T value, bool big_endian) {
  std::array<std::byte, sizeof(T)> bytes;
  store_little_endian(bytes.data(), value);
  if (big_endian) std::ranges::reverse(bytes);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// A NIfTI file in the making; the defaults are a valid 2x2x1 uint8 volume.
struct NiftiFile {
  int version = 1;
  bool big_endian = false;
  std::vector<std::int64_t> dim = {3, 2, 2, 1, 1, 1, 1, 1};
  int datatype = 2;
  std::array<double, 8> pixdim = {1, 1, 1, 1, 0, 0, 0, 0};
  double vox_offset = -1;  ///< -1: right after the header and its extension flag
  double slope = 1, intercept = 0;
  int units = 2, qform_code = 0, sform_code = 1;
  std::array<double, 3> quatern{}, qoffset{};
  std::array<double, 12> srow = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  std::string magic = {};  ///< "": that of a single file
  FileBytes voxels = FileBytes(4);

  /// Header, extension flag, zeros up to vox_offset.
  FileBytes header() const {
    FileBytes out = version == 1 ? header_1() : header_2();
    const bool pair = magic.starts_with("ni");
    out.resize(std::max(out.size() + (pair ? 0 : 4),
                        pair ? 0 : static_cast<std::size_t>(std::max(offset(), 0.0))));
    return out;
  }
  FileBytes bytes() const {
    FileBytes out = header();
    out.insert(out.end(), voxels.begin(), voxels.end());
    return out;
  }

 private:
  double offset() const {
    if (vox_offset >= 0) return vox_offset < 1e6 ? vox_offset : 0;
    return magic.starts_with("ni") ? 0 : version == 1 ? 352 : 544;
  }
  double stored_offset() const { return vox_offset == -1 ? offset() : vox_offset; }

  template <class T>
  void put(FileBytes& out, double value) const {
    append(out, static_cast<T>(value), big_endian);
  }
  static void pad(FileBytes& out, std::size_t size) { out.resize(size); }
  void put_magic(FileBytes& out, std::string_view usual, std::string_view tail) const {
    const FileBytes text = bytes_of(magic.empty() ? std::string(usual) : magic);
    out.insert(out.end(), text.begin(), text.end());
    const FileBytes rest = bytes_of(tail);
    out.insert(out.end(), rest.begin(), rest.end());
  }

  FileBytes header_1() const {
    FileBytes out;
    put<std::int32_t>(out, 348);
    pad(out, 40);
    for (const auto n : dim) append(out, static_cast<std::int16_t>(n), big_endian);
    pad(out, 70);
    put<std::int16_t>(out, datatype);
    pad(out, 76);
    for (const double x : pixdim) put<float>(out, x);
    for (const double x : {stored_offset(), slope, intercept}) put<float>(out, x);
    pad(out, 123);
    put<std::uint8_t>(out, units);
    pad(out, 252);
    put<std::int16_t>(out, qform_code);
    put<std::int16_t>(out, sform_code);
    for (const double x : quatern) put<float>(out, x);
    for (const double x : qoffset) put<float>(out, x);
    for (const double x : srow) put<float>(out, x);
    pad(out, 344);
    put_magic(out, "n+1", std::string_view("\0", 1));
    return out;
  }

  FileBytes header_2() const {
    FileBytes out;
    put<std::int32_t>(out, 540);
    put_magic(out, "n+2", std::string_view("\0\r\n\x1a\n", 5));
    put<std::int16_t>(out, datatype);
    pad(out, 16);
    for (const auto n : dim) append(out, n, big_endian);
    pad(out, 104);
    for (const double x : pixdim) put<double>(out, x);
    put<std::int64_t>(out, stored_offset());
    for (const double x : {slope, intercept}) put<double>(out, x);
    pad(out, 344);
    put<std::int32_t>(out, qform_code);
    put<std::int32_t>(out, sform_code);
    for (const double x : quatern) put<double>(out, x);
    for (const double x : qoffset) put<double>(out, x);
    for (const double x : srow) put<double>(out, x);
    pad(out, 500);
    put<std::int32_t>(out, units);
    pad(out, 540);
    return out;
  }
};

}  // namespace assay::test
