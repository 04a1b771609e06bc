// SPDX-License-Identifier: Apache-2.0
/// Which slides of a benchmark exist: the data of `assay.qa-check/1`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/named.hpp"
#include "assay/executor.hpp"
#include "assay/qa.hpp"
#include "assay/qa/slides/slide_folder.hpp"
#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// Every expected slide is in exactly one.
///   unreadable   it is there, but cannot be opened
///   unsupported  it is there, but needs a newer OpenSlide
enum class SlideState { found, missing, ambiguous, unreadable, unsupported };

std::span<const Named<SlideState>> slide_states();

/// A slide that questions of one benchmark ask about.
struct CheckedSlide {
  std::string image_path;  ///< as the table has it
  std::size_t questions = 0;
  SlideState state = SlideState::missing;
  std::string file{};     ///< relative to the folder of slides; empty when there is none
  std::string problem{};  ///< a sentence; empty when it was found
  std::optional<slide::SlideInfo> info{};  ///< of an opened slide
};

struct CheckedBenchmark {
  std::string name;
  std::size_t questions = 0;
  std::optional<std::size_t> published_questions{};  ///< nothing: not one of the published table
  std::vector<CheckedSlide> slides{};                ///< in order of appearance

  std::size_t count(SlideState state) const;
};

struct SlideCheck {
  std::vector<CheckedBenchmark> benchmarks{};
  std::vector<std::string> notes{};  ///< what deviates from the published table, or is odd
  std::vector<std::string> warnings{};
  std::string openslide{};  ///< its version when slides were opened

  /// Each slide once, however many benchmarks ask about it: the same name that is found as the same
  /// file. In order of appearance.
  std::vector<const CheckedSlide*> distinct_slides() const;

  /// Whether every expected slide is there, and could be opened if that was tried.
  bool complete() const;
};

/// The slides that `benchmarks` of the table ask about, none looked for yet; all when none is
/// named. An unknown name is an Error.
SlideCheck expected_slides(const ItemTable& table, std::span<const std::string> names);

// Which slides are there, as a file: `assay.qa-check/1`.

std::string slide_check_text(const SlideCheck& check, const ItemTable& table,
                             std::string_view version);

// Looks for the slides of a table before any money is spent.

struct SlideCheckSettings {
  std::vector<std::string> benchmarks{};  ///< empty: all
  bool open = false;                      ///< each slide that is found
  Executor executor{};
};

/// Throws Error when slides shall be opened and there is no OpenSlide.
SlideCheck check_slides(const ItemTable& table, const SlideFolder& folder,
                        const SlideCheckSettings& settings);

}  // namespace assay::qa
