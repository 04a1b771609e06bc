// SPDX-License-Identifier: Apache-2.0
#include "assay/metrics/synonyms.hpp"

#include <algorithm>
#include <cctype>

#include "assay/metrics/metric.hpp"

namespace assay {
namespace {

struct Synonym {
  std::string_view plain, key;
};

// Only names that mean one thing. "AVD" is taken as ours since it is our key; what other tools
// call so may be in mL, which only their users can know.
constexpr Synonym synonyms[] = {
    {"dsc", "dice"},
    {"dicescore", "dice"},
    {"dicecoefficient", "dice"},
    {"dicesimilarity", "dice"},
    {"dicesimilaritycoefficient", "dice"},
    {"sorensendice", "dice"},
    {"f1", "dice"},
    {"f1score", "dice"},
    {"jaccard", "iou"},
    {"jaccardindex", "iou"},
    {"jaccardscore", "iou"},
    {"jaccardcoefficient", "iou"},
    {"intersectionoverunion", "iou"},
    {"ppv", "precision"},
    {"positivepredictivevalue", "precision"},
    {"sensitivity", "recall"},
    {"tpr", "recall"},
    {"truepositiverate", "recall"},
    {"tnr", "specificity"},
    {"truenegativerate", "specificity"},
    {"negativepredictivevalue", "npv"},
    {"acc", "accuracy"},
    {"matthews", "mcc"},
    {"matthewscorrelation", "mcc"},
    {"matthewscorrelationcoefficient", "mcc"},
    {"cohenkappa", "kappa"},
    {"cohenskappa", "kappa"},
    {"avdr", "avd"},
    {"absolutevolumedifferenceratio", "avd"},
    {"relativevolumedifference", "rvd"},
    {"volumetricsimilarity", "volume_similarity"},
    {"macrodice", "dice_macro"},
    {"hd", "hd"},
    {"hausdorff", "hd"},
    {"hausdorffdistance", "hd"},
    {"hd100", "hd"},
    {"hd95", "hd95"},
    {"hausdorff95", "hd95"},
    {"hausdorffdistance95", "hd95"},
    {"hd95mm", "hd95"},
    {"95hd", "hd95"},
    {"assd", "assd"},
    {"averagesymmetricsurfacedistance", "assd"},
    {"avgsymmetricsurfacedistance", "assd"},
    {"masd", "masd"},
    {"nsd", "nsd"},
    {"surfacedice", "nsd"},
    {"normalizedsurfacedice", "nsd"},
    {"normalizedsurfacedistance", "nsd"},
    {"normalisedsurfacedistance", "nsd"},
    {"boundaryiou", "boundary_iou"},
    {"lesionprecision", "lesion_precision"},
    {"lesionrecall", "lesion_recall"},
    {"lesionf1", "lesion_f1"},
    {"lesiondice", "lesion_dice"},
    {"lesionhd95", "lesion_hd95"},
    {"pq", "pq"},
    {"panopticquality", "pq"},
    {"sq", "sq"},
    {"rq", "rq"},
    {"auroc", "auroc"},
    {"rocauc", "auroc"},
    {"averageprecision", "average_precision"},
    {"brier", "brier"},
    {"brierscore", "brier"},
    {"ece", "ece"},
    {"expectedcalibrationerror", "ece"},
};

}  // namespace

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (const auto u = static_cast<unsigned char>(c); std::isalnum(u) != 0)
      out += static_cast<char>(std::tolower(u));
    else if (u >= 0x80)
      out += c;  // letters beyond ASCII tell names apart
  return out;
}

std::optional<std::string> metric_key(std::string_view name) {
  const std::string wanted = plain(name);
  for (const Metric& metric : metrics())
    if (plain(metric.name) == wanted) return std::string(metric.name);
  const auto* const found = std::ranges::find(synonyms, wanted, &Synonym::plain);
  if (found == std::end(synonyms)) return std::nullopt;
  return std::string(found->key);
}

std::vector<std::string> metric_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys = names;
  for (const bool by_key : {true, false})
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto key = metric_key(names[i]);
      if (!key || (plain(names[i]) == plain(*key)) != by_key) continue;
      if (std::ranges::find(keys, *key) == keys.end()) keys[i] = *key;
    }
  return keys;
}

}  // namespace assay
