// SPDX-License-Identifier: Apache-2.0
/// Whole files: how they are read and written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "assay/base/descriptor.hpp"
#include "assay/base/durable.hpp"
#include "assay/base/text.hpp"
#include "assay/memory.hpp"

namespace assay {

/// A file to read. It is read, not mapped: if somebody shortens a mapped file, the system ends the
/// process with a signal, and with it the whole run.
class InputFile {
 public:
  /// Opens exactly the path that was given. Throws Error::io naming it when it is absent, a folder,
  /// or may not be read.
  explicit InputFile(const std::filesystem::path& path);

  /// Its size when it was opened.
  std::size_t size() const { return size_; }

  /// Fills `room` from a position on. Throws Error::io, also when the file has become too short.
  void read(std::size_t position, std::span<std::byte> room) const;

  /// The whole file, or at most `most` bytes from its start.
  Buffer read_start(std::size_t most, Buffer room = {}) const;
  Buffer read_all(Buffer room = {}) const { return read_start(size_, std::move(room)); }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::size_t size_ = 0;
};

/// The whole file, in `room` if that is large enough. Throws Error::io.
Buffer read_bytes(const std::filesystem::path& path, Buffer room = {});

/// The whole file as text. Throws Error::io.
std::string read_text(const std::filesystem::path& path);

/// Throws Error::io, as write_atomically would, when it is clear beforehand that `path` cannot be
/// written: its folder is not writable, or it is a folder, a pipe or a device itself.
void require_writable(const std::filesystem::path& path);

/// Writes a temporary file next to `path`, syncs it and renames it, then syncs the folder, which is
/// created if necessary. Readers see the old file or all of the new one, also after a power cut. A
/// file that is replaced keeps its permissions. Where `path` is a symbolic link, the file that it
/// points to is replaced and the link stays. Throws Error::io; nothing is left behind.
void write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_atomically(const std::filesystem::path& path, std::string_view text);

/// The same for a text that `write` gives piece by piece.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const TextSink& sink)>& write);

}  // namespace assay
