// SPDX-License-Identifier: Apache-2.0
/// Marks for single cases, in a form that depends on their number.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "assay/report/figures/svg.hpp"

namespace assay::report {

/// Separate circles are easy to point at. One path takes fewer bytes. The density of a very large
/// cloud shows more than its single marks.
enum class MarkForm { circles, path, none };

inline constexpr std::size_t most_circles = 1500;

/// The form for a drawing with that many marks in all.
MarkForm mark_form(std::size_t marks);

struct Mark {
  std::size_t place = 0;  ///< of the case in the study, or of the item in its result
  Spot at{};
};

struct MarkStyle {
  std::size_t owner = 0;  ///< the model's position, or the part's
  bool named = true;      ///< false: the case is unknown, as in files without ids
  bool items = false;     ///< marks of question answering
  std::string_view tone = tone::ink;
  double radius = 2.2, opacity = 0.6;
};

std::string marks(std::span<const Mark> marks, const MarkStyle& style, MarkForm form);

/// Smaller and paler if there are many.
MarkStyle crowded(MarkStyle style, std::size_t count);

/// A cloud of marks; if there are too many, cells that are darker the more marks they contain.
std::string cloud(std::span<const Mark> marks, const MarkStyle& style, MarkForm form);

/// A number from 0 to 1 for each place that looks random and never changes.
double jitter(std::size_t place);

/// What a caption adds if the dots are left out; "" otherwise.
std::string marks_note(MarkForm form, std::size_t count);

/// What a caption says about a cloud: what a dot is, or what is drawn instead of dots.
std::string cloud_note(MarkForm form, std::size_t count);

}  // namespace assay::report
