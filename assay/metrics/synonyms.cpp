// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/synonyms.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "assay/base/ascii.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/text.hpp"
#include "assay/metrics.hpp"

namespace assay::metrics {
namespace {

/// A name that papers use for several of our metrics, or for a close relative of one.
struct Meaning {
  std::string_view name, keys;  ///< keys: separated by commas
};

constexpr Meaning meanings[] = {
    {"ASD", "assd,masd"},
    {"average surface distance", "assd,masd"},
    {"avg. surface distance", "assd,masd"},
    {"mean surface distance", "assd,masd"},
    {"MSD", "assd,masd"},
    {"surface distance", "assd,masd"},
    {"average Hausdorff distance", "assd,masd"},
    {"AHD", "assd,masd"},
    {"AVGHD", "assd,masd"},
    {"AUC", "auroc,average_precision"},
    {"AUPRC", "average_precision"},
    {"PR AUC", "average_precision"},
    {"volume", "volume_prediction_ml,volume_reference_ml"},
    {"volume difference", "avd,rvd"},
    {"VD", "avd,rvd"},
    {"absolute volume difference", "avd"},
    {"FPR", "specificity"},
    {"false positive rate", "specificity"},
    {"FNR", "recall"},
    {"false negative rate", "recall"},
    {"F-score", "dice,fbeta"},
    {"F-measure", "dice,fbeta"},
    {"F2", "fbeta"},
    {"calibration error", "ece"},
    {"lesion detection rate", "lesion_recall"},
};

/// Every name without case and punctuation, and the key that it means.
const std::map<std::string, std::string_view>& known_names() {
  static const auto all = [] {
    std::map<std::string, std::string_view> out;
    for (const Metric& metric : metrics()) out.emplace(plain(metric.name), metric.name);
    for (const Metric& metric : metrics()) {
      out.emplace(plain(metric.title), metric.name);
      for (const auto name : synonyms_of(metric)) out.emplace(plain(name), metric.name);
    }
    return out;
  }();
  return all;
}

/// Lower case; besides letters and digits, only the characters that distinguish numbers are kept.
std::string spelled(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (is_ascii_word(c))
      out += ascii_lower(c);
    else if (c == '.' || c == '@' || static_cast<unsigned char>(c) >= 0x80)
      out += c;
  return out;
}

/// "hausdorff 99" -> "hd99", "Surface Dice @ 2 mm" -> "nsd@2mm".
std::optional<std::string> key_with_argument(std::string_view name) {
  const std::string text = spelled(name);
  const std::size_t end = text.find_first_of("@0123456789");
  if (end == text.npos) return std::nullopt;
  const auto stem = known_names().find(plain(text.substr(0, end)));
  if (stem == known_names().end()) return std::nullopt;
  const bool at = text[end] == '@';
  const std::size_t first = end + (at ? 1 : 0);
  const std::size_t last = std::min(text.find_first_not_of("0123456789.", first), text.size());
  const std::string number = text.substr(first, last - first), unit = text.substr(last);
  if (!unit.empty() && unit != "mm") return std::nullopt;
  if (stem->second == "nsd" && !at && unit.empty()) return std::nullopt;  // "nsd2": the second?
  const auto key = key_with(stem->second, number);
  const auto found = key ? metric_of_key(*key) : std::nullopt;
  if (!found) return std::nullopt;
  const auto row = known_names().find(found->key);  // "hd100" is hd
  return row == known_names().end() ? found->key : std::string(row->second);
}

/// "assd (Average symmetric surface distance: …)".
std::string described(std::string_view key) {
  const Metric& row = metric(key);
  return std::string(key).append(" (").append(row.title).append(": ").append(row.equation) + ")";
}

/// The keys of a comma-separated list that are among the known ones.
std::vector<std::string> known_among(std::string_view keys, std::span<const std::string> known) {
  std::vector<std::string> out;
  for (const std::string& key : known)
    if ((',' + std::string(keys) + ',').find(',' + key + ',') != std::string::npos)
      out.push_back(key);
  return out;
}

/// The metrics that a name may mean, separated by commas; "" for a name without a known meaning.
std::string meaning_of(std::string_view typed) {
  const auto is_meant = [wanted = plain(typed)](const Meaning& m) {
    return plain(m.name) == wanted;
  };
  const auto* const found = std::ranges::find_if(meanings, is_meant);
  return found == std::end(meanings) ? metric_key(typed).value_or("") : std::string(found->keys);
}

std::string hint_by_meaning(const std::string& keys, std::span<const std::string> known) {
  std::vector<std::string> choices;
  for (const std::string& key : known_among(keys, known)) choices.push_back(described(key));
  if (choices.empty()) return "";
  return choices.size() > 1 ? "; choose " + joined(choices, " or ")
                            : "; did you mean " + choices.front() + "?";
}

/// A misspelt synonym leads to its key.
std::string hint_by_spelling(std::string_view typed, std::span<const std::string> known) {
  std::vector<std::pair<std::string, std::string_view>> names;
  for (const std::string& name : known) names.emplace_back(plain(name), name);
  for (const auto& [name, key] : known_names())
    if (std::ranges::find(known, key) != known.end()) names.emplace_back(name, key);
  const auto best = nearest(plain(typed), names, [](const auto& n) { return n.first; });
  return best == names.end() ? "" : "; did you mean '" + std::string(best->second) + "'?";
}

}  // namespace

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (is_ascii_word(c))
      out += ascii_lower(c);
    else if (static_cast<unsigned char>(c) >= 0x80)
      out += c;  // letters outside ASCII distinguish names
  return out;
}

std::optional<std::string> metric_key(std::string_view name) {
  if (auto key = key_with_argument(name)) return key;  // first: "hd9.5" is not hd95
  const auto found = known_names().find(plain(name));
  if (found == known_names().end()) return std::nullopt;
  return std::string(found->second);
}

bool names_metric(std::string_view typed, std::string_view name) {
  if (typed == name) return true;
  const auto key = metric_key(typed);
  return key ? *key == name : plain(typed) == plain(name);
}

std::vector<std::string> metric_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys = names;
  std::unordered_map<std::string, std::size_t> taken;
  for (const std::string& name : names) ++taken[name];
  for (const bool by_key : {true, false})
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto key = metric_key(names[i]);
      if (!key || (plain(names[i]) == plain(*key)) != by_key) continue;
      if (taken[*key] != 0) continue;
      --taken[keys[i]];
      ++taken[*key];
      keys[i] = *key;
    }
  return keys;
}

std::string metric_hint(std::string_view typed, std::span<const std::string> known) {
  const std::string keys = meaning_of(typed);
  return keys.empty() ? hint_by_spelling(typed, known) : hint_by_meaning(keys, known);
}

std::vector<std::string_view> synonyms_of(const Metric& metric) {
  if (metric.also.empty()) return {};
  std::vector<std::string_view> out;
  for (const auto name : parts_of(metric.also, ',')) out.push_back(trimmed(name));
  return out;
}

}  // namespace assay::metrics
