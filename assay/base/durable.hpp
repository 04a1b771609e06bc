// SPDX-License-Identifier: Apache-2.0
/// Names that survive a power cut. Syncing a file makes its content durable. Its name is stored in
/// its folder, which has to be synced as well, and so has the folder above if that one is new.
#pragma once

#include <filesystem>

namespace assay {

/// The folder that holds `path`: "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Waits until the names in a folder are on disk. File systems that cannot sync folders are trusted
/// to keep names by themselves; any other failure throws Error::io that names the folder.
void sync_folder(const std::filesystem::path& folder);

/// Creates the folder and those above it, unless they exist, and syncs what holds the new ones.
/// Throws Error::io.
void make_folder(const std::filesystem::path& path);

/// Gives a whole file its final name. Its content is on disk before that, and its name when this
/// returns. Throws Error::io.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace assay
