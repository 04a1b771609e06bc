// SPDX-License-Identifier: Apache-2.0
#include "cli/parsed_line.hpp"

#include <algorithm>

#include "cli/warnings.hpp"

namespace assay::cli {
namespace {

std::optional<int> parse(Parser& parser, const std::vector<std::string>& words, std::ostream& out,
                         std::ostream& err) {
  std::vector<const char*> texts;
  texts.reserve(words.size());
  for (const std::string& word : words) texts.push_back(word.c_str());
  return parser.parse(texts, out, err);
}

/// "assay.toml sets --metrics=paper", for the files that `is_told` selects.
void tell_entries(const std::vector<ConfigEntry>& entries, bool (*is_told)(ConfigOrigin),
                  std::ostream& err) {
  for (auto entry = entries.begin(); entry != entries.end();) {
    const std::string& file = entry->file;
    std::string sentence = file + " sets";
    const bool told = is_told(entry->origin);
    for (; entry != entries.end() && entry->file == file; ++entry)
      for (const std::string& word : entry->words) sentence += " " + word;
    if (told) tell("note", {sentence}, err);
  }
}

}  // namespace

ParsedLine parse_line(std::vector<std::string> words, const ConfigPlaces* places, std::ostream& out,
                      std::ostream& err) {
  ParsedLine line = {std::make_unique<Parser>(), std::move(words)};
  line.status = parse(*line.parser, line.words, out, err);
  if (line.status || places == nullptr || line.parser->common().no_config) return line;
  const Parser& typed = *line.parser;
  std::vector<ConfigEntry> added =
      untyped_entries(config_entries(read_config_files(*places), typed.program(), places->work),
                      typed.command(typed.chosen_name()), typed.chosen_name());
  std::erase_if(added, [](const ConfigEntry& entry) { return entry.words.empty(); });
  if (added.empty()) return line;
  std::vector<std::string> extra;
  for (const ConfigEntry& entry : added)
    extra.insert(extra.end(), entry.words.begin(), entry.words.end());
  line.words.insert(std::ranges::find(line.words, "--"), extra.begin(), extra.end());
  line.parser = std::make_unique<Parser>();
  line.status = parse(*line.parser, line.words, out, err);
  const bool is_refused = line.status.has_value();
  if (is_refused || !line.parser->common().quiet)
    tell_entries(
        added,
        is_refused ? [](ConfigOrigin) { return true; }
                   : [](ConfigOrigin origin) { return origin == ConfigOrigin::project; },
        err);
  return line;
}

}  // namespace assay::cli
