// SPDX-License-Identifier: Apache-2.0
/// Images whose channels are separate files: which files make up one image.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/score.hpp"
#include "assay/score/pairing.hpp"

namespace assay::score {

/// The files of one image.
struct ChannelFiles {
  std::string stem{};                ///< the common name of its channels, without number and ending
  std::vector<std::string> paths{};  ///< in the order of the channels; only those that exist
  std::string missing{};             ///< the expected name of a missing file; "": none is missing
};

/// Groups files whose names differ only in nnU-Net's channel number: case_0000.nii.gz,
/// case_0001.nii.gz. A file without a number is an image of one channel. Sorted by the first file.
std::vector<ChannelFiles> grouped_channels(const std::vector<std::string>& paths,
                                           std::size_t channels);

/// How many channels the names suggest, where references are named after images. It is 1 unless
/// some reference has the common name of numbered files and none has the full name of one of them.
std::size_t channels_by_names(const std::vector<std::string>& images,
                              const std::vector<std::string>& references);

/// The dataset.json that nnU-Net keeps next to its image folders; "" when there is none.
std::filesystem::path dataset_json_of(const std::filesystem::path& images);

/// The images that the files of a folder make up. The number of channels comes from the request,
/// from dataset.json or from the names.
std::vector<ChannelFiles> group_images(const CohortRequest& request,
                                       const std::vector<std::string>& paths);

/// The images by their first channels, as pairing expects them. Throws what matching_files throws.
std::vector<NamedFile> first_channels(const std::vector<ChannelFiles>& images,
                                      const std::string& pattern);

/// The parts of a list such as "t1.nii.gz;t2.nii.gz". A text that is the name of an existing file
/// is one part.
std::vector<std::filesystem::path> listed_channels(const std::string& text,
                                                   const std::filesystem::path& root);

/// The hash that identifies the content of an image; for a single file, the hash of the file.
std::string channels_sha256(const std::vector<std::filesystem::path>& paths);

/// Whether a file, or the image whose first channel it is, has that hash.
bool has_content(const std::filesystem::path& file, const std::string& sha256);

/// All files of the image in a pair whose first side is an image.
std::vector<std::filesystem::path> image_files(const FilePair& pair);

/// Gives cases the other channels of their images, or the file that is missing.
void add_channels(std::vector<CasePlan>& cases, const std::filesystem::path& root,
                  const std::vector<ChannelFiles>& images);

}  // namespace assay::score
