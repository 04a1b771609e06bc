// SPDX-License-Identifier: Apache-2.0
// An ordinary inflater with a window, and two additions. A match of the greatest length whose
// distance divides the width of a voxel repeats the voxel before it; copies of its bits that follow
// in the input are counted and skipped. Data that are written to the window are examined once, as
// words, for runs.
#include "assay/image/runs/inflate_runs.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "assay/base/gzip.hpp"
#include "assay/image/runs/deflate_codes.hpp"
#include "assay/image/runs/run_window.hpp"

namespace assay {
namespace {

using Bytes = std::span<const std::byte>;

std::uint32_t little_endian(const std::byte* at, int bytes) {
  std::uint32_t out = 0;
  for (int i = 0; i < bytes; ++i) out |= std::to_integer<std::uint32_t>(at[i]) << (8 * i);
  return out;
}

std::uint32_t big_endian(const std::byte* at) {
  return __builtin_bswap32(little_endian(at, 4));
}
/// Inflates one deflate stream after the other into a window.
class Inflater {
 public:
  Inflater(Bytes bytes, Window& window) : in_(bytes), window_(window) {}

  enum class Block { more, last, damaged };

  Block block() {
    in_.refill();
    const bool is_last = in_.take(1) != 0;
    const unsigned type = in_.take(2);
    const bool good = type == 0   ? stored()
                      : type == 1 ? fixed() && symbols()
                      : type == 2 ? dynamic() && symbols()
                                  : false;
    if (!good || in_.has_overrun()) return Block::damaged;
    return is_last ? Block::last : Block::more;
  }

  Bytes after_stream() { return in_.from_next_byte(); }
  std::pair<Bytes, unsigned> rest() const { return in_.rest(); }

 private:
  bool stored() {
    Bytes bytes = in_.from_next_byte();
    if (bytes.size() < 4) return false;
    const std::uint32_t size = little_endian(bytes.data(), 2);
    if ((little_endian(bytes.data() + 2, 2) ^ size) != 0xffff || bytes.size() - 4 < size ||
        size > window_.left())
      return false;
    bytes = bytes.subspan(4, size);
    in_.skip(4 + size);
    while (!bytes.empty()) {
      if (!window_.has_room()) window_.make_room();
      const Bytes now = bytes.first(std::min(bytes.size(), window_.room()));
      window_.add(now);
      bytes = bytes.subspan(now.size());
    }
    return true;
  }

  bool fixed() {
    std::array<std::uint8_t, 288> lengths{};
    std::fill_n(lengths.begin(), 144, std::uint8_t{8});
    std::fill(lengths.begin() + 144, lengths.begin() + 256, std::uint8_t{9});
    std::fill(lengths.begin() + 256, lengths.begin() + 280, std::uint8_t{7});
    std::fill(lengths.begin() + 280, lengths.end(), std::uint8_t{8});
    std::array<std::uint8_t, 32> distances{};
    distances.fill(5);
    return literals_.build(lengths, literal_symbols) &&
           distances_.build(distances, distance_symbols);
  }

  bool dynamic() {
    const std::size_t literals = 257 + in_.take(5), distances = 1 + in_.take(5);
    const std::size_t count = 4 + in_.take(4);
    if (literals > 286 || distances > 30) return false;
    constexpr std::array<std::uint8_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 19> widths{};
    for (std::size_t i = 0; i < count; ++i) {
      in_.refill();
      widths[order[i]] = static_cast<std::uint8_t>(in_.take(3));
    }
    std::array<std::uint8_t, 286 + 30> lengths{};
    if (!lengths_.build(widths, length_symbols) ||
        !read_lengths(std::span(lengths).first(literals + distances)))
      return false;
    const std::span<const std::uint8_t> all(lengths);
    return lengths[256] != 0 && literals_.build(all.first(literals), literal_symbols) &&
           distances_.build(all.subspan(literals, distances), distance_symbols);
  }

