// SPDX-License-Identifier: Apache-2.0
#include "assay/model/backends/command_answers.hpp"

#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::model {
namespace {

constexpr std::size_t shown_of_answer = 120;

/// The text of a key; "" when it is absent. Throws Error::input when it is not text.
std::string field_text(const Json& answer, const std::string& key) {
  const auto found = answer.find(key);
  if (found == answer.end() || found->is_null()) return "";
  if (!found->is_string())
    throw Error(Error::Kind::input, "\"" + key + "\" in its handshake is not text");
  return found->get<std::string>();
}

std::size_t classes_of(const Json& answer) {
  const auto found = answer.find("classes");
  if (found == answer.end() || found->is_null()) return most_command_classes;
  const bool is_count = found->is_number_integer() && *found >= 1 && *found <= most_command_classes;
  if (!is_count) throw Error(Error::Kind::input, "\"classes\" in its handshake must be 1 to 256");
  return found->get<std::size_t>();
}

Greeting greeting_of(const Json& answer) {
  if (!answer.contains("protocol") || answer.at("protocol") != command_protocol)
    throw Error(Error::Kind::input,
                "its handshake must have \"protocol\": 1, the only protocol that assay supports");
  Greeting out = {.name = field_text(answer, "name"), .version = field_text(answer, "version")};
  if (out.name.empty()) throw Error(Error::Kind::input, "its handshake must have a \"name\"");
  out.classes = classes_of(answer);
  return out;
}

Json object_in_answer(const std::string& line) {
  require_shallow(line, "its answer");
  Json answer;
  try {
    answer = parse_json(line, "its answer");
  } catch (const Error&) {
    answer = nullptr;
  }
  if (!answer.is_object())
    throw Error(Error::Kind::input, "it answered with a line that is not a JSON object: " +
                                        line.substr(0, shown_of_answer) +
                                        " (everything except answers must go to standard error)");
  return answer;
}

/// What the program says went wrong with a case; "" when nothing did.
std::string reported_error(const Json& answer) {
  const auto error = answer.find("error");
  if (error == answer.end() || error->is_null()) return "";
  const std::string text =
      one_line(error->is_string() ? error->get<std::string>() : to_text(*error, {.indent = 0}));
  return text.empty() ? "an error without a message" : text;
}

/// Throws unless the answer belongs to the case and says how it went. Another id means that answers
/// and questions are out of step.
void require_answer(const Json& answer, std::size_t id) {
  if (const auto found = answer.find("id"); found != answer.end() && *found != id)
    throw Error(Error::Kind::input, "it answered for the id " + to_text(*found, {.indent = 0}) +
                                        " when asked for " + std::to_string(id));
  if (reported_error(answer).empty() && answer.value("ok", Json(false)) != true)
    throw Error(Error::Kind::input, "it answered neither {\"ok\": true} nor {\"error\": \"...\"}");
}

}  // namespace

std::string one_line(const std::string& text) {
  return std::string(trimmed_end(text, " \n"));
}

Greeting parse_greeting(const std::string& line) {
  return greeting_of(object_in_answer(line));
}

std::string parse_case_answer(const std::string& line, std::size_t id) {
  const Json answer = object_in_answer(line);
  require_answer(answer, id);
  return reported_error(answer);
}

}  // namespace assay::model
