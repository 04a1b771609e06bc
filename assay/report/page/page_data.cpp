// SPDX-License-Identifier: Apache-2.0
/// The data of the page, in columns: a case costs a few bytes per value, whatever its name.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "assay/base/text.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

/// More values than this would be larger than the rest of the page; only the first metrics are then
/// included.
constexpr std::size_t most_values = 600'000;

std::string json_list(const std::vector<std::string>& items) {
  return "[" + joined(items, ",") + "]";
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out.append(out.size() == 1 ? "" : ",") += json_text(text);
  return out + "]";
}

/// Six significant digits. Infinity is written as 1e999, which JavaScript reads as infinity.
void append_number(std::string& out, const std::optional<double>& value) {
  if (!value)
    out += "null";
  else if (*value > 1e308 || *value < -1e308)
    out += *value > 0 ? "1e999" : "-1e999";
  else
    fmt::format_to(std::back_inserter(out), "{:.6g}", *value);
}

/// The metrics for which the page has room; those of the first screen are always included.
std::vector<std::string> metrics_of(const Study& study) {
  std::vector<std::string> out = all_metrics(study);
  const std::size_t values_each = std::max<std::size_t>(study.ids.size() * study.models.size(), 1);
  const std::size_t room = std::max(shown_metrics(study).size(), most_values / values_each);
  out.resize(std::min(out.size(), room));
  return out;
}

std::string metrics_json(const Study& study, const std::vector<std::string>& metrics) {
  std::vector<std::string> out;
  out.reserve(metrics.size());
  for (const std::string& key : metrics) {
    out.push_back(fmt::format("{{\"key\":{},\"title\":{},\"words\":{},\"better\":{}}}",
                              json_text(key), json_text(metric_title(study, key)),
                              json_text(report::metric_words(key)),
                              json_text(name(direction_of(study, key)))));
  }
  return json_list(out);
}

std::string column_json(const Study& study, std::size_t model, const std::string& metric) {
  const compare::MetricColumn* column = compare::column_of(shown_columns(study, model), metric);
  if (column == nullptr) return "null";
  std::vector<std::optional<double>> values(study.ids.size());
  const std::vector<std::size_t> places = places_in_study(study, model);
  for (std::size_t i = 0; i < places.size(); ++i) values[places[i]] = column->values[i];
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    append_number(out, values[i]);
  }
  return out + "]";
}

std::string values_json(const Study& study, const std::vector<std::string>& metrics) {
  std::vector<std::string> out;
  for (const std::string& metric : metrics) {
    std::vector<std::string> of_metric;
    for (std::size_t m = 0; m < study.models.size(); ++m)
      of_metric.push_back(column_json(study, m, metric));
    out.push_back(json_list(of_metric));
  }
  return json_list(out);
}

/// A group column as its distinct texts and one index per case; -1 if nothing is known.
struct Coded {
  std::string name;
  std::vector<std::string> levels{};
  std::map<std::string, int> codes{};
  std::vector<int> of_case{};

  int code(const std::string& text) {
    const auto [found, is_new] = codes.emplace(text, static_cast<int>(levels.size()));
    if (is_new) levels.push_back(text);
    return found->second;
  }
};

std::vector<Coded> coded_groups(const Study& study) {
  std::vector<Coded> out;
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const std::vector<std::size_t> places = places_in_study(study, m);
    for (const auto& [column, texts] : study.models[m].groups) {
      auto found = std::ranges::find(out, column, &Coded::name);
      if (found == out.end()) {
        out.push_back({.name = column});
        found = out.end() - 1;
        found->of_case.assign(study.ids.size(), -1);
      }
      for (std::size_t i = 0; i < places.size(); ++i)
        if (int& code = found->of_case[places[i]]; code < 0 && !texts[i].empty())
          code = found->code(texts[i]);
    }
  }
  return out;
}

std::string groups_json(const Study& study) {
  std::vector<std::string> out;
  for (const Coded& group : coded_groups(study))
    out.push_back(fmt::format("{{\"name\":{},\"levels\":{},\"codes\":[{}]}}", json_text(group.name),
                              json_texts(group.levels), fmt::join(group.of_case, ",")));
  return json_list(out);
}

