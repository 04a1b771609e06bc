// SPDX-License-Identifier: Apache-2.0
#include "assay/score/dataset_json.hpp"

#include <algorithm>
#include <charconv>

#include "assay/base/file.hpp"
#include "assay/base/json.hpp"
#include "assay/error.hpp"

namespace assay::score {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(Error::Kind::input, what);
}

std::optional<Label> whole_number(std::string_view text) {
  Label label = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), label);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return label;
}

Label label_of(const Json& value, const std::string& name) {
  if (value.is_number_integer()) return value.get<Label>();
  if (value.is_string())
    if (const auto label = whole_number(value.get_ref<const std::string&>())) return *label;
  fail("the label named '" + name + "' has a value that is not a whole number");
}

metrics::Region region_of(const std::string& name, const Json& value) {
  if (!value.is_array()) {
    const Label label = label_of(value, name);
    return {.key = std::to_string(label), .name = name, .members = {label}};
  }
  metrics::Region region = {.key = name, .name = name, .members = {}, .is_union = true};
  for (const Json& member : value) region.members.push_back(label_of(member, name));
  std::ranges::sort(region.members);
  if (region.members.empty()) fail("region '" + name + "' has no labels");
  return region;
}

DatasetLabels labels_of(const Json& file) {
  if (!file.is_object() || !file.contains("labels") || !file["labels"].is_object())
    fail("has no \"labels\"; is it nnU-Net's dataset.json?");
  DatasetLabels out;
  for (const char* key : {"channel_names", "modality"})  // in version 2, and in version 1
    if (const auto found = file.find(key); found != file.end() && found->is_object())
      out.channels = found->size();
  for (const auto& item : file["labels"].items()) {
    // Version 1 wrote {"1": "lesion"}, version 2 writes {"lesion": 1}.
    const bool old = item.value().is_string() && whole_number(item.key());
    const std::string name = old ? item.value().get<std::string>() : item.key();
    const metrics::Region region = region_of(name, old ? Json(item.key()) : item.value());
    if (name == "ignore")
      out.ignored = region.members.front();
    else if (region.members != std::vector<Label>{0})
      out.regions.push_back(region);
  }
  if (out.regions.empty()) fail("names no label besides the background");
  // If a training has any region, all of its labels are regions, even those of a single value.
  const bool has_regions = std::ranges::any_of(out.regions, &metrics::Region::is_union);
  for (metrics::Region& region : out.regions) region.is_union = has_regions;
  return out;
}

}  // namespace

DatasetLabels parse_dataset_json(std::string_view text, std::string_view name) try {
  return labels_of(parse_json(text, name));
} catch (const Error& e) {
  throw e.about(name);
}

DatasetLabels read_dataset_json(const std::filesystem::path& path) {
  return parse_dataset_json(read_text(path), path.string());
}

}  // namespace assay::score
