// SPDX-License-Identifier: Apache-2.0
// libdeflate decompresses two to three times as fast as zlib, but only whole buffers. zlib can
// stream, so it is used to look at the first bytes, and to find out what is wrong with damaged
// data.
#include "assay/base/gzip.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "assay/base/crc32.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};
struct FreeCompressor {
  void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
};
using Decompressor = std::unique_ptr<libdeflate_decompressor, FreeDecompressor>;
using Compressor = std::unique_ptr<libdeflate_compressor, FreeCompressor>;

/// What became of one stream.
struct Inflated {
  libdeflate_result result;
  std::size_t used = 0, made = 0;  ///< bytes of the input and of the output
};
using InflateOne = Inflated (*)(libdeflate_decompressor*, std::span<const std::byte> in,
                                std::span<std::byte> out);

template <auto inflate>
Inflated inflate_with(libdeflate_decompressor* with, std::span<const std::byte> in,
                      std::span<std::byte> out) {
  Inflated done{};
  done.result = inflate(with, in.data(), in.size(), out.data(), out.size(), &done.used, &done.made);
  return done;
}

/// Tells zlib which wrapper to expect.
constexpr int gzip_wrapping = 16 + MAX_WBITS, zlib_wrapping = MAX_WBITS, no_wrapping = -MAX_WBITS;

/// A zlib stream over bytes in memory.
class Stream {
 public:
  Stream(std::span<const std::byte> bytes, int wrapping) : left_(bytes) {
    if (inflateInit2(&state_, wrapping) != Z_OK) throw std::bad_alloc();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { inflateEnd(&state_); }

  /// Decompresses into `out`; `produced` says how much. Z_STREAM_END at the end of a member.
  int inflate_some(std::span<std::byte> out, std::size_t& produced) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto offered = static_cast<uInt>(std::min(left_.size(), most));
    const auto room = static_cast<uInt>(std::min(out.size(), most));
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
    state_.avail_in = offered;
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = room;
    const int status = ::inflate(&state_, Z_NO_FLUSH);
    left_ = left_.subspan(offered - state_.avail_in);
    produced = room - state_.avail_out;
    return status;
  }
  /// Continues with the next member; false when there is none.
  bool next_member() { return is_gzip(left_) && inflateReset(&state_) == Z_OK; }
  std::string_view message() const { return state_.msg != nullptr ? state_.msg : ""; }

 private:
  std::span<const std::byte> left_;
  z_stream state_{};
};

/// Says why libdeflate, which only reports "bad", gave up. Slow, but run only once per damaged
/// file.
std::string diagnosis(std::span<const std::byte> bytes, int wrapping) {
  Stream stream(bytes, wrapping);
  std::array<std::byte, 16384> ignored;
  std::size_t produced = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    status = stream.inflate_some(ignored, produced);
    if (status == Z_STREAM_END && stream.next_member()) status = Z_OK;
  }
  if (status == Z_BUF_ERROR) return "the compressed data are cut short";
  const std::string_view said = stream.message();
  if (said.find("check") != said.npos || said.find("crc") != said.npos)
    return "the compressed data are damaged: their checksum does not match";
  return "the compressed data are damaged";
}

Error damaged(std::span<const std::byte> bytes, int wrapping) {
  return {Error::Kind::input, diagnosis(bytes, wrapping) + "; copy or download the file again"};
}

Error overfull(std::size_t room) {
  return {Error::Kind::input, fmt::format("the compressed data hold more than the {} bytes that "
                                          "the header states; the header or the file is wrong",
                                          room)};
}

void require_full(std::size_t filled, std::size_t room) {
  if (filled == room) return;
  throw Error(Error::Kind::input,
              fmt::format("the compressed data hold only {} of the {} bytes that the header "
                          "states; copy or download the file again",
                          filled, room));
}

/// Some writers and tapes pad files with zeros; anything else after the data is an error.
void require_padding(std::span<const std::byte> rest) {
  if (std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; })) return;
  throw Error(Error::Kind::input,
              fmt::format("{} bytes after the compressed data are not compressed data; the file is "
                          "damaged or two files were joined",
                          rest.size()));
}

template <class Bound, class Compress>
std::vector<std::byte> deflated(std::span<const std::byte> bytes, int level, Bound bound,
                                Compress compress) {
  const Compressor compressor(libdeflate_alloc_compressor(level));
  if (!compressor) throw Error(Error::Kind::usage, "compression levels run from 0 to 12");
  std::vector<std::byte> out(bound(compressor.get(), bytes.size()));
  out.resize(compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

/// The four bytes from `at` on, lowest first.
std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i-- > 0;) out = out << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return out;
}

/// Like libdeflate_gzip_decompress_ex, which needs as long for the checksum as for the rest, and
/// skips the checksum of the header.
Inflated inflate_member(libdeflate_decompressor* with, std::span<const std::byte> in,
                        std::span<std::byte> out) {
  constexpr std::size_t trailer_size = 8;
  const auto stream = after_gzip_header(in);
  if (!stream) return {LIBDEFLATE_BAD_DATA};
  Inflated done = inflate_with<libdeflate_deflate_decompress_ex>(with, *stream, out);
  if (done.result != LIBDEFLATE_SUCCESS) return done;
  const auto trailer = stream->subspan(done.used);
  if (trailer.size() < trailer_size || word_at(trailer, 0) != crc32(out.first(done.made)) ||
      word_at(trailer, 4) != static_cast<std::uint32_t>(done.made))
    return {LIBDEFLATE_BAD_DATA};
  done.used = in.size() - trailer.size() + trailer_size;
  return done;
}

