// SPDX-License-Identifier: Apache-2.0
/// Turns the columns of a manifest into classes and groups.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "assay/base/csv.hpp"
#include "assay/base/file.hpp"
#include "assay/base/nearest.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/results/split.hpp"
#include "assay/stats/folds.hpp"

namespace assay::results {
namespace {

using Cells = std::vector<std::string>;

/// A numeric column with more different values than this is a measurement. Its values would be
/// useless as classes.
constexpr std::size_t most_numeric_classes = 20;

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> finite(const std::string& cell) {
  const auto number = parsed<double>(cell);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : table_(parse_csv(text, name)) {
    out_.file = name;
    out_.sha256 = sha256(text);
    if (table_.rows.empty()) fail("the manifest lists no case; add one line for each");
    out_.items.size = table_.rows.size();
  }

  SplitManifest read(const SplitSettings& settings) && {
    read_ids();
    if (!settings.stratify.empty()) read_strata(settings.stratify);
    if (!settings.group.empty()) read_groups(settings.group);
    warn_of_small_strata(settings);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Error::Kind::input, out_.file + ": " + what);
  }

  Cells cells(std::size_t column) const {
    Cells out;
    for (const auto& row : table_.rows) out.push_back(row[column]);
    return out;
  }

  std::size_t column(const std::string& name) const {
    const auto found = table_.column(name);
    if (!found)
      fail("has no column '" + name + "'" + did_you_mean(name, table_.header) +
           " (it has: " + joined(table_.header) + ")");
    if (std::ranges::count(table_.header, name) > 1)
      fail("has two columns named '" + name + "'; rename one");
    return *found;
  }

  void read_ids() {
    const bool named = table_.column("id").has_value();
    out_.id_column = named ? "id" : table_.header.front();
    if (!named)
      out_.notes.push_back("no column is named 'id', so the first, '" + out_.id_column +
                           "', is taken as the id");
    out_.ids = cells(named ? column("id") : 0);
    std::set<std::string_view> seen;
    for (const std::string& id : out_.ids) {
      if (id.empty()) fail("a case has no id; fill column '" + out_.id_column + "' in every line");
      if (!seen.insert(id).second)
        fail("case '" + id +
             "' is listed twice; ids must be unique (scans of one subject stay "
             "together with --group)");
    }
  }

  /// The class of each case in one column, as text.
  Cells classes_of(const std::string& asked) {
    const std::size_t colon = asked.rfind(':');
    if (!table_.column(asked) && colon != std::string::npos)
      if (const auto bins = parsed<std::size_t>(std::string_view(asked).substr(colon + 1)))
        return binned(asked, asked.substr(0, colon), *bins);
    Cells values = cells(column(asked));
    refuse_measurements(asked, values);
    if (std::ranges::count(values, "") != 0)
      out_.warnings.push_back("column '" + asked + "' is empty in " +
                              std::to_string(std::ranges::count(values, "")) +
                              " cases; they form a stratum of their own");
    std::ranges::replace(values, std::string(), std::string("(empty)"));
    return values;
  }

  void refuse_measurements(const std::string& name, const Cells& values) const {
    const std::set<std::string> distinct(values.begin(), values.end());
    const bool numeric = std::ranges::all_of(
        values, [](const std::string& cell) { return cell.empty() || finite(cell); });
    if (numeric && distinct.size() > most_numeric_classes)
      fail("column '" + name + "' holds " + std::to_string(distinct.size()) +
           " different numbers, too many for strata; cut it into bins with --stratify " + name +
           ":4");
  }

  [[noreturn]] void refuse_cell(std::size_t place, const std::string& name,
                                const std::string& cell) const {
    fail("case '" + out_.ids[place] + "' has '" + cell + "' in column '" + name +
         "', where bins need a finite number");
  }

  Cells binned(const std::string& asked, const std::string& name, std::size_t bins) {
    const std::size_t place = column(name);
    std::vector<double> values;
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const std::string& cell = table_.rows[i][place];
      const auto number = finite(cell);
      if (!number) refuse_cell(i, name, cell);
      values.push_back(*number);
    }
    const stats::QuantileBins found = cut(asked, values, bins);
    Cells out;
    for (const std::size_t code : found.codes) out.push_back("Q" + std::to_string(code + 1));
    const std::set<std::string> filled(out.begin(), out.end());
    if (filled.size() < bins)
      out_.warnings.push_back("equal values leave only " + std::to_string(filled.size()) + " of " +
                              std::to_string(bins) + " bins of column '" + name + "' filled");
    out_.bins.emplace_back(asked, found.edges);
    return out;
  }

  stats::QuantileBins cut(const std::string& asked, const std::vector<double>& values,
                          std::size_t bins) const try {
    return stats::quantile_bins(values, bins);
  } catch (const Error& e) {
    throw e.within(out_.file + ": --stratify " + asked);
  }

  /// With several columns, a stratum is a combination of their classes.
  void read_strata(const std::vector<std::string>& columns) {
    std::vector<Cells> of_case(out_.ids.size());
    for (const std::string& asked : columns) {
      const Cells classes = classes_of(asked);
      for (std::size_t i = 0; i < classes.size(); ++i) of_case[i].push_back(classes[i]);
    }
    std::map<Cells, std::size_t> codes;
    for (const Cells& stratum : of_case) codes.emplace(stratum, 0);
    for (auto& [stratum, code] : codes) {
      code = out_.strata.size();
      out_.strata.push_back(joined(stratum, "_"));
    }
    for (const Cells& stratum : of_case) out_.items.classes.push_back(codes.at(stratum));
  }

  /// Groups are numbered in ascending order, numerically if all are numbers. NumPy does the same,
  /// and the numbers decide which fold a group falls into.
  void read_groups(const std::string& name) {
    const Cells values = cells(column(name));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].empty())
        fail("case '" + out_.ids[i] + "' has no group; fill column '" + name + "' in every line");
    const bool numeric = std::ranges::all_of(
        values, [](const std::string& cell) { return finite(cell).has_value(); });
    std::map<std::pair<double, std::string>, std::size_t> codes;
    const auto key = [&](const std::string& cell) {
      return std::pair(numeric ? *finite(cell) : 0.0, cell);
    };
    for (const std::string& cell : values) codes.emplace(key(cell), 0);
    std::size_t next = 0;
    for (auto& [group, code] : codes) code = next++;
    for (const std::string& cell : values) out_.items.groups.push_back(codes.at(key(cell)));
  }

  void warn_of_small_strata(const SplitSettings& settings) {
    std::vector<std::size_t> counts(out_.strata.size());
    for (const std::size_t code : out_.items.classes) ++counts[code];
    for (std::size_t s = 0; s < counts.size(); ++s)
      if (counts[s] < settings.outer)
        out_.warnings.push_back("stratum " + out_.strata[s] + " has " + std::to_string(counts[s]) +
                                (counts[s] == 1 ? " member" : " members") + ", fewer than the " +
                                std::to_string(settings.outer) +
                                " outer folds; some folds test none of it");
  }

  Csv table_;
  SplitManifest out_;
};

}  // namespace

SplitManifest read_split_manifest(const std::filesystem::path& path,
                                  const SplitSettings& settings) {
  return parse_split_manifest(read_text(path), path.string(), settings);
}

SplitManifest parse_split_manifest(std::string_view text, const std::string& name,
                                   const SplitSettings& settings) {
  return Reader(text, name).read(settings);
}

}  // namespace assay::results
