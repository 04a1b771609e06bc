// SPDX-License-Identifier: Apache-2.0
#include "assay/image/jpeg.hpp"

#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <utility>

#include "assay/error.hpp"

namespace assay {
namespace {

/// The library reports errors by a function that must not return. It jumps back to where `escape`
/// was set. No object with a destructor may be created between there and any call of the library,
/// so everything that owns something is a member here, created before.
struct Errors {
  jpeg_error_mgr manager{};  // must be first: the library passes its address
  std::jmp_buf escape{};
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void leave(j_common_ptr codec) {
  auto* errors = reinterpret_cast<Errors*>(codec->err);
  errors->manager.format_message(codec, errors->message);
  std::longjmp(errors->escape, 1);
}

/// Warnings mean damaged data: a picture that is grey below some line is not usable.
void leave_on_warning(j_common_ptr codec, int level) {
  if (level < 0) leave(codec);
}

void set_up(Errors& errors) {
  jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave;
  errors.manager.emit_message = leave_on_warning;
}

struct Encoder {
  Encoder() {
    set_up(errors);
    codec.err = &errors.manager;
    codec.client_data = this;
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { jpeg_destroy_compress(&codec); }

  /// Keeps the first `count` bytes of the piece; false when there is no memory for them.
  bool keep(std::size_t count) noexcept try {
    bytes.append(reinterpret_cast<const char*>(piece.data()), count);
    return true;
  } catch (...) {
    return false;
  }

  Errors errors;
  jpeg_compress_struct codec{};
  jpeg_destination_mgr destination{};
  std::array<JOCTET, 16384> piece;  ///< what the library writes to
  std::string bytes;                ///< the content of earlier pieces
};

void start_piece(j_compress_ptr codec) {
  auto& encoder = *static_cast<Encoder*>(codec->client_data);
  encoder.destination.next_output_byte = encoder.piece.data();
  encoder.destination.free_in_buffer = encoder.piece.size();
}

boolean keep_piece(j_compress_ptr codec) {
  auto& encoder = *static_cast<Encoder*>(codec->client_data);
  if (!encoder.keep(encoder.piece.size())) leave(reinterpret_cast<j_common_ptr>(codec));
  start_piece(codec);
  return TRUE;
}

void keep_last_piece(j_compress_ptr codec) {
  auto& encoder = *static_cast<Encoder*>(codec->client_data);
  if (!encoder.keep(encoder.piece.size() - encoder.destination.free_in_buffer))
    leave(reinterpret_cast<j_common_ptr>(codec));
}

/// The library's own destination, jpeg_mem_dest, reports its memory only at the end. If it has
/// grown once and there is not enough memory to grow again, its owner would free memory that is
/// already freed.
void set_destination(Encoder& encoder) {
  encoder.destination.init_destination = start_piece;
  encoder.destination.empty_output_buffer = keep_piece;
  encoder.destination.term_destination = keep_last_piece;
  encoder.codec.dest = &encoder.destination;
}

/// Whether encoding succeeded; otherwise `errors.message` says why.
bool encode(Encoder& encoder, const Picture& picture, int quality) {
  if (setjmp(encoder.errors.escape) != 0) return false;
  jpeg_compress_struct& codec = encoder.codec;
  jpeg_create_compress(&codec);
  set_destination(encoder);
  codec.image_width = static_cast<JDIMENSION>(picture.width);
  codec.image_height = static_cast<JDIMENSION>(picture.height);
  codec.input_components = 3;
  codec.in_color_space = JCS_RGB;
  jpeg_set_defaults(&codec);
  codec.dct_method = JDCT_ISLOW;  // the method that gives the same result on every machine
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < codec.image_height) {
    auto* line = const_cast<JSAMPLE*>(picture.at(0, codec.next_scanline));
    jpeg_write_scanlines(&codec, &line, 1);
  }
  jpeg_finish_compress(&codec);
  return true;
}

/// Real files have about ten scans. Each passes over the whole picture but may be a few bytes long,
/// so a short file could otherwise keep us busy for hours.
constexpr int most_scans = 100;

void leave_after_many_scans(j_common_ptr codec) {
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > most_scans) leave(codec);
}

struct Decoder {
  Decoder() {
    set_up(errors);
    codec.err = &errors.manager;
    progress.progress_monitor = leave_after_many_scans;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&codec); }

  Errors errors;
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct codec{};
};

bool read_header(Decoder& decoder, std::string_view bytes) {
  if (setjmp(decoder.errors.escape) != 0) return false;
  jpeg_decompress_struct& codec = decoder.codec;
  jpeg_create_decompress(&codec);
  codec.progress = &decoder.progress;
  jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = JCS_RGB;
  codec.dct_method = JDCT_ISLOW;
  return true;
}

bool decode(Decoder& decoder, Picture& picture) {
  if (setjmp(decoder.errors.escape) != 0) return false;
  jpeg_decompress_struct& codec = decoder.codec;
  jpeg_start_decompress(&codec);
  while (codec.output_scanline < codec.output_height) {
    JSAMPLE* line = picture.at(0, codec.output_scanline);
    jpeg_read_scanlines(&codec, &line, 1);
  }
  jpeg_finish_decompress(&codec);
  return true;
}

}  // namespace

std::string jpeg_bytes(const Picture& picture, int quality) {
  if (picture.width == 0 || picture.height == 0 || picture.width > JPEG_MAX_DIMENSION ||
      picture.height > JPEG_MAX_DIMENSION)
    throw Error(Error::Kind::input, "an image of " + std::to_string(picture.width) + " x " +
                                        std::to_string(picture.height) +
                                        " pixels cannot be a JPEG; each side must have 1 to " +
                                        std::to_string(JPEG_MAX_DIMENSION));
  const auto encoder = std::make_unique<Encoder>();
  if (!encode(*encoder, picture, quality))
    throw Error(Error::Kind::io, "the JPEG could not be encoded; is there enough memory?");
  return std::move(encoder->bytes);
}

Picture parse_jpeg(std::string_view bytes, const std::string& name) {
  constexpr std::size_t most_pixels_of_a_byte = 8 * 64;
  // Limits what a hostile header can make us allocate.
  constexpr std::size_t most_pixels = 400'000'000;
  const auto decoder = std::make_unique<Decoder>();
  if (!read_header(*decoder, bytes))
    throw Error(Error::Kind::input, name, "is not a readable JPEG");
  const std::size_t width = decoder->codec.image_width, height = decoder->codec.image_height;
  if (width * height > most_pixels)
    throw Error(Error::Kind::unsupported, name, "the JPEG has more than 400 million pixels");
  // A block of 8 x 8 pixels takes at least one bit, so a short file cannot have many. That does not
  // hold for arithmetic coding, which no camera, browser or slide scanner uses.
  if (decoder->codec.arith_code != FALSE)
    throw Error(Error::Kind::unsupported, name,
                "the JPEG uses arithmetic coding; write it again with Huffman coding");
  if (width * height / most_pixels_of_a_byte > bytes.size())
    throw Error(Error::Kind::input, name, "the JPEG is damaged or cut off; write it again");
  Picture picture = Picture::filled(width, height);
  const bool is_whole = decode(*decoder, picture);
  if (!is_whole && decoder->codec.input_scan_number > most_scans)
    throw Error(Error::Kind::unsupported, name,
                "the JPEG has more than 100 scans; write it again as a baseline JPEG");
  if (!is_whole)
    throw Error(Error::Kind::input, name, "the JPEG is damaged or cut off; write it again");
  return picture;
}

}  // namespace assay
