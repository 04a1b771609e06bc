// SPDX-License-Identifier: Apache-2.0
/// The JSON that prompts ask for: {"answer": 3}, {"isup_grade": 2}; anywhere in an answer, with
/// doubled braces, in any letter case, inside other objects, with texts for numbers.
#include <algorithm>
#include <cmath>

#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/base/unicode.hpp"
#include "assay/qa/answers/answer_phrases.hpp"
#include "assay/qa/answers/question.hpp"
#include "assay/qa/values/json_value.hpp"

namespace assay::qa {
namespace {

/// Letters and digits of a key in lower case: "ISUP Grade" is "isupgrade".
std::string key_letters(std::string_view key) {
  std::string out;
  for (const char c : ascii_lowered(key))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  return out;
}

Candidate from_number(const JsonNumber& number, const Question& question,
                      std::pair<std::size_t, std::size_t> span) {
  constexpr double limit = 1e15;  // below it every whole number is exact
  const double value = json_number(number.text);
  if (!std::isfinite(value) || value != std::floor(value)) return {.label = {}, .span = span};
  if (std::fabs(value) > limit) return {.label = {}, .span = span, .out_of_range = true};
  const auto label = static_cast<std::int64_t>(value);
  if (question.range.contains(label)) return {label, span};
  return {.label = {}, .span = span, .out_of_range = true};
}

Candidate from_text(const std::string& text, const Question& question,
                    std::pair<std::size_t, std::size_t> span) {
  const ExtractedAnswer read = plain_answer(AnswerText(text), question);
  return {read.label, span, read.rule == "out_of_range"};
}

/// Members of an object that is the value of the key: {"answer": {"number": 3}}.
bool names_value(std::string_view key) {
  static constexpr std::string_view names[] = {"number", "option", "value", "label",
                                               "letter", "choice", "name",  "text"};
  return std::ranges::find(names, key_letters(key)) != std::end(names);
}

void add_value(const JsonValue& value, const Question& question, Candidates& out) {
  if (const auto* list = value.elements()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      if (!value.is_object || names_value(value.keys[i])) add_value((*list)[i], question, out);
  } else if (value.is_null()) {
    // No cancer means no grade; for other questions, null is not an answer.
    out.push_back({question.panda ? std::optional<std::int64_t>(0) : std::nullopt, value.span});
  } else if (const auto* number = std::get_if<JsonNumber>(&value.content)) {
    out.push_back(from_number(*number, question, value.span));
  } else if (const auto* text = std::get_if<std::string>(&value.content)) {
    out.push_back(from_text(*text, question, value.span));
  } else {
    out.push_back({.label = {}, .span = value.span});  // true is not a number
  }
}

/// Values under the key, of the outermost level that has it.
Candidates values_of(const JsonValue& root, std::string_view key, const Question& question) {
  std::vector<const JsonValue*> level = {&root};
  while (!level.empty()) {
    Candidates found;
    std::vector<const JsonValue*> next;
    for (const JsonValue* value : level) {
      const auto* elements = value->elements();
      if (elements == nullptr) continue;
      for (std::size_t i = 0; i < elements->size(); ++i) {
        if (value->is_object && key_letters(value->keys[i]) == key)
          add_value((*elements)[i], question, found);
        next.push_back(&(*elements)[i]);
      }
    }
    if (!found.empty()) return found;
    level = std::move(next);
  }
  return {};
}

/// Where a quoted key and a colon are followed by a value in text that is not valid JSON: single
/// quotes, a comma too many, doubled braces around a nested object.
Candidates loose_values(std::string_view text, std::string_view key, const Question& question) {
  constexpr std::size_t longest = 200;  // of a value that is worth reading
  Candidates out;
  for (std::size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t quote = text.find_last_not_of(" \t\r\n", colon == 0 ? 0 : colon - 1);
    if (quote == std::string::npos || (text[quote] != '"' && text[quote] != '\'')) continue;
    const std::size_t open = quote == 0 ? std::string::npos : text.rfind(text[quote], quote - 1);
    if (open == std::string::npos || quote - open > 40 ||
        key_letters(text.substr(open, quote - open)) != key)
      continue;
    const std::string_view rest = text.substr(colon + 1, longest);
    const std::string_view line = rest.substr(0, rest.find_first_of(",}{:\n"));
    const std::string_view value =
        stripped(line.substr(0, std::min(line.find("//"), line.find("/*"))));
    if (value.empty()) continue;
    const auto begin = static_cast<std::size_t>(value.data() - text.data());
    const std::pair<std::size_t, std::size_t> span = {begin, begin + value.size()};
    if (value == "null" || value == "None")
      add_value(JsonValue{.span = span}, question, out);
    else
      out.push_back(from_text(std::string(value), question, span));
  }
  return out;
}

/// Whether words before the object, or a member of it, say that it is the last word.
bool is_marked_final(std::string_view before, const JsonValue& object) {
  constexpr std::size_t longest = 400;
  for (std::size_t i = 0; i < object.keys.size(); ++i)
    if (key_letters(object.keys[i]).starts_with("final")) return true;
  const AnswerText text(before.substr(before.size() - std::min(before.size(), longest)));
  for (std::size_t i = 0; i < text.size(); ++i)
    if (phrase_at(text, i, phrases::finals()) > 0) return true;
  return false;
}

/// What the objects say under the key. If they disagree, the last counts if it is marked as final.
Candidates said_under(std::string_view text, std::string_view key,
                      const std::vector<JsonValue>& objects, const Question& question) {
  Candidates all, last;
  std::size_t end = 0;  // of the object before
  for (const JsonValue& object : objects) {
    Candidates found = values_of(object, key, question);
    all.insert(all.end(), found.begin(), found.end());
    if (!found.empty()) {
      const bool final_word = is_marked_final(text.substr(end, object.span.first - end), object);
      last = final_word ? std::move(found) : Candidates();
    }
    end = object.span.second;
  }
  const auto answer = decided(all, "json");
  return answer && answer->rule == "contradiction" && !last.empty() ? last : all;
}

/// The keys of an answer, those that prompts ask for first.
std::span<const std::string_view> answer_keys(const Question& question) {
  static constexpr std::string_view for_panda[] = {"isupgrade", "finalanswer", "answer"};
  static constexpr std::string_view for_options[] = {"finalanswer", "answer"};
  return question.panda ? std::span<const std::string_view>(for_panda) : for_options;
}

/// Keys that models choose of their own accord; read only if they hold an answer.
constexpr std::string_view other_keys[] = {
    "answernumber", "correctanswer", "correctoption", "selectedoption", "optionnumber",   "option",
    "choice",       "label",         "prediction",    "diagnosis",      "finaldiagnosis", "antwort",
    "rponse",       "respuesta",     "risposta",      "resposta"};

}  // namespace

std::optional<ExtractedAnswer> json_answer(std::string_view text, const Question& question) {
  const std::vector<JsonValue> objects = json_objects_in(text);
  for (const std::string_view key : answer_keys(question)) {
    Candidates found = said_under(text, key, objects, question);
    if (found.empty()) found = loose_values(text, key, question);
    if (auto answer = decided(found, "json")) return answer;
  }
  if (question.panda) return std::nullopt;
  for (const std::string_view key : other_keys) {
    auto answer = decided(said_under(text, key, objects, question), "json");
    if (answer && answer->label) return answer;
  }
  return std::nullopt;
}

}  // namespace assay::qa
