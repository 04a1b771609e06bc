// SPDX-License-Identifier: Apache-2.0
/// Marks that stand for one case each, in the form that their number allows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "assay/report/figures/svg.hpp"

namespace assay::report {

/// Elements of their own are easy to point at; one path is small; a cloud of very many tells less
/// than its density.
enum class MarkForm { circles, path, none };

inline constexpr std::size_t most_circles = 1500, most_marks = 20000;

/// The form for a drawing with so many marks in all.
MarkForm mark_form(std::size_t marks);

struct Mark {
  std::size_t place = 0;  ///< of the case in the study, or of the item in its result
  Spot at{};
};

struct MarkStyle {
  std::size_t owner = 0;  ///< the model's position, or the part's
  bool named = true;      ///< false: nobody knows which case it is, as in files without ids
  bool items = false;     ///< marks of question answering
  std::string_view tone = tone::ink;
  double radius = 2.2, opacity = 0.6;
};

std::string marks(std::span<const Mark> marks, const MarkStyle& style, MarkForm form);

/// Smaller and paler where so many stand together.
MarkStyle crowded(MarkStyle style, std::size_t count);

/// A cloud of marks; where they are too many, cells that are the darker the more lie within.
std::string cloud(std::span<const Mark> marks, const MarkStyle& style, MarkForm form);

/// A number from 0 to 1 for each place that looks random and never changes.
double jitter(std::size_t place);

/// What a caption adds where the dots are left out; "" otherwise.
std::string marks_note(MarkForm form, std::size_t count);

/// What a caption says of a cloud: what a dot is, or what stands for the dots.
std::string cloud_note(MarkForm form, std::size_t count);

}  // namespace assay::report