  bool read_lengths(std::span<std::uint8_t> lengths) {
    std::size_t done = 0;
    while (done < lengths.size()) {
      in_.refill();
      const Decoded found = lengths_.next(in_.bits());
      if (found.bits == 0 || in_.has_overrun()) return false;
      in_.drop(found.bits);
      const unsigned symbol = found.symbol.base;
      std::size_t times = 1;
      std::uint8_t length = 0;
      if (symbol < 16) length = static_cast<std::uint8_t>(symbol);
      if (symbol == 16 && done == 0) return false;
      if (symbol == 16) length = lengths[done - 1], times = 3 + in_.take(2);
      if (symbol == 17) times = 3 + in_.take(3);
      if (symbol == 18) times = 11 + in_.take(7);
      if (times > lengths.size() - done) return false;
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(done), times, length);
      done += times;
    }
    return true;
  }

  bool symbols() {
    for (;;) {
      if (!window_.has_room()) {
        window_.make_room();
        if (window_.is_busy(most_runs_in_a_block)) return false;
      }
      in_.refill();
      const std::uint64_t bits = in_.bits();
      const unsigned ready = in_.ready();
      const Decoded first = literals_.next(bits);
      in_.drop(first.bits);
      if (first.symbol.kind == Symbol::literal) {
        if (window_.left() == 0 || in_.has_overrun()) return false;
        window_.add(static_cast<std::byte>(first.symbol.base));
        continue;
      }
      if (first.symbol.kind != Symbol::number) return first.symbol.kind == Symbol::end;
      const std::size_t length = first.symbol.base + in_.take(first.symbol.extra);
      const Decoded second = distances_.next(in_.bits());
      in_.drop(second.bits);
      if (second.symbol.kind != Symbol::number) return false;
      const std::size_t distance = second.symbol.base + in_.take(second.symbol.extra);
      if (distance > window_.since_start() || length > window_.left() || in_.has_overrun())
        return false;
      window_.copy(length, distance);
      if (length == greatest_length && window_.repeats_voxel(distance) &&
          !skip_copies(bits, ready - in_.ready(), distance))
        return false;
    }
  }

  /// Skips the following matches whose bits equal those of this one, `size` bits.
  bool skip_copies(std::uint64_t bits, unsigned size, std::size_t distance) {
    std::uint64_t pattern = bits & ((std::uint64_t{1} << size) - 1);
    for (unsigned width = size; width < 64; width *= 2) pattern |= pattern << width;
    std::size_t copies = 0;
    for (;;) {
      in_.refill();
      const auto same = static_cast<unsigned>(std::countr_zero(in_.bits() ^ pattern));
      const unsigned found = std::min(same, in_.ready()) / size;
      if (found == 0) break;
      in_.drop(found * size);
      copies += found;
      if (in_.has_overrun()) return false;
    }
    if (copies > window_.left() / greatest_length) return false;
    constexpr std::size_t worth_it = 4;
    if (copies >= worth_it) {
      window_.repeat(copies * greatest_length);
    } else {
      for (; copies != 0; --copies) {
        if (!window_.has_room()) window_.make_room();
        window_.copy(greatest_length, distance);
      }
    }
    return true;
  }

  BitReader in_;
  Window& window_;
  Code<11, 288> literals_;
  Code<9, 32> distances_;
  Code<7, 19> lengths_;
};

std::optional<Bytes> after_zlib_header(Bytes in) {
  if (in.size() < 2) return std::nullopt;
  const unsigned method = std::to_integer<unsigned>(in[0]),
                 flags = std::to_integer<unsigned>(in[1]);
  const bool good = (method * 256 + flags) % 31 == 0 && (method & 15) == 8 && method >> 4 <= 7;
  return good && (flags & 0x20) == 0 ? std::optional(in.subspan(2)) : std::nullopt;
}

/// A stream of compressed voxels on its way to runs, member by member.
class Unpacking {
 public:
  Unpacking(const PackedVoxels& packed, VoxelRuns& out)
      : packed_(packed), out_(out), window_(packed, out), in_(packed.bytes) {}

