// SPDX-License-Identifier: Apache-2.0
#include "assay/score/grand_challenge.hpp"

#include <algorithm>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/image/folder.hpp"

namespace assay::score {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "predictions.json";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Error::Kind::input, what);
}

/// The description of a job's value; older versions of the platform call it `interface`.
const Json& socket_of(const Json& value) {
  const Json& socket = member(value, "socket");
  return socket.is_null() ? member(value, "interface") : socket;
}

std::string slug_of(const Json& value) {
  return text_of(member(socket_of(value), "slug"));
}

bool is_image(const Json& value) {
  const Json& socket = socket_of(value);
  return member(value, "image").is_object() || member(socket, "is_image_kind") == true ||
         text_of(member(socket, "super_kind")) == "Image";
}

/// One side of a job: how messages name it, and how the user chooses it.
struct JobSide {
  const char *key, *what, *option;
  const std::string& wanted;  ///< the slug; "": the only image
};

std::string slugs_of(const std::vector<const Json*>& values) {
  return joined(values, ", ", [](const Json* value) { return slug_of(*value); });
}

/// The value that the user means.
const Json& chosen(const Json& job, const JobSide& side) {
  std::vector<const Json*> all, fitting;
  for (const Json& value : elements(member(job, side.key))) {
    all.push_back(&value);
    if (side.wanted.empty() ? is_image(value) : slug_of(value) == side.wanted)
      fitting.push_back(&value);
  }
  if (fitting.size() == 1) return *fitting.front();
  const std::string has = all.empty() ? "none" : slugs_of(all);
  if (!side.wanted.empty() && fitting.empty())
    refuse("has no " + std::string(side.what) + " '" + side.wanted + "'; it has " + has);
  if (fitting.empty())
    refuse("has no image among its " + std::string(side.key) + " (it has " + has +
           "); choose one with " + side.option);
  refuse("has several images among its " + std::string(side.key) + " (" + slugs_of(fitting) +
         "); choose one with " + side.option + " " + slug_of(*fitting.front()));
}

/// Folder names come from another machine, so none may lead out of the input folder.
bool stays_inside(const fs::path& path) {
  return path.is_relative() &&
         std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

NamedFile output_of(const Json& job, const std::string& pk, const Sockets& sockets) {
  const Json& input = chosen(job, {"inputs", "input", "--input-socket", sockets.input});
  const Json& output = chosen(job, {"outputs", "output", "--output-socket", sockets.output});
  const std::string image = text_of(member(member(input, "image"), "name"));
  if (image.empty())
    refuse("has the input " + slug_of(input) + ", which is not an image with a name; choose with " +
           "--input-socket the input that the references are named after");
  const std::string below = text_of(member(socket_of(output), "relative_path"));
  if (below.empty()) refuse("has the output " + slug_of(output) + " without a relative_path");
  const fs::path path = fs::path(pk) / "output" / below;
  if (!stays_inside(path))
    refuse("has the output " + path.string() + ", which is not in the input folder");
  return {path.string(), std::string(without_image_ending(image)), ""};
}

}  // namespace

std::vector<NamedFile> parse_jobs(std::string_view text, std::string_view name,
                                  const Sockets& sockets) {
  const Json jobs = parse_json(text, name);
  const auto about = [&](const std::string& sentence) {
    return Error(Error::Kind::input, std::string(name), sentence);
  };
  if (!jobs.is_array()) throw about("is not a list of jobs, as Grand Challenge writes it");
  if (jobs.empty()) throw about("lists no jobs");
  std::vector<NamedFile> out;
  for (const Json& job : jobs) {
    const std::string pk = text_of(member(job, "pk"));
    if (pk.empty()) throw about("a job has no pk, which names its folder");
    try {
      out.push_back(output_of(job, pk, sockets));
    } catch (const Error& e) {
      throw about("job " + pk + " " + e.sentence());
    }
  }
  return out;
}

std::vector<NamedFile> read_jobs(const fs::path& folder, const Sockets& sockets) {
  const fs::path path = folder / file_name;
  if (!fs::exists(path))
    throw Error(Error::Kind::io, path,
                "no such file; --grand-challenge reads the platform's input folder, which --pred "
                "names");
  return parse_jobs(read_text(path), path.string(), sockets);
}

void find_output(CasePlan& plan, const fs::path& folder) {
  const fs::path place = folder / plan.prediction;
  std::error_code
      absent;  // set when absent, when the name is too long, or when the folder is not accessible
  if (fs::is_regular_file(place, absent)) return;
  const auto fail = [&](metrics::Fate fate, const std::string& why) {
    plan.fate = fate;
    plan.error = why;
    plan.files.front().prediction.clear();
  };
  if (!fs::is_directory(place, absent))
    return fail(metrics::Fate::missing_prediction,
                "there is no folder " + plan.prediction + ", where the job's output would be");
  try {
    const std::vector<std::string> images = without_illustrations(require_images(place));
    if (images.size() > 1)
      return fail(metrics::Fate::failed, plan.prediction + " has " + std::to_string(images.size()) +
                                             " images, such as " + images[0] + " and " + images[1] +
                                             "; a job's output must be one image");
    plan.prediction += "/" + images.front();
    plan.files.front().prediction = (folder / plan.prediction).string();
  } catch (const Error& e) {
    fail(metrics::Fate::failed, e.relative_to(folder.string() + "/").what());
  }
}

}  // namespace assay::score
