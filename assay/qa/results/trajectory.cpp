// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/results/trajectory.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/base/sha256.hpp"
#include "assay/error.hpp"
#include "assay/qa/results/usage_json.hpp"

namespace assay::qa {
namespace {

constexpr std::string_view schema = "assay.trajectory/1";

Json to_json(const slide::SlideRegion& r) {
  return {{"x", r.x}, {"y", r.y}, {"width", r.width}, {"height", r.height}};
}

Json to_json(const TrajectoryImage& image) {
  return {{"kind", image.kind},
          {"sha256", image.sha256},
          {"width", image.width},
          {"height", image.height},
          {"region", to_json(image.region)}};
}

Json to_json(const TrajectoryTurn& turn) {
  Json images = Json::array();
  for (const TrajectoryImage& image : turn.images) images.push_back(to_json(image));
  return {{"step_index", turn.step},
          {"images", std::move(images)},
          {"prompt", turn.prompt},
          {"response", turn.reply},
          {"problem", or_null(turn.problem)},
          {"region", turn.crop ? to_json(*turn.crop) : Json(nullptr)},
          {"model", turn.model},
          {"request_id", turn.request_id},
          {"usage", usage_json(turn.usage)},
          {"cost_usd", or_null(turn.cost_usd)}};
}

/// An object of the file; messages say where it is.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object_.is_object())
      throw Error(Error::Kind::input, place_ + " must be an object of a trajectory");
  }

  std::string text(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return "";
    if (!value->is_string()) fail(key, "a text");
    return value->get<std::string>();
  }

  std::optional<std::int64_t> integer(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    // The parser treats a number that does not fit as unsigned; none of our sizes or counts is that
    // large.
    if (!value->is_number_integer() || value->get<std::int64_t>() < 0) fail(key, "a whole number");
    return value->get<std::int64_t>();
  }

  std::int64_t required(const char* key) const {
    const auto value = integer(key);
    if (!value) fail(key, "a whole number");
    return *value;
  }

  unsigned small(const char* key) const {
    const std::int64_t value = required(key);
    if (value > 1'000'000) fail(key, "a whole number up to 1000000");
    return static_cast<unsigned>(value);
  }

  std::optional<double> number(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->get<double>())) fail(key, "a number");
    return value->get<double>();
  }

  std::optional<Fields> object(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    return Fields(*value, place_ + "." + key);
  }

  std::vector<Fields> list(const char* key) const {
    const Json* value = find(key);
    std::vector<Fields> out;
    if (value == nullptr) return out;
    if (!value->is_array()) fail(key, "a list");
    out.reserve(value->size());
    for (const Json& element : *value)
      out.emplace_back(element, place_ + "." + key + "[" + std::to_string(out.size()) + "]");
    return out;
  }

 private:
  /// Null and absent are the same.
  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  [[noreturn]] void fail(const char* key, const char* what) const {
    throw Error(Error::Kind::input, place_ + "." + key + " must be " + what);
  }

  const Json& object_;
  std::string place_;
};

slide::SlideRegion region_of(const Fields& fields) {
  return {fields.required("x"), fields.required("y"), fields.required("width"),
          fields.required("height")};
}

std::optional<slide::SlideRegion> region_of(const std::optional<Fields>& fields) {
  return fields ? std::optional(region_of(*fields)) : std::nullopt;
}

TrajectoryImage image_of(const Fields& fields) {
  return {.sha256 = fields.text("sha256"),
          .region = region_of(fields.object("region")).value_or(slide::SlideRegion{}),
          .width = static_cast<std::size_t>(fields.required("width")),
          .height = static_cast<std::size_t>(fields.required("height")),
          .kind = fields.text("kind")};
}

Usage usage_of(const Fields& turn) {
  Usage usage;
  if (const auto fields = turn.object("usage"))
    for (const UsageField& field : usage_fields) usage.*field.value = fields->integer(field.key);
  return usage;
}