/// [case, model, reason] of everything that was not scored.
std::string lost_json(const Study& study) {
  std::vector<std::string> out;
  for (std::size_t m = 0; m < study.models.size(); ++m)
    for (const compare::UnscoredCase& one : study.models[m].unscored) {
      const auto found = std::ranges::lower_bound(study.ids, one.id);
      if (found == study.ids.end() || *found != one.id) continue;
      out.push_back(fmt::format("[{},{},{}]", found - study.ids.begin(), m, json_text(one.reason)));
    }
  return json_list(out);
}

/// [case, model, reason] of values that are missing because the model failed. The reason is that of
/// the first metric of the first screen that has one, since an empty prediction has a Dice but no
/// distance.
std::string failed_json(const Study& study) {
  std::vector<std::string> out;
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    const std::vector<std::size_t> places = places_in_study(study, m);
    std::map<std::size_t, std::string> reasons;
    for (const std::string& metric : shown_metrics(study))
      if (const auto* column = compare::column_of(shown_columns(study, m), metric))
        for (const compare::FailedValue& failed : column->failed)
          if (failed.one_case < places.size())
            reasons.emplace(places[failed.one_case], failed.reason);
    for (const auto& [place, reason] : reasons)
      out.push_back(fmt::format("[{},{},{}]", place, m, json_text(reason)));
  }
  return json_list(out);
}

/// The members of the data that depend on the chosen label.
std::string followers(const Study& study) {
  const std::vector<std::string> metrics = metrics_of(study);
  return fmt::format("\"metrics\":{},\"values\":{},\"failed\":{}", metrics_json(study, metrics),
                     values_json(study, metrics), failed_json(study));
}

/// The value of one case in a column, by model; null where there is none.
std::string values_of_label(const Study& study, const CaseVolume& volume, const std::string& label,
                            const std::string& metric) {
  std::string out = "[";
  for (std::size_t m = 0; m < study.models.size(); ++m) {
    if (m != 0) out += ',';
    std::optional<double> value;
    for (const compare::LabelTable& each : study.models[m].labels)
      if (each.key == label)
        value = value_in(study, m, compare::column_of(each.columns, metric), volume.place);
    append_number(out, value);
  }
  return out + "]";
}

/// The scores of a region by metric, without the labels that metrics may name.
std::string scores_json(const Study& study, const CaseVolume& volume, const std::string& region) {
  std::vector<std::string> out, done;
  for (const std::string& key : shown_metrics(study)) {
    const std::string metric = key.substr(0, key.find(" of "));
    if (std::ranges::find(done, metric) != done.end()) continue;
    done.push_back(metric);
    out.push_back(json_text(metric) + ":" + values_of_label(study, volume, region, metric));
  }
  return "{" + joined(out, ",") + "}";
}

/// Key, name, codes, colour and scores of each region of a volume.
std::string regions_json(const Study& study, const CaseVolume& volume) {
  std::vector<std::string> out;
  for (const DrawnRegion& region : volume.regions)
    out.push_back(
        fmt::format("{{\"key\":{},\"name\":{},\"codes\":[{}],\"color\":{},\"values\":{}}}",
                    json_text(region.key), json_text(region.name), fmt::join(region.codes, ","),
                    region.color ? fmt::format("[{}]", fmt::join(*region.color, ",")) : "null",
                    scores_json(study, volume, region.key)));
  return json_list(out);
}

std::string volume_json(const Study& study, const CaseVolume& volume, std::size_t number) {
  std::vector<std::string> models;
  for (const DrawnMask& mask : volume.predictions) models.push_back(std::to_string(mask.model));
  return fmt::format(
      "{{\"number\":{},\"case\":{},\"why\":{},\"shape\":[{}],\"spacing\":[{:.6g}],\"focus\":[{}],"
      "\"labels\":{},\"regions\":{},\"image\":{},\"models\":{},\"notes\":{}}}",
      number, volume.place, json_text(volume.why), fmt::join(volume.shape, ","),
      fmt::join(volume.spacing_mm, ","), fmt::join(focus_of(volume), ","),
      json_texts(volume.labels), regions_json(study, volume), !volume.image.empty(),
      json_list(models), json_texts(volume.notes));
}

