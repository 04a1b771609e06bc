// SPDX-License-Identifier: Apache-2.0
#include "assay/report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/base64.hpp"
#include "assay/base/gzip.hpp"
#include "assay/base/sha256.hpp"
#include "assay/base/text.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page/page_parts.hpp"
#include "report_script.hpp"
#include "report_style.hpp"

namespace assay::report {
namespace {

/// How a content security policy identifies the script: by its SHA-256 in base64.
std::string script_name(std::string_view script) {
  const std::string hex = sha256(script);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return "sha256-" + base64(bytes);
}

/// Only our own scripts may run, and nothing may open a connection, even if some text got past the
/// escaping. NiiVue reads its fonts from texts within itself, which counts as a connection.
std::string policy(bool with_niivue) {
  std::string scripts = "'" + script_name(report_script) + "'", more;
  if (with_niivue) {
    scripts += " '" + script_name(niivue_script()) + "' 'wasm-unsafe-eval'";
    more = " connect-src data: blob:; worker-src blob:;";
  }
  return "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src " +
         scripts + ";" + more + " base-uri 'none'; form-action 'none'";
}

std::string head(const PageContent& content) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"assay {}\">\n"
      "<title>{}</title>\n<style>{}</style>\n<noscript><style>.panel.away {{ display: block; }}"
      "</style></noscript>\n</head>\n<body>\n",
      policy(content.with_niivue), html_escaped(content.version), html_escaped(content.study.title),
      report_style);
}

struct Section {
  std::string_view id, title;
};
constexpr Section sections[] = {
    {"summary", "Summary"},   {"since", "Changes"},        {"figures", "Figures"},
    {"cases", "Cases"},       {"viewer", "Viewer"},        {"questions", "Questions"},
    {"findings", "Findings"}, {"words", "For your paper"}, {"sources", "Provenance"}};

/// Links to the sections that are there.
std::string navigation(const PageContent& content, const std::string& body) {
  std::string links;
  for (const Section& section : sections)
    if (body.find(fmt::format("<section id=\"{}\"", section.id)) != std::string::npos)
      links += fmt::format("<a href=\"#{}\">{}</a>", section.id, section.title);
  return fmt::format(
      "<a class=\"skip\" href=\"#summary\">Skip to the results</a>\n<header class=\"top\"><h1 "
      "title=\"{0}\">{0}"
      "</h1><nav aria-label=\"Sections\">{1}</nav></header>\n",
      html_escaped(content.study.title), links);
}

constexpr std::string_view cases_section =
    "<section id=\"cases\">\n<h2>Cases</h2>\n<div id=\"case-table\"></div>\n"
    "<noscript><p>The table of cases needs JavaScript, which this browser does not run. The "
    "figures, tables and still images on this page work without it.</p></noscript>\n";

std::string viewer_section(const PageContent& content, std::span<const CaseVolume* const> volumes) {
  if (content.study.models.empty()) return "";
  std::string out = "<section id=\"viewer\">\n<h2>Viewer</h2>\n<div id=\"case-view\"></div>\n";
  if (!volumes.empty())
    out += "<div class=\"stills\"><p class=\"soft\">" +
           agreement_legend(std::ranges::any_of(
               volumes, [](const CaseVolume* volume) { return volume->labels.size() > 1; })) +
           " The left of a picture is the patient's left.</p>\n";
  for (const CaseVolume* volume : volumes) out += volume_stills(*volume, content.study);
  return out + (volumes.empty() ? "" : "</div>\n") + "</section>\n";
}

std::string json_element(std::string_view id, std::string_view json) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, json);
}

/// Values as a script element that does not run; compressed if plain text would be too large.
std::string data_element(const std::string& json) {
  constexpr std::size_t packed_above = 400'000;
  return json.size() < packed_above ? json_element("data", json) : packed_block("data", json);
}

/// Admits parts to the page as long as there is room.
class Room {
 public:
  Room(std::size_t budget, std::size_t used) : left_(budget > used ? budget - used : 0) {}