  InflatedTo run(const std::function<std::span<std::byte>()>& room) {
    do {
      const auto stream = after_header();
      if (!stream) return InflatedTo::nothing;
      window_.begin_member();
      Inflater inflater(*stream, window_);
      auto found = Inflater::Block::more;
      while (found == Inflater::Block::more) {
        found = inflater.block();
        if (found == Inflater::Block::more && is_busy()) return hand_over(inflater.rest(), room());
      }
      if (found == Inflater::Block::damaged) return InflatedTo::nothing;
      in_ = inflater.after_stream();
      if (!has_trailer(in_, window_.checksum(), window_.since_start())) return InflatedTo::nothing;
      in_ = in_.subspan(trailer_size());
    } while (packed_.wrapper == DeflateWrapper::gzip && is_gzip(in_));
    if (window_.left() != 0 || !is_padding(in_)) return InflatedTo::nothing;
    window_.finish();
    return InflatedTo::runs;
  }

 private:
  bool is_busy() const {
    constexpr std::size_t few = 4096, most_values = 60000;
    return window_.is_busy(few) || out_.values.size() > most_values;
  }

  std::optional<Bytes> after_header() const {
    switch (packed_.wrapper) {
      case DeflateWrapper::gzip: return after_gzip_header(in_);
      case DeflateWrapper::zlib: return after_zlib_header(in_);
      case DeflateWrapper::none: return in_;
    }
    return std::nullopt;
  }

  std::size_t trailer_size() const {
    constexpr std::array<std::size_t, 3> sizes = {8, 4, 0};
    return sizes[static_cast<std::size_t>(packed_.wrapper)];
  }

  bool has_trailer(Bytes in, std::uint32_t checksum, std::size_t size) const {
    if (in.size() < trailer_size()) return false;
    switch (packed_.wrapper) {
      case DeflateWrapper::gzip:
        return little_endian(in.data(), 4) == checksum &&
               little_endian(in.data() + 4, 4) == static_cast<std::uint32_t>(size);
      case DeflateWrapper::zlib: return big_endian(in.data()) == checksum;
      case DeflateWrapper::none: return !packed_.checksum || *packed_.checksum == checksum;
    }
    return false;
  }

  static bool is_padding(Bytes rest) {
    return std::ranges::all_of(rest, [](std::byte b) { return b == std::byte{0}; });
  }