/// What distinguishes the two wrappers.
struct Wrapping {
  InflateOne inflate_one;
  int zlib_code;
  bool has_members;  ///< whether several streams may follow each other
};
constexpr Wrapping gzip_file = {inflate_member, gzip_wrapping, true};
constexpr Wrapping zlib_stream = {inflate_with<libdeflate_zlib_decompress_ex>, zlib_wrapping,
                                  false};
constexpr Wrapping bare_stream = {inflate_with<libdeflate_deflate_decompress_ex>, no_wrapping,
                                  false};

void inflate_exactly(const Wrapping& wrapping, std::span<const std::byte> in,
                     std::span<std::byte> out) {
  const Decompressor decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::size_t filled = 0;
  do {
    const Inflated done = wrapping.inflate_one(decompressor.get(), in, out.subspan(filled));
    if (done.result == LIBDEFLATE_INSUFFICIENT_SPACE) throw overfull(out.size());
    if (done.result != LIBDEFLATE_SUCCESS) throw damaged(in, wrapping.zlib_code);
    in = in.subspan(done.used);
    filled += done.made;
  } while (wrapping.has_members && is_gzip(in));
  require_padding(in);
  require_full(filled, out.size());
}

std::vector<std::byte> prefix(std::span<const std::byte> in, std::size_t limit, int wrapping) {
  std::vector<std::byte> out(limit);
  std::size_t filled = 0;
  Stream stream(in, wrapping);
  while (filled < limit) {
    std::size_t produced = 0;
    const int status = stream.inflate_some(std::span(out).subspan(filled), produced);
    filled += produced;
    const bool ends = status == Z_STREAM_END ? wrapping != gzip_wrapping || !stream.next_member()
                                             : status != Z_OK;
    if (ends) break;
  }
  out.resize(filled);
  return out;
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::optional<std::span<const std::byte>> after_gzip_header(std::span<const std::byte> gzip) {
  constexpr std::size_t smallest_member = 18, first_field = 10;
  constexpr unsigned has_checksum = 2, has_extra = 4, has_name = 8, has_comment = 16,
                     unknown = 0xe0;
  if (gzip.size() < smallest_member || !is_gzip(gzip) || gzip[2] != std::byte{8})
    return std::nullopt;
  const auto pair_at = [&](std::size_t at) {
    return std::to_integer<std::size_t>(gzip[at]) | std::to_integer<std::size_t>(gzip[at + 1]) << 8;
  };
  const auto flags = std::to_integer<unsigned>(gzip[3]);
  if ((flags & unknown) != 0) return std::nullopt;
  std::size_t at = first_field;
  if ((flags & has_extra) != 0) at += 2 + pair_at(at);
  for (const unsigned text : {has_name, has_comment}) {
    if ((flags & text) == 0) continue;
    while (at < gzip.size() && gzip[at] != std::byte{0}) ++at;
    ++at;
  }
  if ((flags & has_checksum) != 0) {
    if (at + 2 > gzip.size() || pair_at(at) != (crc32(gzip.first(at)) & 0xffff))
      return std::nullopt;
    at += 2;
  }
  return at <= gzip.size() ? std::optional(gzip.subspan(at)) : std::nullopt;
}

std::vector<std::byte> inflate_prefix(std::span<const std::byte> gzip, std::size_t limit) {
  return is_gzip(gzip) ? prefix(gzip, limit, gzip_wrapping) : std::vector<std::byte>();
}

std::vector<std::byte> inflate_deflate_prefix(std::span<const std::byte> deflate,
                                              std::size_t limit) {
  return prefix(deflate, limit, no_wrapping);
}

void inflate_gzip(std::span<const std::byte> gzip, std::span<std::byte> out) {
  inflate_exactly(gzip_file, gzip, out);
}

void inflate_zlib(std::span<const std::byte> zlib, std::span<std::byte> out) {
  inflate_exactly(zlib_stream, zlib, out);
}

void inflate_deflate(std::span<const std::byte> deflate, std::span<std::byte> out) {
  inflate_exactly(bare_stream, deflate, out);
}

std::size_t inflated_size_bound(std::size_t compressed) {
  // A match of 258 bytes costs at least two bits, a ratio of 1032 to 1. Short files get a little
  // more.
  constexpr std::size_t most = 1032, slack = 4096;
  std::size_t bound = 0;
  if (__builtin_mul_overflow(compressed, most, &bound) ||
      __builtin_add_overflow(bound, slack, &bound))
    return std::numeric_limits<std::size_t>::max();
  return bound;
}

std::vector<std::byte> deflate_gzip(std::span<const std::byte> bytes, int level) {
  return deflated(bytes, level, libdeflate_gzip_compress_bound, libdeflate_gzip_compress);
}

std::vector<std::byte> deflate_zlib(std::span<const std::byte> bytes, int level) {
  return deflated(bytes, level, libdeflate_zlib_compress_bound, libdeflate_zlib_compress);
}

}  // namespace assay
