// SPDX-License-Identifier: Apache-2.0
#include "assay/score/pairing.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "assay/base/ascii.hpp"
#include "assay/base/bids.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"

namespace assay::score {
namespace {

using Files = std::vector<NamedFile>;
using Indices = std::vector<std::size_t>;
/// For each reference, the predictions that may belong to it.
using Candidates = std::vector<Indices>;

/// The candidates that have the reference's key; an empty key matches nothing.
template <class Key>
Candidates with_equal_keys(const Files& predictions, const Files& references, Key prediction_key,
                           Key reference_key) {
  std::map<std::string, Indices> by_key;
  for (std::size_t p = 0; p < predictions.size(); ++p) {
    const std::string key = prediction_key(predictions[p]);
    if (!key.empty()) by_key[key].push_back(p);
  }
  Candidates out;
  for (const NamedFile& reference : references) {
    const auto found = by_key.find(reference_key(reference));
    out.push_back(found == by_key.end() ? Indices{} : found->second);
  }
  return out;
}

using KeyOf = std::function<std::string(const NamedFile&)>;

Candidates same_stem(const Files& predictions, const Files& references) {
  const KeyOf stem = [](const NamedFile& f) { return f.stem; };
  return with_equal_keys(predictions, references, stem, stem);
}

// ---- BIDS -----------------------------------------------------------------------------------

/// Entities that say what an image shows must agree where both names have them.
bool same_scan(const Entities& a, const Entities& b) {
  constexpr std::array<const char*, 4> decisive = {"ses", "run", "space", "label"};
  if (!a.contains("sub") || !b.contains("sub") || a.at("sub") != b.at("sub")) return false;
  return std::ranges::all_of(decisive, [&](const char* key) {
    return !a.contains(key) || !b.contains(key) || a.at(key) == b.at(key);
  });
}

/// Of several that fit, prefers the one that shares more entities with the reference. `desc` may
/// differ, as it does between a prediction and a reference.
Indices preferred(Indices candidates, const Entities& wanted, const std::vector<Entities>& of) {
  for (const char* key : {"ses", "run", "space", "label", "desc"}) {
    Indices agreeing;
    for (const std::size_t c : candidates)
      if (of[c].contains(key) && wanted.contains(key) && of[c].at(key) == wanted.at(key))
        agreeing.push_back(c);
    if (!agreeing.empty()) candidates = agreeing;
  }
  return candidates;
}

Candidates same_entities(const Files& predictions, const Files& references) {
  std::vector<Entities> of_predictions;
  std::map<std::string, Indices> by_subject;
  for (std::size_t p = 0; p < predictions.size(); ++p) {
    of_predictions.push_back(entities(predictions[p].stem));
    if (of_predictions[p].contains("sub")) by_subject[of_predictions[p].at("sub")].push_back(p);
  }
  Candidates out;
  for (const NamedFile& reference : references) {
    const Entities wanted = entities(reference.stem);
    Indices candidates;
    if (wanted.contains("sub") && by_subject.contains(wanted.at("sub")))
      for (const std::size_t p : by_subject.at(wanted.at("sub")))
        if (same_scan(of_predictions[p], wanted)) candidates.push_back(p);
    out.push_back(preferred(candidates, wanted, of_predictions));
  }
  return out;
}

// ---- Common parts ---------------------------------------------------------------------------

enum class Letters { digit, letter, other };

Letters letters(char c) {
  if (is_ascii_digit(c)) return Letters::digit;
  return is_ascii_letter(c) ? Letters::letter : Letters::other;
}

/// Whether `text` may be cut before position `at`. Numbers and words are not split, or 10 and 19
/// would lose their common 1.
bool may_cut(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return true;
  const Letters before = letters(text[at - 1]);
  return before == Letters::other || before != letters(text[at]);
}

std::size_t common_prefix(const Files& files) {
  std::size_t length = files.front().stem.size();
  for (const NamedFile& f : files) {
    const auto differ = std::ranges::mismatch(f.stem, files.front().stem).in1;
    length = std::min(length, static_cast<std::size_t>(differ - f.stem.begin()));
  }
  while (!std::ranges::all_of(files, [&](const auto& f) { return may_cut(f.stem, length); }))
    --length;
  return length;
}

/// The longest common ending that leaves something of every name after its first `prefix` bytes.
std::size_t common_suffix(const Files& files, std::size_t prefix) {
  std::size_t length = 0;
  const std::string& first = files.front().stem;
  const auto ends_alike = [&](std::size_t n) {
    return std::ranges::all_of(files, [&](const NamedFile& f) {
      return f.stem.size() > prefix + n &&
             f.stem.ends_with(std::string_view(first).substr(first.size() - n));
    });
  };
  while (length < first.size() && ends_alike(length + 1)) ++length;
  while (!std::ranges::all_of(
      files, [&](const auto& f) { return may_cut(f.stem, f.stem.size() - length); }))
    --length;
  return length;
}

KeyOf distinct_part(const Files& files) {
  if (files.size() < 2) return [](const NamedFile&) { return std::string(); };
  const std::size_t prefix = common_prefix(files), suffix = common_suffix(files, prefix);
  return [prefix, suffix](const NamedFile& f) {
    return f.stem.substr(prefix, f.stem.size() - prefix - suffix);
  };
}

Candidates same_distinct_part(const Files& predictions, const Files& references) {
  return with_equal_keys(predictions, references, distinct_part(predictions),
                         distinct_part(references));
}

// ---- One name within the other --------------------------------------------------------------

bool extends(std::string_view longer, std::string_view shorter) {
  if (shorter.empty() || longer.size() <= shorter.size()) return false;
  const std::size_t tail = longer.size() - shorter.size();
  return (longer.starts_with(shorter) && may_cut(longer, shorter.size())) ||
         (longer.ends_with(shorter) && may_cut(longer, tail));
}

Candidates one_extends_the_other(const Files& predictions, const Files& references) {
  Candidates out;
  for (const NamedFile& reference : references) {
    Indices candidates;
    for (std::size_t p = 0; p < predictions.size(); ++p)
      if (extends(predictions[p].stem, reference.stem) ||
          extends(reference.stem, predictions[p].stem))
        candidates.push_back(p);
    out.push_back(candidates);
  }
  return out;
}

// ---------------------------------------------------------------------------------------------

/// Files whose names state BIDS entities are not matched by resemblance.
bool state_their_entities(const Files& files) {
  return std::ranges::all_of(files,
                             [](const NamedFile& f) { return entities(f.stem).contains("sub"); });
}

struct NamedRule {
  const char* description;
  Candidates (*candidates)(const Files&, const Files&);
  bool by_resemblance = false;
};

constexpr NamedRule pairing_rules[] = {
    {"by the same name", same_stem},
    {"by BIDS entities", same_entities},
    {"by the distinct part of their names", same_distinct_part, true},
    {"by one name starting or ending with the other", one_extends_the_other, true},
};

/// A pattern that would select `file` alone for the case `id`.
std::string proposed_pattern(const NamedFile& file, const std::string& id) {
  const std::size_t at = file.path.find(id);
  if (id.empty() || at == std::string::npos) return "{id}" + file.path.substr(file.stem.size());
  return std::string(file.path).replace(at, id.size(), "{id}");
}

/// The advice on how to tell a prediction from others.
std::string choice(const NamedFile& prediction, const NamedFile& reference,
                   const PairingWords& words) {
  return words.takes_pattern
             ? "choose with --pred-pattern '" + proposed_pattern(prediction, reference.stem) + "'"
             : "give every reference the name of its image, or say how they differ with "
               "--ref-pattern, such as '{id}_seg.nii.gz'";
}

void refuse_ambiguity(const Files& predictions, const Files& references,
                      const Candidates& candidates, const PairingWords& words) {
  const std::string prediction(words.prediction);
  std::map<std::size_t, std::size_t> taken;  // prediction -> reference
  for (std::size_t r = 0; r < references.size(); ++r) {
    const NamedFile& reference = references[r];
    if (candidates[r].size() > 1) {
      const NamedFile &one = predictions[candidates[r][0]], &other = predictions[candidates[r][1]];
      throw Error(Error::Kind::input, "case " + reference.stem + ": several " + prediction +
                                          "s fit, such as " + one.path + " and " + other.path +
                                          "; " + choice(one, reference, words));
    }
    if (candidates[r].empty()) continue;
    const auto [before, fresh] = taken.try_emplace(candidates[r].front(), r);
    if (!fresh)
      throw Error(Error::Kind::input,
                  prediction + " " + predictions[candidates[r].front()].path +
                      " fits several references, such as " + references[before->second].path +
                      " and " + reference.path +
                      "; choose with --ref-pattern, such as '{id}_mask.nii.gz'");
  }
}

void refuse_duplicates(const Files& files, std::string_view side, std::string_view remedy) {
  std::map<std::pair<std::string, std::string>, std::string> seen;
  for (const NamedFile& f : files) {
    const auto [before, fresh] = seen.try_emplace({f.stem, f.label}, f.path);
    if (!fresh)
      throw Error(Error::Kind::input, "case " + f.stem + " has two " + std::string(side) + ", " +
                                          before->second + " and " + f.path + "; " +
                                          std::string(remedy));
  }
}

Pairing pairing_of(const Files& predictions, const Files& references,
                   const Candidates& candidates) {
  Pairing out;
  std::set<std::size_t> used;
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (candidates[r].empty()) {
      out.without_prediction.push_back(references[r]);
      continue;
    }
    const std::size_t p = candidates[r].front();
    used.insert(p);
    out.pairs.push_back({references[r].stem, predictions[p], references[r]});
  }
  for (std::size_t p = 0; p < predictions.size(); ++p)
    if (!used.contains(p)) out.without_reference.push_back(predictions[p]);
  return out;
}

/// A pattern as a regular expression, and the meaning of its groups.
struct Pattern {
  std::regex expression;
  std::size_t id = 0, label = 0;  ///< group numbers; 0: absent
};

Pattern compiled(std::string_view pattern) {
  Pattern out;
  std::string text;
  std::size_t groups = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("{id}") && out.id == 0) {
      out.id = ++groups;
      text += "(.+?)";
      i += 3;
    } else if (rest.starts_with("{label}") && out.label == 0) {
      out.label = ++groups;
      text += "([^/]+?)";
      i += 6;
    } else if (pattern[i] == '*') {
      text += "[^/]*";
    } else {
      if (std::string_view("\\^$.|?+()[]{}").find(pattern[i]) != std::string_view::npos)
        text += '\\';
      text += pattern[i];
    }
  }
  if (out.id == 0)
    throw Error(Error::Kind::usage, "the pattern '" + std::string(pattern) +
                                        "' has no {id}; write, for example, '{id}_mask.nii.gz'");
  out.expression = std::regex(text);
  return out;
}

}  // namespace

