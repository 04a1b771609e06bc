// SPDX-License-Identifier: Apache-2.0
/// Spelling help for names typed by people.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Levenshtein distance.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// The row whose name is spelled almost like `typed`, or the end.
template <class Rows, class Name = std::identity>
auto nearest(std::string_view typed, const Rows& rows, Name name = {}) {
  const auto distance = [&](const auto& row) {
    return edit_distance(typed, std::invoke(name, row));
  };
  const auto best = std::ranges::min_element(rows, {}, distance);
  if (best == std::ranges::end(rows)) return best;
  const std::size_t edits = distance(*best);
  // A name of which everything was edited is not near.
  return edits <= 2 && edits < typed.size() ? best : std::ranges::end(rows);
}

/// "; did you mean 'dice'?" or "" when nothing is near.
template <class Rows, class Name = std::identity>
std::string did_you_mean(std::string_view typed, const Rows& rows, Name name = {}) {
  const auto best = nearest(typed, rows, name);
  if (best == std::ranges::end(rows)) return "";
  return "; did you mean '" + std::string(std::invoke(name, *best)) + "'?";
}

}  // namespace assay
