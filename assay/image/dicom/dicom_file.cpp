// SPDX-License-Identifier: Apache-2.0
#include "assay/image/dicom/dicom_file.hpp"

#include <dcmtk/dcmdata/dcistrmb.h>
#include <dcmtk/dcmdata/dcrledrg.h>
#include <dcmtk/dcmjpeg/djdecode.h>
#include <dcmtk/dcmjpls/djdecode.h>

#include <cmath>
#include <utility>

#include "assay/base/decimal.hpp"
#include "assay/base/file.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/error.hpp"
#include "assay/image/dicom/deflated.hpp"
#include "assay/image/dicom_objects.hpp"

namespace assay {
namespace {

constexpr std::string_view padding(" \0", 2);

/// DCMTK writes to the terminal and knows no codec until it is told otherwise.
bool prepare_dcmtk() {
  OFLog::configure(OFLogger::OFF_LOG_LEVEL);
  DcmRLEDecoderRegistration::registerCodecs();
  DJDecoderRegistration::registerCodecs();
  DJLSDecoderRegistration::registerCodecs();
  return true;
}

void require_dcmtk() {
  static const bool is_prepared = prepare_dcmtk();
  if (!is_prepared || !dcmDataDict.isDictionaryLoaded())
    throw Error(Error::Kind::unsupported,
                "DCMTK's dictionary dicom.dic is not found; install libdcmtk17 again, or name the "
                "file in DCMDICTPATH");
}

/// Texts that are not UTF-8 are almost always Latin-1, DICOM's ISO_IR 100.
std::string as_utf8(std::string_view text) {
  if (!invalid_utf8_at(text)) return std::string(text);
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

double finite_number(std::string_view text) {
  double value = 0;
  text = trimmed(text, padding);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto read = read_decimal(text, value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(value))
    throw Error(Error::Kind::input,
                "has the text '" + excerpt(text) + "' in place of a number; export it again");
  return value;
}

std::size_t needed_start(std::uint32_t stop) {
  return stop == pixel_data_tag ? SIZE_MAX : std::size_t{1} << 18;
}

/// The bytes of an element of unknown type. Values longer than 64 kB, such as a contour of
/// thousands of points, are stored like this where their own type leaves two bytes for the length.
std::optional<std::string_view> bytes_of_unknown(DcmItem* item, const DcmTagKey& tag) {
  DcmElement* element = nullptr;
  if (item->findAndGetElement(tag, element).bad() || element == nullptr ||
      element->ident() != EVR_UN)
    return std::nullopt;
  Uint8* bytes = nullptr;
  if (element->getUint8Array(bytes).bad() || bytes == nullptr) return std::string_view();
  return text_of(std::as_bytes(std::span(bytes, element->getLength())));
}

/// The value of an element as it is stored or, where it is stored as numbers, as text in `room`.
/// DCMTK would assemble a text value by value and search for each from the start, which takes
/// seconds for a contour with thousands of points.
std::string_view text_in(DcmItem* item, const DcmTagKey& tag, OFString& room) {
  const char* stored = nullptr;
  Uint32 length = 0;
  if (item->findAndGetString(tag, stored, length).good())
    return stored == nullptr ? std::string_view() : std::string_view(stored, length);
  if (const auto unknown = bytes_of_unknown(item, tag)) return *unknown;
  if (item->findAndGetOFStringArray(tag, room).bad()) return {};
  return {room.data(), room.size()};
}

}  // namespace

std::string DicomItem::text(const DcmTagKey& tag) const {
  OFString numbers;
  return as_utf8(trimmed(text_in(item_, tag, numbers), padding));
}

std::vector<double> DicomItem::numbers(const DcmTagKey& tag) const {
  std::vector<double> out;
  OFString numbers;
  const std::string_view all = text_in(item_, tag, numbers);
  if (all.empty()) return out;
  for (std::size_t start = 0; start <= all.size();) {
    const std::size_t end = std::min(all.find('\\', start), all.size());
    out.push_back(finite_number(all.substr(start, end - start)));
    start = end + 1;
  }
  return out;
}

std::optional<double> DicomItem::number(const DcmTagKey& tag) const {
  const std::vector<double> all = numbers(tag);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::vector<DicomItem> DicomItem::items(const DcmTagKey& sequence) const {
  std::vector<DicomItem> out;
  DcmSequenceOfItems* found = nullptr;
  if (item_->findAndGetSequence(sequence, found).bad() || found == nullptr) return out;
  for (DcmObject* each = nullptr; (each = found->nextInContainer(each)) != nullptr;)
    if (auto* const item = dynamic_cast<DcmItem*>(each)) out.emplace_back(item);
  return out;
}

std::optional<DicomItem> DicomItem::first(const DcmTagKey& sequence) const {
  DcmItem* item = nullptr;
  if (item_->findAndGetSequenceItem(sequence, item).bad() || item == nullptr) return std::nullopt;
  return DicomItem(item);
}

double required_number(const DicomItem& item, const DcmTagKey& tag, std::string_view name) {
  if (const auto found = item.number(tag)) return *found;
  throw Error(Error::Kind::input,
              "has no " + std::string(name) + "; it is not a complete DICOM object");
}

DicomFile DicomFile::read(const std::filesystem::path& path, std::uint32_t stop) {
  const InputFile file(path);
  for (std::size_t most = needed_start(stop);; most = most > SIZE_MAX / 8 ? SIZE_MAX : most * 8) {
    Buffer bytes = file.read_start(std::min(most, file.size()));
    const bool is_all = bytes.bytes().size() >= file.size();
    if (is_all || dicom_outline(bytes.bytes(), file.size(), stop).is_complete)
      return {std::move(bytes), file.size(), stop};
  }
}

DicomFile DicomFile::parsed(Buffer bytes, std::uint32_t stop) {
  const std::size_t size = bytes.bytes().size();
  return {std::move(bytes), size, stop};
}

DicomFile::DicomFile(Buffer bytes, std::size_t file_size, std::uint32_t stop)
    : bytes_(std::move(bytes)) {
  outline_ = dicom_outline(bytes_.bytes(), file_size, stop);
  if (outline_.transfer_syntax == deflated_syntax) {
    InflatedDicom inflated = inflate_dicom(bytes_.bytes(), outline_.header_end, stop);
    bytes_ = std::move(inflated.bytes);
    outline_ = dicom_outline(bytes_.bytes(), inflated.file_size, stop);
  }
  const std::span<const std::byte> all = std::as_const(bytes_).bytes();
  const bool is_plain = stop != pixel_data_tag || outline_.pixels_size > 0;
  parse(is_plain ? all.first(outline_.header_end) : all);
}

void DicomFile::parse(std::span<const std::byte> bytes) {
  require_dcmtk();
  DcmInputBufferStream stream;
  stream.setBuffer(bytes.data(), static_cast<offile_off_t>(bytes.size()));
  stream.setEos();
  format_ = std::make_unique<DcmFileFormat>();
  format_->transferInit();
  const OFCondition status = format_->read(stream, EXS_Unknown, EGL_noChange);
  format_->transferEnd();
  if (status.bad())
    throw Error(Error::Kind::input,
                "is a damaged DICOM file (" + std::string(status.text()) + "); export it again");
}

std::span<const std::byte> DicomFile::pixels(std::size_t wanted) const {
  const auto enough = [&](std::span<const std::byte> found) {
    if (found.size() >= wanted) return found.first(wanted);
    throw Error(Error::Kind::input, "has " + std::to_string(found.size()) +
                                        " bytes of pixels where its header states " +
                                        std::to_string(wanted) + "; export it again");
  };
  if (outline_.pixels_size > 0)
    return enough(
        std::as_const(bytes_).bytes().subspan(outline_.pixels_begin, outline_.pixels_size));
  // No codec compresses better than this, so a header that states more is a decompression bomb.
  constexpr std::size_t best_ratio = 4096;
  if (wanted / best_ratio > bytes_.bytes().size()) enough({});
  DcmDataset* const data = format_->getDataset();
  if (data->chooseRepresentation(EXS_LittleEndianExplicit, nullptr).bad())
    throw Error(Error::Kind::unsupported,
                "its pixels are compressed (transfer syntax " + outline_.transfer_syntax +
                    ") in a way that DCMTK does not decode; convert it, for example with "
                    "'gdcmconv --raw'");
  DcmElement* element = nullptr;
  if (data->findAndGetElement(DCM_PixelData, element).bad() || element == nullptr) enough({});
  Uint8* bytes = nullptr;
  Uint16* words = nullptr;
  if (element->getVR() == EVR_OW && element->getUint16Array(words).good() && words != nullptr)
    return enough(std::as_bytes(std::span(words, element->getLength() / 2)));
  if (element->getUint8Array(bytes).bad() || bytes == nullptr) enough({});
  return enough(std::as_bytes(std::span(bytes, element->getLength())));
}

std::string dicom_support() {
  require_dcmtk();
  return "DCMTK " OFFIS_DCMTK_VERSION_STRING;
}

}  // namespace assay
