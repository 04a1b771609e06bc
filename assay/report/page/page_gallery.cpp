// SPDX-License-Identifier: Apache-2.0
/// Questions as cards to browse: where an agent looked on the slide, in which order, what it said,
/// and what that cost.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/base/base64.hpp"
#include "assay/base/text.hpp"
#include "assay/qa/agent/prompt.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"

namespace assay::report {
namespace {

const qa::TrajectoryImage* card_thumbnail(const TrajectoryView& view) {
  for (const qa::TrajectoryTurn& turn : view.trajectory.turns)
    for (const qa::TrajectoryImage& image : turn.images)
      if (image.kind == "thumbnail" && view.jpegs.contains(image.sha256)) return &image;
  return nullptr;
}

/// Thumbnails of slides. Questions about one slide share its thumbnail, which is on the page once,
/// as a style.
class Thumbnails {
 public:
  std::string style_of(const std::string& sha256, const std::string& jpeg) {
    const auto [place, is_new] = numbers_.emplace(sha256, numbers_.size());
    if (is_new)
      rules_ += fmt::format(".thumb-{}{{background-image:url(data:image/jpeg;base64,{})}}\n",
                            place->second, base64(jpeg));
    return fmt::format("thumb-{}", place->second);
  }
  std::string element() const { return rules_.empty() ? "" : "<style>" + rules_ + "</style>\n"; }

 private:
  std::map<std::string, std::size_t> numbers_{};
  std::string rules_{};
};

/// The regions that were cropped, in order.
std::vector<slide::SlideRegion> path_of(const qa::Trajectory& t) {
  std::vector<slide::SlideRegion> out;
  for (const qa::TrajectoryTurn& turn : t.turns)
    if (turn.crop && turn.problem.empty()) out.push_back(*turn.crop);
  return out;
}

/// Boxes that light up one after the other, and lines from each to the next.
std::string path_drawing(const qa::Trajectory& t) {
  const std::vector<slide::SlideRegion> path = path_of(t);
  std::string way, boxes;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const slide::SlideRegion& r = path[i];
    way += fmt::format("{}{} {}", i == 0 ? "M" : "L", r.x + r.width / 2, r.y + r.height / 2);
    boxes += fmt::format(
        "<rect class=\"hop\" style=\"--i:{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", i,
        r.x, r.y, r.width, r.height);
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" style=\"--n:{}\" role=\"img\" "
      "aria-label=\"{}\"><path class=\"way\" d=\"{}\"/>{}</svg>",
      t.slide_width, t.slide_height, std::max<std::size_t>(path.size(), 1),
      path.empty() ? "The whole slide, no closer look"
                   : "The whole slide and " + counted(path.size(), "crop") + " in their order",
      way, boxes);
}

std::string card_picture(const TrajectoryView& view, Thumbnails& thumbnails) {
  const qa::TrajectoryImage* image = card_thumbnail(view);
  if (image == nullptr) return "";
  return fmt::format("<div class=\"scan {}\" style=\"--ratio:{}/{}\">{}</div>\n",
                     thumbnails.style_of(image->sha256, view.jpegs.at(image->sha256)),
                     std::max<std::size_t>(image->width, 1),
                     std::max<std::size_t>(image->height, 1), path_drawing(view.trajectory));
}

/// "2 crops · 3 calls · $0.012".
std::string effort_words(const TrajectoryView& view) {
  const qa::Trajectory& t = view.trajectory;
  std::string out = counted(path_of(t).size(), "crop") + " · " + counted(t.turns.size(), "call");
  if (view.result && view.result->cost_usd)
    out += fmt::format(" · ${:.3g}", *view.result->cost_usd);
  return out;
}

/// An option by its number, which may be out of range.
std::string option_words(const std::vector<std::string>& options, std::int64_t number) {
  const bool is_named = number >= 1 && std::size_t(number) <= options.size();
  return is_named ? options[std::size_t(number) - 1] : std::to_string(number);
}

/// The answer, and the truth if it differs.
std::string answer_words(const TrajectoryView& view) {
  constexpr std::size_t most = 160;
  const auto& result = view.result;
  const std::string said = excerpt(trimmed(view.trajectory.final_answer), most);
  std::string out = result && result->predicted_label
                        ? "answer: " + option_words(result->options, *result->predicted_label)
                    : said.empty() ? "no answer"
                                   : "“" + said + "”";
  if (result && !result->correct)
    out += " · truth: " + option_words(result->options, result->truth_label);
  return element("p", out, "class=\"said\"");
}

/// The question without the list of its options.
std::string question_words(const TrajectoryView& view) {
  constexpr std::size_t most = 140;
  std::string_view text = view.trajectory.question;
  if (view.result && !view.result->options.empty())
    text = text.substr(0, text.find(qa::numbered_options(view.result->options)));
  return excerpt(trimmed(text), most);
}

std::string card(const ShownAnswer& answer, Thumbnails& thumbnails) {
  const TrajectoryView& view = answer.view;
  const bool is_right = view.result && view.result->correct;
  return fmt::format("<article class=\"card\">{}<h3>{} <span class=\"{}\">{}</span></h3>\n",
                     card_picture(view, thumbnails),
                     html_escaped(view.trajectory.benchmark + " · " + view.trajectory.item_id),
                     is_right ? "good" : "bad", is_right ? "right" : "not right") +
         element("p", question_words(view)) + answer_words(view) +
         element("p", effort_words(view), "class=\"soft\"") + "</article>\n";
}

}  // namespace

std::string qa_gallery(std::span<const ShownAnswer* const> answers) {
  if (answers.empty()) return "";
  Thumbnails thumbnails;
  std::string cards;
  for (const ShownAnswer* answer : answers) cards += card(*answer, thumbnails);
  return thumbnails.element() + "<div class=\"gallery\">\n" + cards + "</div>\n";
}

}  // namespace assay::report
