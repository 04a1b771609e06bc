// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/trajectory_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/base/base64.hpp"
#include "assay/base/text.hpp"
#include "assay/qa/agent/prompt.hpp"
#include "assay/report/html.hpp"

namespace assay::report {
namespace {

/// The style of the page, in light and dark, on a large screen, a phone and paper.
constexpr std::string_view trajectory_style = R"css(
:root { color-scheme: light dark; --text: #1d1d22; --soft: #5d5d68; --page: #fbfbfc; --card: #fff;
  --line: #dcdce2; --accent: #b3005e; --good: #0b6b3a; --bad: #a3161b; --mark: #ffe58a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e9e9ee; --soft: #a5a5b2; --page: #141418; --card: #1d1d23; --line: #363640;
    --accent: #ff7ab8; --good: #63d297; --bad: #ff8f8f; --mark: #6b5600; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 60rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.35rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; }
.verdict { display: inline-block; margin: .5rem 0; padding: .1rem .6rem; border: 1px solid;
  border-radius: 1rem; font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0; }
ol.options { padding-left: 2rem; } ol.options li { padding: .05rem .3rem; }
ol.options b { font-weight: 600; }
figure { margin: .75rem 0; }
figcaption { color: var(--soft); font-size: .9rem; }
.slide { position: relative; line-height: 0; }
.slide img { width: 100%; height: auto; border-radius: .4rem; }
.slide svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.box { fill: none; stroke: #004dff; stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.halo { fill: none; stroke: #fff; stroke-width: 5; stroke-opacity: .8;
  vector-effect: non-scaling-stroke; }
.number { fill: #fff; stroke: #004dff; stroke-width: .25em; paint-order: stroke;
  stroke-linejoin: round; font-family: system-ui, sans-serif; font-weight: 700; }
.step { margin: 1rem 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem;
  background: var(--card); }
.step:target { border-color: var(--accent); }
.step h3 { margin: 0 0 .3rem; font-size: 1rem; }
.step img { max-width: 100%; height: auto; border-radius: .4rem; }
.absent { padding: 1rem; border: 1px dashed var(--line); color: var(--soft); }
mark { background: var(--mark); color: inherit; padding: 0 .1em; border-radius: .2em; }
a { color: var(--accent); }
details summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .15rem 1rem .15rem 0; text-align: left; font-weight: normal; }
th { color: var(--soft); }
@media print {
  :root { --text: #000; --soft: #444; --page: #fff; --card: #fff; --line: #bbb; --accent: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .step { break-inside: avoid; } .step img { max-height: 14cm; } details { display: none; }
}
)css";

std::string paragraph(std::string_view css, std::string_view text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", css, html_escaped(text));
}

std::string text_block(std::string_view text) {
  return text.empty() ? "" : fmt::format("<div class=\"text\">{}</div>\n", html_escaped(text));
}

std::string place_of(const slide::SlideRegion& r) {
  return fmt::format("x {}, y {}, {} × {} pixels", r.x, r.y, r.width, r.height);
}

std::string picture(const TrajectoryView& view, const qa::TrajectoryImage& image,
                    const std::string& alternative) {
  const auto jpeg = view.jpegs.find(image.sha256);
  if (jpeg == view.jpegs.end())
    return fmt::format("<p class=\"absent\">The image crops/{}.jpg is missing.</p>\n",
                       html_escaped(image.sha256));
  return fmt::format(
      "<img src=\"data:image/jpeg;base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\">\n",
      base64(jpeg->second), image.width, image.height, html_escaped(alternative));
}

const qa::TrajectoryImage* thumbnail_of(const qa::Trajectory& t) {
  for (const qa::TrajectoryTurn& turn : t.turns)
    for (const qa::TrajectoryImage& image : turn.images)
      if (image.kind == "thumbnail") return &image;
  return nullptr;
}

/// The region that a turn asked for; null if it asked for none, or for one that was refused.
const slide::SlideRegion* taken(const qa::TrajectoryTurn& turn) {
  return turn.crop && turn.problem.empty() ? &*turn.crop : nullptr;
}

/// A numbered rectangle in the slide's own pixels, a link to the call that asked for it.
std::string box(const std::string& link, unsigned step, const slide::SlideRegion& r,
                double letter) {
  const std::string shape =
      fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", r.x, r.y, r.width, r.height);
  const double x = static_cast<double>(r.x) + letter * 0.3;
  const double y = static_cast<double>(r.y) + letter * 1.1;
  return fmt::format(
      "<a href=\"#{5}\"><rect class=\"halo\" {1}/><rect class=\"box\" {1}/>"
      "<text class=\"number\" x=\"{2:.0f}\" y=\"{3:.0f}\" font-size=\"{4:.0f}\">{0}</text></a>\n",
      step, shape, x, y, letter, link);
}

/// The anchor of a call; several trajectories on one page have different prefixes.
std::string anchor(const TrajectoryView& view, std::size_t call) {
  return fmt::format("{}call-{}", view.anchors, call);
}

std::string overview(const TrajectoryView& view) {
  const qa::Trajectory& t = view.trajectory;
  const qa::TrajectoryImage* thumbnail = thumbnail_of(t);
  if (thumbnail == nullptr) return "";
  std::string boxes;
  const double letter = static_cast<double>(std::max(t.slide_width, t.slide_height)) / 28;
  for (std::size_t call = 0; call < t.turns.size(); ++call)
    if (const slide::SlideRegion* crop = taken(t.turns[call]))
      boxes += box(anchor(view, call), t.turns[call].step, *crop, letter);
  return "<h2>Where it looked</h2>\n<figure><div class=\"slide\">" +
         picture(view, *thumbnail, "The whole slide") +
         fmt::format(
             "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"group\" "
             "aria-label=\"Crops in their order\">\n{}</svg></div>\n",
             t.slide_width, t.slide_height, boxes) +
         fmt::format("<figcaption>{} · {} × {} pixels</figcaption></figure>\n",
                     html_escaped(t.slide), t.slide_width, t.slide_height);
}

const qa::Attempt* attempt_of(const TrajectoryView& view) {
  if (!view.result) return nullptr;
  const auto& votes = view.result->votes;
  const auto found = std::ranges::find(votes, view.trajectory.run, &qa::Attempt::run);
  return found == votes.end() ? nullptr : &*found;
}

struct Verdict {
  std::string css, text;
};

Verdict verdict_of(const TrajectoryView& view) {
  const qa::Attempt* attempt = attempt_of(view);
  const std::string outcome = view.trajectory.outcome;
  if (attempt == nullptr || !attempt->answer.label)
    return {outcome.empty() || outcome == "scored" ? "soft" : "bad", outcome};
  const bool right = *attempt->answer.label == view.result->truth_label;
  return {right ? "good" : "bad", fmt::format("{}: {}, truth {}", right ? "right" : "wrong",
                                              *attempt->answer.label, view.result->truth_label)};
}

std::string header(const TrajectoryView& view) {
  const qa::Trajectory& t = view.trajectory;
  const Verdict verdict = verdict_of(view);
  std::string out =
      fmt::format("<header><h1>{} · {}</h1>\n", html_escaped(t.benchmark), html_escaped(t.item_id));
  out += paragraph("soft", fmt::format("run {} · {}", t.run, t.slide));
  if (!verdict.text.empty())
    out += fmt::format("<span class=\"verdict {}\">{}</span>", verdict.css,
                       html_escaped(verdict.text));
  return out + "</header>\n";
}

std::string options_list(const TrajectoryView& view) {
  if (!view.result || view.result->options.empty()) return "";
  const qa::Attempt* attempt = attempt_of(view);
  std::string out = "<ol class=\"options\">\n";
  std::int64_t number = 0;
  for (const std::string& option : view.result->options) {
    ++number;
    std::vector<std::string> notes;
    if (number == view.result->truth_label) notes.emplace_back("truth");
    if (attempt != nullptr && attempt->answer.label == number) notes.emplace_back("answer");
    const std::string text = html_escaped(option);
    out += notes.empty() ? fmt::format("<li>{}</li>\n", text)
                         : fmt::format("<li><b>{}</b> <span class=\"{}\">← {}</span></li>\n", text,
                                       number == view.result->truth_label ? "good" : "bad",
                                       joined(notes, " and "));
  }
  return out + "</ol>\n";
}

/// The question as it was asked. If its text lists the options, our list with marks replaces them,
/// so that they are shown only once.
std::string question(const TrajectoryView& view) {
  const std::string_view text = view.trajectory.question;
  const std::string options = options_list(view);
  const std::string listed = options.empty() ? "" : qa::numbered_options(view.result->options);
  const std::size_t at = listed.empty() ? text.npos : text.find(listed);
  if (at == text.npos) return text_block(text) + options;
  return text_block(trimmed(text.substr(0, at))) + options +
         text_block(trimmed(text.substr(at + listed.size())));
}

std::string usage_line(const qa::TrajectoryTurn& turn) {
  std::vector<std::string> parts;
  if (const auto total = turn.usage.total()) parts.push_back(fmt::format("{} tokens", *total));
  if (turn.cost_usd) parts.push_back(fmt::format("${:.4f}", *turn.cost_usd));
  for (const std::string& known : {turn.model, turn.request_id})
    if (!known.empty()) parts.push_back(known);
  return paragraph("soft", joined(parts, " · "));
}

/// The title of a call. A step has several calls if the first replies could not be used.
std::string title_of(const qa::Trajectory& t, std::size_t call) {
  const bool again = call > 0 && t.turns[call - 1].step == t.turns[call].step;
  return fmt::format("Step {}{}", t.turns[call].step, again ? ", again" : "");
}

std::string call_card(const TrajectoryView& view, std::size_t call) {
  const qa::TrajectoryTurn& turn = view.trajectory.turns[call];
  const qa::TrajectoryImage* thumbnail = thumbnail_of(view.trajectory);
  std::string out = fmt::format("<article class=\"step\" id=\"{}\"><h3>{}</h3>\n",
                                anchor(view, call), title_of(view.trajectory, call));
  for (const qa::TrajectoryImage& image : turn.images) {
    if (&image == thumbnail) continue;  // it is at the top, with the boxes
    const std::string caption = image.kind + ": " + place_of(image.region);
    out += "<figure>" + picture(view, image, caption) + "<figcaption>" + html_escaped(caption) +
           "</figcaption></figure>\n";
  }
  out += text_block(turn.reply);
  if (turn.crop) out += paragraph("soft", "asks to see " + place_of(*turn.crop));
  out += paragraph("bad", turn.problem);
  out += usage_line(turn);
  if (!turn.prompt.empty())
    out +=
        "<details><summary>What it was asked</summary>" + text_block(turn.prompt) + "</details>\n";
  return out + "</article>\n";
}

/// The answer, with the part that was read as the label marked.
std::string marked(const qa::ExtractedAnswer& answer) {
  const auto [begin, end] = answer.span;
  if (begin >= end || end > answer.raw.size()) return html_escaped(answer.raw);
  const std::string_view raw = answer.raw;
  return html_escaped(raw.substr(0, begin)) + "<mark>" +
         html_escaped(raw.substr(begin, end - begin)) + "</mark>" + html_escaped(raw.substr(end));
}

std::string answer(const TrajectoryView& view) {
  const qa::Attempt* attempt = attempt_of(view);
  std::string out = "<h2>Answer</h2>\n";
  if (attempt == nullptr)
    out += text_block(view.trajectory.final_answer);
  else
    out += fmt::format("<div class=\"text\">{}</div>\n", marked(attempt->answer)) +
           paragraph("soft", attempt->answer.rule.empty() ? "" : "rule: " + attempt->answer.rule);
  return out + paragraph("bad", view.trajectory.error);
}

struct Class {
  std::string_view name;
  std::optional<std::int64_t> qa::Usage::*tokens;
};
constexpr std::array classes = {
    Class{"input", &qa::Usage::input},
    Class{"cache write", &qa::Usage::cache_write},
    Class{"cache read", &qa::Usage::cache_read},
    Class{"output", &qa::Usage::output},
    Class{"reasoning (part of output)", &qa::Usage::reasoning},
};

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
}

/// A sum is known only when every part is.
template <class Of>
auto sum_over(const std::vector<qa::TrajectoryTurn>& turns, Of of) {
  auto sum = of(turns.front());
  for (std::size_t i = 1; i < turns.size(); ++i) {
    const auto next = of(turns[i]);
    if (sum && next)
      *sum += *next;
    else
      sum.reset();
  }
  return sum;
}

std::string totals(const std::vector<qa::TrajectoryTurn>& turns) {
  if (turns.empty()) return "";
  std::string out = "<h2>What it took</h2>\n<table>\n" + row("calls", std::to_string(turns.size()));
  for (const Class& c : classes)
    if (const auto sum =
            sum_over(turns, [&](const qa::TrajectoryTurn& t) { return t.usage.*c.tokens; }))
      out += row(fmt::format("{} tokens", c.name), std::to_string(*sum));
  const auto cost = sum_over(turns, [](const qa::TrajectoryTurn& t) { return t.cost_usd; });
  return out + row("cost", cost ? fmt::format("${:.4f}", *cost) : "unknown") + "</table>\n";
}

/// Nothing on the page may run or open a connection, even if some text got past the escaping.
constexpr std::string_view trajectory_policy =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

}  // namespace

std::string trajectory_body(const TrajectoryView& view) {
  const qa::Trajectory& t = view.trajectory;
  std::string out = header(view);
  out += "<h2>Question</h2>\n" + question(view);
  out += overview(view);
  out += "<h2>Step by step</h2>\n";
  for (std::size_t call = 0; call < t.turns.size(); ++call) out += call_card(view, call);
  return out + answer(view) + totals(t.turns);
}

std::string trajectory_page(const TrajectoryView& view) {
  const qa::Trajectory& t = view.trajectory;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{} · {}</title>\n<style>{}</style>\n<body>\n",
      trajectory_policy, html_escaped(t.benchmark), html_escaped(t.item_id), trajectory_style);
  return out + trajectory_body(view) + "</body>\n</html>\n";
}

}  // namespace assay::report