std::string qa_json(const Study& study) {
  std::vector<std::string> out;
  for (const QaStudyPart& part : study.qa) {
    std::string items = "[";
    for (const qa::ItemResult& item : part.result.results) {
      std::string cost;
      append_number(cost, item.cost_usd);
      items.append(items.size() == 1 ? "" : ",") += fmt::format(
          "[{},{},{},{},{},{},{}]", json_text(item.item_id),
          json_text(qa::outcomes()[static_cast<std::size_t>(item.outcome)].name), item.truth_label,
          item.predicted_label ? std::to_string(*item.predicted_label) : "null", item.correct, cost,
          json_text(item.prediction.substr(0, 400)));
    }
    out.push_back(fmt::format("{{\"benchmark\":{},\"model\":{},\"items\":{}]}}",
                              json_text(part.result.benchmark_name),
                              json_text(part.result.model_name), items));
  }
  return json_list(out);
}

}  // namespace

std::vector<std::string> all_metrics(const Study& study) {
  std::vector<std::string> out = shown_metrics(study);
  for (std::size_t m = 0; m < study.models.size(); ++m)
    for (const compare::MetricColumn& column : shown_columns(study, m))
      if (std::ranges::find(out, column.name) == out.end()) out.push_back(column.name);
  return out;
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append("\\") += c;
    else if (code < 0x20 || c == '<' || code == 0x7F)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    else
      out += c;
  }
  return out + "\"";
}

std::optional<double> value_in(const Study& study, std::size_t model,
                               const compare::MetricColumn* column, std::size_t place) {
  const std::vector<std::string>& ids = study.models[model].ids;
  const auto found = std::ranges::find(ids, study.ids[place]);
  if (column == nullptr || found == ids.end()) return std::nullopt;
  return column->values[static_cast<std::size_t>(found - ids.begin())];
}

std::string volumes_data(const Study& study, std::span<const CaseVolume* const> volumes) {
  std::vector<std::string> out;
  for (std::size_t v = 0; v < volumes.size(); ++v)
    out.push_back(volume_json(study, *volumes[v], v));
  return json_list(out);
}

std::string left_out_metrics(const Study& study) {
  const std::vector<std::string> all = all_metrics(study);
  const std::size_t kept = metrics_of(study).size();
  if (kept == all.size()) return "";
  const std::vector<std::string> lost(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  return "the table of cases leaves out " + joined(lost, ", ") +
         ", because so many cases would make the page too large";
}

std::string view_data(const StudyView& view) {
  return fmt::format("{{{},\"parts\":{{\"lead\":{},\"ledger\":{},\"means\":{},\"figures\":{}}}}}",
                     followers(view.study), json_text(lead_html(view.study)),
                     json_text(ledger(view.study)), json_text(means_html(view.study)),
                     json_text(panels_html(view.study, view.figures)));
}

std::string views_index(const Study& study, std::span<const StudyView* const> views) {
  std::vector<std::string> out;
  if (!views.empty())
    out.push_back(fmt::format("{{\"key\":\"\",\"name\":{}}}", json_text(label_words(study).text)));
  for (const StudyView* view : views)
    out.push_back(
        fmt::format("{{\"key\":{},\"name\":{}}}", json_text(view->key), json_text(view->name)));
  return json_list(out);
}

std::string page_data(const Study& study) {
  std::vector<std::string> models;
  for (const compare::ResultTable& table : study.models)
    models.push_back(fmt::format("{{\"name\":{},\"source\":{}}}", json_text(table.model_name),
                                 json_text(table.source)));
  return fmt::format(
      "{{\"title\":{},\"models\":{},\"baseline\":{},\"ids\":{},{},\"groups\":{},\"lost\":{},"
      "\"qa\":{}}}",
      json_text(study.title), json_list(models),
      study.comparison ? std::to_string(study.comparison->baseline) : "null", json_texts(study.ids),
      followers(study), groups_json(study), lost_json(study), qa_json(study));
}

}  // namespace assay::report
