// SPDX-License-Identifier: Apache-2.0
/// assay recipe apply: writes an image as a model would see it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/report/text/model_report.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/warnings.hpp"

namespace assay::cli {
namespace recipe_apply_file {
namespace {

struct Options {
  std::string recipe, image;
  bool labels = false;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("NAME|FILE", o.recipe, "A built-in recipe, or a TOML or JSON file");
  a.positional("IMAGE", o.image, "Image of any supported format");
  a.flag("--labels", o.labels,
         "Treat IMAGE as a label map (values 0 to 255): resample by nearest neighbour and keep the "
         "values");
}

std::vector<std::uint8_t> label_values(const Image& image) {
  const std::vector<double> exact = values(image);
  const auto bad = std::ranges::find_if(
      exact, [](double v) { return !(v >= 0 && v <= 255 && v == std::floor(v)); });
  if (bad != exact.end())
    throw Error(Error::Kind::input, fmt::format("holds {:.6g}, which is not a label from 0 to 255; "
                                                "without --labels it is taken as an image",
                                                *bad));
  return {exact.begin(), exact.end()};
}

model::Placement write_prepared(const Options& o, const model::Recipe& recipe,
                                const std::filesystem::path& out, const Executor& executor) {
  const Image image = read_image(o.image);
  if (o.labels) {
    const Volume<std::uint8_t> labels(image.grid(), label_values(image));
    const Volume<std::uint8_t> found = model::prepared_labels(labels.view(), recipe, executor);
    write_image(out, found.view());
    return {image.grid(), found.grid()};
  }
  const Volume<float> volume = intensities(image);
  const model::Prepared found = model::prepared(volume.view(), recipe, executor);
  write_image(out, found.image.view());
  return found.placement;
}

nlohmann::ordered_json grid_json(const Grid& grid) {
  return {{"shape", grid.shape},
          {"spacing_mm", spacing_mm(grid)},
          {"orientation", orientation(grid)},
          {"affine", grid.affine}};
}

Exit run(const Options& o, const Common& common, const Session& session) {
  if (o.recipe.empty() || o.image.empty())
    throw Error(
        Error::Kind::usage,
        "give a recipe and an image: assay recipe apply minmax image.nii.gz --out seen.nii");
  if (common.out.empty())
    throw Error(Error::Kind::usage, "give a file for the prepared image: --out seen.nii.gz");
  const auto out = output_file(common.out, "prepared.nii.gz");
  refuse_input(out, {o.image, o.recipe});
  require_writable(out);
  const model::Recipe recipe = model::find_recipe(o.recipe);
  model::Placement placement;
  try {
    placement = write_prepared(o, recipe, out, pool(common, session));
  } catch (const Error& e) {
    throw e.about(o.image);
  }
  if (common.json)
    session.out << nlohmann::ordered_json{{"schema", "assay.recipe-apply/1"},
                                          {"recipe", recipe.name},
                                          {"recipe_sha256", model::recipe_sha256(recipe)},
                                          {"image", o.image},
                                          {"prepared", out.string()},
                                          {"native", grid_json(placement.native)},
                                          {"model", grid_json(placement.model)}}
                       .dump(2)
                << '\n';
  else if (!common.quiet)
    session.out << report::placement_report(placement);
  cli::tell("results", {out.string()}, session.notes);
  return done;
}

constexpr Example examples[] = {
    {"assay recipe apply arc-meshchop t2w.nii.gz --out seen.nii.gz",
     "the image as the model sees it: oriented, resampled, scaled to 0 ... 1"},
    {"assay recipe apply arc-meshchop lesion.nii.gz --labels --out seen_lesion.nii.gz",
     "its mask on the same grid, by nearest neighbour"},
};

}  // namespace
}  // namespace recipe_apply_file

const Command recipe_apply_command = {
    "apply", "Write an image as a model would see it",
    command<recipe_apply_file::declare_options, recipe_apply_file::run>,
    recipe_apply_file::examples};

}  // namespace assay::cli
