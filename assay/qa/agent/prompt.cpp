// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/agent/prompt.hpp"

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay::qa {
namespace {

constexpr std::string_view placeholder = "{options}";

/// Doubled braces as single ones. A prompt without them is not a format, and its braces stay.
std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool brace = text[i] == '{' || text[i] == '}';
    if (brace && i + 1 < text.size() && text[i + 1] == text[i]) ++i;
  }
  return out;
}

}  // namespace

std::string numbered_options(std::span<const std::string> options) {
  std::string out;
  for (std::size_t i = 0; i < options.size(); ++i)
    out += (i == 0 ? "" : "\n") + std::to_string(i + 1) + ". " + options[i];
  return out;
}

std::string injected_prompt(std::string_view prompt, std::span<const std::string> options) {
  if (options.empty()) return unescaped(prompt);
  const std::string list = numbered_options(options);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = prompt.find(placeholder); at != std::string_view::npos;
       at = prompt.find(placeholder, from)) {
    out += unescaped(prompt.substr(from, at - from)) + list;  // braces of options are their own
    from = at + placeholder.size();
  }
  out += unescaped(prompt.substr(from));
  if (from != 0) return out;
  return out + "\n\nSelect from the following options:\n" + list +
         "\n\nPlease respond with the option number (1-based index).";
}

namespace {

// Templates stand apart from the code that fills them: their text is hashed as it stands here.
constexpr const char* navigation_template =
    "You are a pathologist who examines a whole-slide image. You first see the whole slide, with "
    "red guide lines whose numbers are coordinates in level-0 pixels. You can look closer by "
    "asking for crops, one at a time, in up to {} steps, and then answer the question.\n"
    "\n"
    "Reply with exactly one JSON object and nothing else. To look at a region:\n"
    "{{\"reasoning\": \"what you see and why you look there\", \"action\": {{\"action_type\": "
    "\"crop\", \"x\": X, \"y\": Y, \"width\": W, \"height\": H}}}}\n"
    "x and y are the upper left corner; all four are whole numbers in level-0 pixels, and the "
    "region must lie inside the slide. A smaller region shows more detail.\n"
    "To answer:\n"
    "{{\"reasoning\": \"why\", \"action\": {{\"action_type\": \"answer\", \"answer_text\": "
    "\"your answer, in the form that the question asks for\"}}}}";
constexpr const char* question_template =
    "{}\n\nThe slide is {} pixels wide and {} pixels high (level 0).{}";
constexpr const char* resolution_template = " One pixel is {:.4g} micrometres.";
constexpr const char* step_template = "Step {} of {}, {} crops remaining.";
constexpr const char* choice_text = " Ask for a crop, or answer if you are sure.";
constexpr const char* fixed_text = " Ask for a crop. Do NOT answer until the final step.";
constexpr const char* final_template =
    "Step {} of {}. This is your FINAL step. You must answer now; no crops remain.";
constexpr const char* crop_template =
    "The region x={}, y={}, width={}, height={} (level-0 pixels):";
constexpr const char* correction_template =
    "That action cannot be carried out: {}\nReply again with one JSON object.";
constexpr const char* forced_template =
    "No steps remain and no more crops can be taken. Answer the question now from what you have "
    "seen, with an answer action.{}";
constexpr const char* observations_intro = "\n\nYour observations so far:";
constexpr const char* observation_template = "\n{}. {}";
constexpr const char* thumbnail_template =
    "You are a pathologist. You see a whole-slide image at low magnification. Answer the question "
    "from it, in the form that the question asks for.";
constexpr const char* patch_template =
    "You are a pathologist. You see one patch, cut at full resolution at random from the tissue "
    "of a whole-slide image. Answer the question from it, in the form that the question asks for.";
constexpr const char* collage_template =
    "You are a pathologist. You see {} patches side by side, cut at full resolution at random "
    "from the tissue of one whole-slide image. Answer the question from them, in the form that the "
    "question asks for.";

constexpr const char* templates[] = {
    navigation_template, question_template, resolution_template, step_template,
    choice_text,         fixed_text,        final_template,      crop_template,
    correction_template, forced_template,   observations_intro,  observation_template,
    thumbnail_template,  patch_template,    collage_template,
};

}  // namespace

std::string navigation_rules(unsigned max_steps) {
  return fmt::format(fmt::runtime(navigation_template), max_steps);
}

std::string question_text(const std::string& question, const slide::SlideInfo& slide) {
  std::string resolution;
  if (const auto microns = slide.plausible_microns_per_pixel())
    resolution = fmt::format(fmt::runtime(resolution_template), *microns);
  return fmt::format(fmt::runtime(question_template), question, slide.width, slide.height,
                     resolution);
}

std::string step_text(unsigned step, unsigned max_steps, bool fixed) {
  if (max_steps == 0) throw Error(Error::Kind::usage, "the number of steps must be at least 1");
  if (step >= max_steps) return fmt::format(fmt::runtime(final_template), step, max_steps);
  return fmt::format(fmt::runtime(step_template), step, max_steps, max_steps - step) +
         (fixed ? fixed_text : choice_text);
}

std::string crop_text(const slide::SlideRegion& crop) {
  return fmt::format(fmt::runtime(crop_template), crop.x, crop.y, crop.width, crop.height);
}

std::string correction_text(const std::string& problem) {
  return fmt::format(fmt::runtime(correction_template), problem);
}

std::string forced_answer_text(const std::vector<std::string>& observations) {
  std::string listed = observations.empty() ? "" : observations_intro;
  for (std::size_t i = 0; i < observations.size(); ++i)
    listed += fmt::format(fmt::runtime(observation_template), i + 1, observations[i]);
  return fmt::format(fmt::runtime(forced_template), listed);
}

std::string thumbnail_rules() {
  return thumbnail_template;
}

std::string patch_rules() {
  return patch_template;
}

std::string collage_rules(std::size_t patches) {
  return fmt::format(fmt::runtime(collage_template), patches);
}

std::string prompt_templates() {
  std::string all;
  for (const char* each : templates) all.append(each).append("\n\n");
  return all;
}

}  // namespace assay::qa
