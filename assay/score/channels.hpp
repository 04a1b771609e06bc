// SPDX-License-Identifier: Apache-2.0
/// Images whose channels are files of their own: which files make one image.
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
  std::string stem{};                ///< what its channels are called, without number and ending
  std::vector<std::string> paths{};  ///< in the order of the channels; those that are there
  std::string missing{};             ///< the name that a file should have; "": none is missing
};

/// Puts together files whose names differ only in nnU-Net's number of the channel:
/// case_0000.nii.gz, case_0001.nii.gz. A file without number is an image of one channel. Sorted by
/// the first file.
std::vector<ChannelFiles> grouped_channels(const std::vector<std::string>& paths,
                                           std::size_t channels);

/// How many channels the names tell of, where references are named after images: 1 unless a
/// reference is called like files with numbers, and none like one of them.
std::size_t channels_by_names(const std::vector<std::string>& images,
                              const std::vector<std::string>& references);

/// The dataset.json that nnU-Net keeps next to its folders of images; "": there is none.
std::filesystem::path dataset_json_of(const std::filesystem::path& images);

/// The images that a folder's files make, as many channels each as the request, dataset.json or the
/// names say.
std::vector<ChannelFiles> group_images(const CohortRequest& request,
                                       const std::vector<std::string>& paths);

/// The images by their first channels, as pairing takes them. Throws what matching_files throws.
std::vector<NamedFile> first_channels(const std::vector<ChannelFiles>& images,
                                      const std::string& pattern);

/// The parts of a list such as "t1.nii.gz;t2.nii.gz"; the name of a file that exists is one part.
std::vector<std::filesystem::path> listed_channels(const std::string& text,
                                                   const std::filesystem::path& root);

/// What the content of an image is known by: of one file as that of the file.
std::string channels_sha256(const std::vector<std::filesystem::path>& paths);

/// Whether a file, or the image whose first channel it is, is known by that hash.
bool has_content(const std::filesystem::path& file, const std::string& sha256);

/// All files of the image in a pair whose first side is an image.
std::vector<std::filesystem::path> image_files(const FilePair& pair);

/// Gives cases the other channels of their images, or the file that is missing.
void add_channels(std::vector<CasePlan>& cases, const std::filesystem::path& root,
                  const std::vector<ChannelFiles>& images);

}  // namespace assay::score
