// SPDX-License-Identifier: Apache-2.0
/// assay recipe: the family of commands about how images are prepared for models; one file each.
#include <array>

#include "cli/commands.hpp"

namespace assay::cli {
namespace recipe_file {
namespace {

constexpr std::array members = {&recipe_show_command, &recipe_apply_command};

constexpr Example examples[] = {
    {"assay recipe show arc-meshchop", "every step, and the hash that is written to results"},
    {"assay recipe apply arc-meshchop t2w.nii.gz --out seen.nii.gz",
     "the image as the model sees it"},
};

}  // namespace
}  // namespace recipe_file

const Command recipe_command = {.name = "recipe",
                                .summary = "Show and apply the preparation of images for models",
                                .declare = nullptr,
                                .examples = recipe_file::examples,
                                .members = recipe_file::members};

}  // namespace assay::cli
