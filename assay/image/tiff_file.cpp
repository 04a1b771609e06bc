// SPDX-License-Identifier: Apache-2.0
#include "assay/image/tiff_file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace assay {
namespace {

/// Exceptions must not pass through the library, so a failed read ends early.
tmsize_t read_source(thandle_t handle, void* to, tmsize_t count) try {
  auto* source = static_cast<TiffFile::Source*>(handle);
  if (count < 0 || source->at >= source->size()) return 0;
  const auto at = static_cast<std::size_t>(source->at);
  const std::size_t rest = static_cast<std::size_t>(source->size()) - at;
  const std::size_t size = std::min(static_cast<std::size_t>(count), rest);
  if (source->file)
    source->file->read(at, {static_cast<std::byte*>(to), size});
  else
    std::memcpy(to, source->bytes.data() + at, size);
  source->at += size;
  return static_cast<tmsize_t>(size);
} catch (const Error&) {
  return 0;
}

tmsize_t write_source(thandle_t, void*, tmsize_t) {
  return 0;
}

toff_t seek_source(thandle_t handle, toff_t offset, int from) {
  auto* source = static_cast<TiffFile::Source*>(handle);
  const toff_t starts[] = {0, source->at, source->size()};  // SEEK_SET, SEEK_CUR, SEEK_END
  return source->at = starts[std::clamp(from, 0, 2)] + offset;
}

int close_source(thandle_t) {
  return 0;
}

toff_t size_of_source(thandle_t handle) {
  return static_cast<TiffFile::Source*>(handle)->size();
}

/// Nothing is mapped: see InputFile.
int map_source(thandle_t, void**, toff_t*) {
  return 0;
}

void unmap_source(thandle_t, void*, toff_t) {}

/// Called for the library's errors; any of them makes the file unusable.
int note_error(TIFF*, void* user, const char*, const char*, va_list) {
  *static_cast<bool*>(user) = true;
  return 1;
}

int ignore_tiff_warning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

}  // namespace

Error broken_tiff() {
  return {Error::Kind::input, "the TIFF is damaged or cut short; copy or save it again"};
}

Error unsupported_tiff(const std::string& what) {
  return {Error::Kind::unsupported, what};
}

TiffFile::TiffFile(Source source) : source_(std::make_unique<Source>(std::move(source))) {
  constexpr tmsize_t most_at_once = tmsize_t{1} << 30;
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_at_once);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), note_error, &source_->has_failed);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_tiff_warning, nullptr);
  tiff_.reset(TIFFClientOpenExt("", "rm", source_.get(), read_source, write_source, seek_source,
                                close_source, size_of_source, map_source, unmap_source,
                                options.get()));
  forgive_compression();
  require();
}

bool TiffFile::next_page() {
  if (TIFFLastDirectory(get()) != 0) return false;
  require();
  const bool is_read = TIFFReadDirectory(get()) != 0;
  forgive_compression();
  require(is_read);
  return true;
}

void TiffFile::go_to(toff_t directory) {
  if (directory == this->directory()) return;
  const bool is_read = TIFFSetSubDirectory(get(), directory) != 0;
  forgive_compression();
  require(is_read);
}

std::vector<toff_t> TiffFile::sub_directories() const {
  std::uint16_t count = 0;
  const toff_t* places = nullptr;
  if (TIFFGetField(get(), TIFFTAG_SUBIFD, &count, &places) != 1 || places == nullptr) return {};
  return {places, places + count};
}

void TiffFile::forgive_compression() {
  if (tiff_ != nullptr &&
      TIFFIsCODECConfigured(field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE)) == 0)
    source_->has_failed = false;
}

TiffPage page_of(const TiffFile& file) {
  TiffPage page = {.width = file.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0),
                   .height = file.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0),
                   .bits = file.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1),
                   .samples = file.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1),
                   .format = file.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT),
                   .photometric = file.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, 1),
                   .planes = file.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG),
                   .compression = file.field<std::uint16_t>(TIFFTAG_COMPRESSION, 1)};
  file.require(page.width != 0 && page.height != 0 && page.samples != 0);
  if (page.format == SAMPLEFORMAT_VOID) page.format = SAMPLEFORMAT_UINT;
  return page;
}

bool is_colored(const TiffPage& page) {
  return page.photometric == PHOTOMETRIC_RGB && page.format == SAMPLEFORMAT_UINT &&
         page.samples >= 3;
}

bool is_copy(const TiffFile& file) {
  return (file.field<std::uint32_t>(TIFFTAG_SUBFILETYPE, 0) &
          (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
}

}  // namespace assay
