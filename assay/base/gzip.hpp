// SPDX-License-Identifier: Apache-2.0
/// Decompression and compression, with limits: no input can make us produce more than was asked
/// for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// Whether the bytes start as a gzip member does.
bool is_gzip(std::span<const std::byte> bytes);

/// The deflate data of a gzip member that begins here, and everything after them; nothing when the
/// header is damaged. The header's own checksum, which few writers add, is checked as well.
std::optional<std::span<const std::byte>> after_gzip_header(std::span<const std::byte> gzip);

/// At most the first `limit` bytes of what a gzip file holds: enough to read a header before
/// deciding how much room the rest needs. Fewer when the file ends or breaks earlier.
std::vector<std::byte> inflate_prefix(std::span<const std::byte> gzip, std::size_t limit);

/// Decompresses every member of a gzip file into `out`, which must be filled exactly; checks CRC
/// and length of each member; zero padding after the last member is allowed. Throws Error::input
/// when the data are damaged, cut short, or hold more than `out` has room for.
void inflate_gzip(std::span<const std::byte> gzip, std::span<std::byte> out);

/// The same for one zlib stream, as MetaImage embeds it.
void inflate_zlib(std::span<const std::byte> zlib, std::span<std::byte> out);

/// The same for a bare deflate stream, as zip archives hold it: no checksum of its own.
void inflate_deflate(std::span<const std::byte> deflate, std::span<std::byte> out);

/// At most the first `limit` bytes of a bare deflate stream.
std::vector<std::byte> inflate_deflate_prefix(std::span<const std::byte> deflate,
                                              std::size_t limit);

/// The most bytes that `compressed` bytes of deflate can expand to. A header that states more is
/// wrong, and we know it before allocating.
std::size_t inflated_size_bound(std::size_t compressed);

/// One gzip member; no file name and no time in it, so the same bytes give the same file.
std::vector<std::byte> deflate_gzip(std::span<const std::byte> bytes, int level = 6);

/// One zlib stream.
std::vector<std::byte> deflate_zlib(std::span<const std::byte> bytes, int level = 6);

}  // namespace assay