TrajectoryTurn turn_of(const Fields& fields) {
  TrajectoryTurn turn = {.step = fields.small("step_index"),
                         .prompt = fields.text("prompt"),
                         .reply = fields.text("response"),
                         .problem = fields.text("problem"),
                         .crop = region_of(fields.object("region")),
                         .model = fields.text("model"),
                         .request_id = fields.text("request_id"),
                         .usage = usage_of(fields),
                         .cost_usd = fields.number("cost_usd")};
  for (const Fields& image : fields.list("images")) turn.images.push_back(image_of(image));
  return turn;
}

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

}  // namespace

std::string trajectory_text(const Trajectory& t) {
  Json turns = Json::array();
  for (const TrajectoryTurn& turn : t.turns) turns.push_back(to_json(turn));
  return to_text({{"schema", schema},
                  {"benchmark", t.benchmark},
                  {"item_id", t.item_id},
                  {"run", t.run},
                  {"wsi_path", t.slide},
                  {"slide_width", t.slide_width},
                  {"slide_height", t.slide_height},
                  {"question", t.question},
                  {"turns", std::move(turns)},
                  {"final_answer", t.final_answer},
                  {"outcome", t.outcome},
                  {"error", or_null(t.error)}}) +
         "\n";
}

Trajectory parse_trajectory(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  if (!json.is_object() || json.value("schema", Json()) != schema)
    throw Error(Error::Kind::input, name,
                "is not a trajectory (schema " + std::string(schema) +
                    "); qa run writes them to RUN/trajectories");
  const Fields fields(json, name + ": trajectory");
  Trajectory t = {.benchmark = fields.text("benchmark"),
                  .item_id = fields.text("item_id"),
                  .run = fields.small("run"),
                  .question = fields.text("question"),
                  .slide = fields.text("wsi_path"),
                  .slide_width = fields.required("slide_width"),
                  .slide_height = fields.required("slide_height"),
                  .final_answer = fields.text("final_answer"),
                  .outcome = fields.text("outcome"),
                  .error = fields.text("error")};
  for (const Fields& turn : fields.list("turns")) t.turns.push_back(turn_of(turn));
  return t;
}

std::map<std::string, std::string> read_crops(const Trajectory& trajectory,
                                              const std::filesystem::path& run) {
  // A hash, and nothing that could lead out of the folder.
  const auto is_sha256 = [](const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
  };
  std::map<std::string, std::string> out;
  for (const TrajectoryTurn& turn : trajectory.turns)
    for (const TrajectoryImage& image : turn.images) {
      const std::filesystem::path path = run / "crops" / (image.sha256 + ".jpg");
      std::error_code error;
      if (is_sha256(image.sha256) && std::filesystem::is_regular_file(path, error))
        out[image.sha256] = read_text(path);
    }
  return out;
}

std::string safe_file_name(std::string_view text) {
  constexpr std::size_t longest = 100;  // file systems take 255 bytes for the whole name
  std::string out;
  for (const char c : text) {
    if (is_safe(c)) {
      out += c;
    } else if (!out.ends_with('_')) {
      out += '_';
    }
  }
  const std::size_t first = out.find_first_not_of("._");
  if (first == out.npos) return "item";
  return out.substr(first, std::min(longest, out.find_last_not_of("._") + 1 - first));
}

std::string trajectory_name(std::string_view benchmark, std::string_view id, unsigned run) {
  const std::string place = safe_file_name(benchmark), item = safe_file_name(id);
  std::string name = place + "_" + item;
  // "a_b" with "c" and "a" with "b_c" would collide too: an id with '_' is made distinct as well.
  if (place != benchmark || item != id || id.find('_') != id.npos) {
    const std::string both = std::string(benchmark) + '\n' + std::string(id);
    name += "-" + sha256(both).substr(0, 8);
  }
  return name + "_run" + std::to_string(run) + ".json";
}

}  // namespace assay::qa