std::vector<NamedFile> named_files(const std::vector<std::string>& paths) {
  Files out;
  for (const std::string& path : paths)
    out.push_back({path, std::string(without_image_ending(path)), ""});
  return out;
}

std::vector<NamedFile> matching_files(const std::vector<std::string>& paths,
                                      std::string_view pattern) {
  const Pattern wanted = compiled(pattern);
  Files out;
  for (const std::string& path : paths) {
    std::smatch match;
    if (!std::regex_match(path, match, wanted.expression)) continue;
    out.push_back({path, match[wanted.id].str(),
                   wanted.label != 0 ? match[wanted.label].str() : std::string()});
  }
  if (out.empty() && !paths.empty())
    throw Error(Error::Kind::usage, "the pattern '" + std::string(pattern) +
                                        "' matches no file; there is, for example, " +
                                        paths.front());
  return out;
}

Pairing paired(const std::vector<NamedFile>& predictions, const std::vector<NamedFile>& references,
               const PairingWords& words) {
  constexpr std::string_view remedy = "remove one, or choose with a pattern";
  if (words.takes_pattern)
    refuse_duplicates(predictions, "prediction files", remedy);
  else
    refuse_duplicates(predictions, std::string(words.prediction) + "s",
                      "images of different cases need different names");
  refuse_duplicates(references, "reference files", remedy);
  const bool stated = state_their_entities(predictions) && state_their_entities(references);
  for (const NamedRule& rule : pairing_rules) {
    if (rule.by_resemblance && stated) break;
    const Candidates candidates = rule.candidates(predictions, references);
    if (std::ranges::all_of(candidates, [](const Indices& c) { return c.empty(); })) continue;
    refuse_ambiguity(predictions, references, candidates, words);
    Pairing out = pairing_of(predictions, references, candidates);
    out.rule = rule.description;
    return out;
  }
  return pairing_of(predictions, references, Candidates(references.size()));
}

void name_by_entities(Pairing& pairing) {
  std::vector<std::string> stems;
  for (const Pair& pair : pairing.pairs) stems.push_back(pair.id);
  for (const NamedFile& file : pairing.without_prediction) stems.push_back(file.stem);
  const auto keys = telling_entities(stems);
  if (!keys) return;
  std::set<std::string> ids;
  const auto named = [&](const std::string& stem) {
    std::string id = entity_id(entities(stem), *keys);
    return !id.empty() && ids.insert(id).second ? id : stem;
  };
  for (Pair& pair : pairing.pairs) pair.id = named(pair.id);
  for (NamedFile& file : pairing.without_prediction) file.stem = named(file.stem);
  for (NamedFile& file : pairing.without_reference) file.stem = named(file.stem);
}

}  // namespace assay::score
