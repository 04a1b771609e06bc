// SPDX-License-Identifier: Apache-2.0
/// assay model: the family of commands about models; one file each.
#include <array>

#include "cli/commands.hpp"

namespace assay::cli {
namespace model_file {
namespace {

constexpr std::array members = {&model_show_command};

constexpr Example examples[] = {
    {"assay model show final.pt", "layers, receptive field, parameters, hash and cost"},
    {"assay model show model.json --json", "the same for programs"},
};

}  // namespace
}  // namespace model_file

const Command model_command = {.name = "model",
                               .summary = "Show the contents of trained model files",
                               .declare = nullptr,
                               .examples = model_file::examples,
                               .members = model_file::members};

}  // namespace assay::cli
