// SPDX-License-Identifier: Apache-2.0
/// The question as the model sees it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/slide/slide_info.hpp"

namespace assay::qa {

/// "1. Lung\n2. Breast"
std::string numbered_options(std::span<const std::string> options);

/// The prompt of a table with its options: in the place of {options}, otherwise at the end with the
/// request for a number. Prompts of the published table are written for Python's str.format, so
/// that {{ and }} stand for single braces.
std::string injected_prompt(std::string_view prompt, std::span<const std::string> options);

// Every sentence that an agent is told by us: one place, so that one hash covers them all.

/// What a navigating agent is told once.
std::string navigation_rules(unsigned max_steps);

/// The question, as it stands before the first picture.
std::string question_text(const std::string& question, const slide::SlideInfo& slide);

/// "Step 3 of 20, 17 crops remaining …"; on the last step: answer now. Throws Error::usage when
/// there are no steps. `fixed`: an answer before the last step is not wanted.
std::string step_text(unsigned step, unsigned max_steps, bool fixed);

/// The text that goes with a crop.
std::string crop_text(const slide::SlideRegion& crop);

/// After an action that cannot be carried out; `problem` is a sentence.
std::string correction_text(const std::string& problem);

/// After the last step: no more pictures, answer. `observations`: what the agent said, by step.
std::string forced_answer_text(const std::vector<std::string>& observations);

/// For the modes without navigation.
std::string thumbnail_rules();
std::string patch_rules();
std::string collage_rules(std::size_t patches);

/// All of the above with their values left open: what is hashed into a run's settings.
std::string prompt_templates();

}  // namespace assay::qa
