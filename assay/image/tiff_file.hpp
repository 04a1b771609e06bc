// SPDX-License-Identifier: Apache-2.0
/// A TIFF file as the library sees it, in memory or on disk, and what its pages hold.
#pragma once

#include <tiffio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/error.hpp"

namespace assay {

using TiffBytes = std::span<const std::byte>;

Error broken_tiff();
Error unsupported_tiff(const std::string& what);

/// A file that is open at its first page. If it is on disk, only the requested parts are read.
class TiffFile {
 public:
  /// Where the bytes are: in memory, or in a file.
  struct Source {
    TiffBytes bytes{};
    std::unique_ptr<const InputFile> file{};
    toff_t at = 0;
    bool has_failed = false;  ///< the library complained, which makes the file unusable

    toff_t size() const { return file ? file->size() : bytes.size(); }
  };

  explicit TiffFile(TiffBytes bytes) : TiffFile(Source{.bytes = bytes}) {}
  explicit TiffFile(const std::filesystem::path& path)
      : TiffFile(Source{.file = std::make_unique<InputFile>(path)}) {}

  TIFF* get() const { return tiff_.get(); }
  std::size_t size() const { return static_cast<std::size_t>(source_->size()); }
  /// Throws Error when anything went wrong so far.
  void require() const {
    if (tiff_ == nullptr || source_->has_failed) throw broken_tiff();
  }
  void require(bool is_right) const {
    if (!is_right) throw broken_tiff();
    require();
  }
  /// Moves to the next page; false if there is none.
  bool next_page();
  /// Makes the page whose directory is at that offset the current one.
  void go_to(toff_t directory);
  toff_t directory() const { return TIFFCurrentDirOffset(get()); }

  template <class T>
  T field(ttag_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(get(), tag, &value) == 1 ? value : otherwise;
  }
  std::string_view text(ttag_t tag) const {
    const char* found = nullptr;
    return TIFFGetField(get(), tag, &found) == 1 && found != nullptr ? found : std::string_view();
  }
  /// The directories of the smaller copies that belong to the current page.
  std::vector<toff_t> sub_directories() const;

 private:
  explicit TiffFile(Source source);
  /// The library may have been built without a compression, and then treats a page that uses it as
  /// an error. Such a page is skipped if it is a copy, or refused by the name of its compression.
  void forgive_compression();

  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  std::unique_ptr<Source> source_;  ///< the library keeps its address
  std::unique_ptr<TIFF, Close> tiff_;
};

/// What a page holds.
struct TiffPage {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, photometric = 0, planes = 1,
                compression = COMPRESSION_NONE;

  bool operator==(const TiffPage&) const = default;
};

/// What the current page holds. Throws Error::input when it makes no sense.
TiffPage page_of(const TiffFile& file);

/// Whether the numbers of a pixel are red, green and blue.
bool is_colored(const TiffPage& page);

/// Whether the page repeats the picture at a smaller size, or says which of its pixels count.
bool is_copy(const TiffFile& file);

}  // namespace assay