  bool takes(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

 private:
  std::size_t left_;
};

struct PageKind {
  std::string_view what, of;
};

std::string left_out(const std::vector<std::string>& names, const PageKind& kind,
                     std::size_t budget) {
  constexpr std::size_t most_left_out = 12;
  const std::span first(names.data(), std::min(names.size(), most_left_out));
  return fmt::format(
      "{} of {} left out to keep this page within {:.0f} MB: {}{}", kind.what,
      counted(names.size(), kind.of), static_cast<double>(budget) / 1e6, joined(first),
      names.size() > most_left_out ? fmt::format(" and {} more", names.size() - most_left_out)
                                   : "");
}

/// The views, volumes and answers that fit into the budget.
struct Chosen {
  std::vector<const StudyView*> views{};
  std::vector<const CaseVolume*> volumes{};
  std::string blocks{}, answers{}, gallery{};
  std::vector<std::string> dropped{};
};

Chosen chosen_for(const PageContent& content, std::size_t used) {
  Chosen out;
  Room room(content.budget_bytes, used);
  std::vector<std::string> views, volumes, answers;
  std::vector<const ShownAnswer*> shown;
  for (const StudyView& view : content.views) {
    std::string block = packed_block(fmt::format("view-{}", out.views.size() + 1), view_data(view));
    if (room.takes(block.size())) {
      out.views.push_back(&view);
      out.blocks += block;
    } else {
      views.push_back(view.name);
    }
  }
  const auto take_volumes = [&](bool is_spare) {
    for (const CaseVolume& volume : content.volumes) {
      if (volume.is_spare != is_spare) continue;
      std::string blocks = volume_blocks(volume, out.volumes.size());
      if (room.takes(blocks.size() + volume_stills(volume, content.study).size())) {
        out.volumes.push_back(&volume);
        out.blocks += blocks;
      } else if (!is_spare) {
        volumes.push_back(content.study.ids[volume.place]);
      }
    }
  };
  take_volumes(false);
  for (const ShownAnswer& answer : content.answers) {
    std::string html = qa_answer(answer);
    if (room.takes(html.size())) {
      out.answers += html;
      shown.push_back(&answer);
    } else {
      answers.push_back(answer.view.trajectory.item_id);
    }
  }
  if (std::string gallery = qa_gallery(shown); room.takes(gallery.size()))
    out.gallery = std::move(gallery);
  take_volumes(true);
  if (!views.empty())
    out.dropped.push_back(left_out(views, {"the choice", "label"}, content.budget_bytes));
  if (!volumes.empty())
    out.dropped.push_back(left_out(volumes, {"the images", "case"}, content.budget_bytes));
  if (!answers.empty())
    out.dropped.push_back(left_out(answers, {"the steps", "question"}, content.budget_bytes));
  return out;
}

}  // namespace

PageText report_page(const PageContent& content) {
  const Study& study = content.study;
  const std::string figures = figures_section(content);
  const std::string picture = worst_case_figure(content);
  const std::string since = since_section(content);
  const std::string qa = qa_section(content);
  const std::string rest =
      findings_section(content) + words_section(content) + sources_section(content);
  const std::string values = data_element(page_data(study));
  const std::string niivue =
      content.with_niivue ? "<script>" + std::string(niivue_script()) + "</script>\n" : "";
  const std::size_t frame = report_script.size() + report_style.size() + niivue.size() + 40'000;
  Chosen chosen = chosen_for(content, frame + figures.size() + picture.size() + since.size() +
                                          qa.size() + rest.size() + values.size());
  if (std::string lost = left_out_metrics(study); !lost.empty())
    chosen.dropped.push_back(std::move(lost));
  std::vector<std::string> notes = content.notes;
  notes.insert(notes.end(), chosen.dropped.begin(), chosen.dropped.end());

  std::string body = "<main>\n" +
                     first_screen(study, chosen.volumes.empty() ? "" : picture, notes) + since +
                     figures;
  if (!study.models.empty())
    body += std::string(cases_section) + printed_cases(study) + "</section>\n";
  body += viewer_section(content, chosen.volumes);
  if (!study.qa.empty())
    body += "<section id=\"questions\">\n<h2>Questions</h2>\n" + qa +
            (chosen.answers.empty() ? ""
                                    : "<details class=\"answers\"><summary>How the answers came "
                                      "about, step by step</summary>\n" +
                                          chosen.gallery + chosen.answers + "</details>\n") +
            "</section>\n";
  body += rest + "</main>\n";
  return {head(content) + navigation(content, body) + body + values +
              json_element("views", views_index(study, chosen.views)) +
              json_element("volumes", volumes_data(study, chosen.volumes)) + chosen.blocks +
              niivue + "<script>" + std::string(report_script) + "</script>\n</body>\n</html>\n",
          std::move(chosen.dropped)};
}

}  // namespace assay::report
