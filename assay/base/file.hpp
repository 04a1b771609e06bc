// SPDX-License-Identifier: Apache-2.0
/// Whole files: in by memory map, out by a temporary name and a rename.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "assay/memory.hpp"

namespace assay {

/// The whole file as text. Throws Error::io.
std::string read_text(const std::filesystem::path& path);

/// Creates the folder and those above it, unless they exist. Throws Error::io.
void make_folder(const std::filesystem::path& path);

/// Throws Error::io, as write_atomically would, when it is clear beforehand that `path` cannot be
/// written: its folder is not writable, or it is a folder, a pipe or a device itself.
void require_writable(const std::filesystem::path& path);

/// Writes a temporary file next to `path`, syncs it and renames it. The folder is created if
/// necessary. Readers see the old file or all of the new one. Throws Error::io; nothing is left
/// behind.
void write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_atomically(const std::filesystem::path& path, std::string_view text);

/// The same without waiting for the disk: for files that can be made again from what is durable.
void write_lightly(const std::filesystem::path& path, std::string_view text);

/// SHA-256 as 64 lower-case hex digits.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);

/// The name that git gives to a file of this content: 40 lower-case hex digits.
std::string git_blob_id(std::span<const std::byte> bytes);

}  // namespace assay