  /// Lets libdeflate do the rest of this member and those after it. It can only start with a whole
  /// stream, so it gets one that begins with the bytes that matches can reach.
  InflatedTo hand_over(std::pair<Bytes, unsigned> rest, std::span<std::byte> room) {
    if (room.empty()) return InflatedTo::nothing;
    const Bytes begun = window_.begun_voxel(), history = window_.history();
    window_.finish();
    const std::size_t position = window_.position();
    expand_runs(out_, packed_.width, room.subspan(packed_.offset));
    std::ranges::copy(begun, room.begin() + static_cast<std::ptrdiff_t>(position - begun.size()));
    const auto [head, stream] = as_stream(history, rest);
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> with(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (!with) throw std::bad_alloc();
    const std::span<std::byte> to = room.subspan(position - history.size());
    std::size_t used = 0, made = 0;
    if (libdeflate_deflate_decompress_ex(with.get(), stream.data(), stream.size(), to.data(),
                                         to.size(), &used, &made) != LIBDEFLATE_SUCCESS ||
        made < history.size())
      return InflatedTo::nothing;
    window_.add_to_checksum(to.subspan(history.size(), made - history.size()));
    const std::size_t size = window_.since_start() + made - history.size();
    const Bytes in = rest.first.subspan(used - head);
    const bool good = has_trailer(in, window_.checksum(), size) &&
                      others(in.subspan(trailer_size()), to.subspan(made));
    return good ? InflatedTo::bytes : InflatedTo::nothing;
  }

  /// A stream that yields `history` and then the content of `rest`: the history as a stored block,
  /// then empty blocks until the input continues at the right bit of a byte, on which stored blocks
  /// in it depend. Also returns the number of bytes before the input.
  static std::pair<std::size_t, std::vector<std::byte>> as_stream(Bytes history,
                                                                  std::pair<Bytes, unsigned> rest) {
    const auto [bytes, used] = rest;
    std::vector<std::byte> out;
    unsigned filled = 0;  // bits of the last byte; 0 when it is full
    const auto put = [&](std::uint64_t value, unsigned count) {
      for (unsigned i = 0; i < count; ++i, filled = (filled + 1) % 8) {
        if (filled == 0) out.push_back(std::byte{0});
        out.back() |= static_cast<std::byte>((value >> i & 1) << filled);
      }
    };
    const auto size = static_cast<std::uint32_t>(history.size());
    for (const auto& [value, count] : {std::pair{0U, 8U}, {size, 16U}, {~size, 16U}})
      put(value, count);
    out.insert(out.end(), history.begin(), history.end());
    if (used % 2 != 0) {
      // An empty block of 91 bits. Its own code: the literal 255, the end, and a distance.
      put(2 << 1, 3);     // not the last; codes of its own
      put(14 << 10, 14);  // 257 literals, 1 distance, 18 lengths of the code for lengths
      put(1 << 6, 9);     // 16, 17: none; 18: one bit
      put(0, 14 * 3);
      put(1, 3);  // 1: one bit
      for (const unsigned zeros : {138U, 117U}) {
        put(1, 1);  // 18
        put(zeros - 11, 7);
      }
      put(0, 3);  // 1, 1 and 1
      put(1, 1);  // the end
    }
    while (filled != used) put(1 << 1, 10);  // an empty block of the fixed code
    const std::size_t head = out.size() - (used != 0 ? 1 : 0);
    if (used != 0 && !bytes.empty())
      out.back() |= bytes.front() & static_cast<std::byte>(0xff << used);
    out.insert(out.end(), bytes.begin() + (used != 0 && !bytes.empty() ? 1 : 0), bytes.end());
    return {head, std::move(out)};
  }

  /// Inflates the members after this one, which must fill the room.
  bool others(Bytes in, std::span<std::byte> room) const {
    if (packed_.wrapper != DeflateWrapper::gzip || !is_gzip(in))
      return room.empty() && is_padding(in);
    try {
      inflate_gzip(in, room);
      return true;
    } catch (const std::exception&) {
      return false;  // the ordinary reader reports it for the whole file
    }
  }

  const PackedVoxels& packed_;
  VoxelRuns& out_;
  Window window_;
  Bytes in_;
};

}  // namespace

bool is_for_runs(const PackedVoxels& packed, VoxelReader reader) {
  constexpr std::size_t least_ratio = 100;
  const bool is_wanted =
      reader == VoxelReader::runs ||
      (reader == VoxelReader::automatic && packed.size() >= least_ratio * packed.bytes.size());
  return is_wanted && packed.width <= 8 && std::has_single_bit(packed.width) &&
         packed.count < std::numeric_limits<std::uint32_t>::max();
}

InflatedTo inflate_runs(const PackedVoxels& packed, VoxelRuns& out,
                        const std::function<std::span<std::byte>()>& room) {
  return Unpacking(packed, out).run(room);
}

namespace {

template <class Stored>
void expand(const VoxelRuns& runs, std::byte* to) {
  std::size_t begin = 0;
  for (const Run& run : runs.runs) {
    const auto value = static_cast<Stored>(runs.values[run.code]);
    if constexpr (sizeof(Stored) == 1) {
      std::memset(to + begin, value, run.end - begin);
    } else {
      for (std::size_t i = begin; i < run.end; ++i)
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
    begin = run.end;
  }
}

}  // namespace

void expand_runs(const VoxelRuns& runs, std::size_t width, std::span<std::byte> out) {
  switch (width) {
    case 1: return expand<std::uint8_t>(runs, out.data());
    case 2: return expand<std::uint16_t>(runs, out.data());
    case 4: return expand<std::uint32_t>(runs, out.data());
    default: return expand<std::uint64_t>(runs, out.data());
  }
}

}  // namespace assay
