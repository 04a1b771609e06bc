// SPDX-License-Identifier: Apache-2.0
/// A program of the user's: a line of JSON per item, a line of JSON back.
#include <cmath>

#include "assay/base/child_process.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_reader.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/provider/model_reply.hpp"
#include "assay/qa/results/usage_json.hpp"
#include "assay/qa/run/qa_agents.hpp"

namespace assay::qa {
namespace {

std::string request_line(const QaQuestion& question) {
  const Item& item = question.item;
  return to_text(Json{{"schema", "assay.qa-agent/1"},
                      {"benchmark_name", item.benchmark},
                      {"item_id", item.id},
                      {"run", question.run},
                      {"prompt", item.prompt},
                      {"options", item.options},
                      {"slide", question.slide.string()}},
                 {.indent = 0});
}

ModelFailure failure(const std::string& message) {
  return {.kind = ModelFailure::Kind::transient, .message = shown(message), .charged = true};
}

ModelReply reply_of(const Json& json) {
  ModelReply reply{.text = json.at("prediction").get<std::string>()};
  if (const auto usage = json.find("usage"); usage != json.end() && usage->is_object())
    for (const UsageField& field : usage_fields)
      reply.usage.*field.value = count_of(member(*usage, field.key));
  if (const auto cost = json.find("cost_usd"); cost != json.end() && cost->is_number())
    if (const double usd = cost->get<double>(); usd >= 0 && std::isfinite(usd))
      reply.reported.charged = usd;
  reply.model = json.value("model", "");
  reply.provider = json.value("provider", "");
  reply.request_id = json.value("request_id", "");
  return reply;
}

/// Its last lines, as many as messages show: the last one says what went wrong.
std::string_view last_lines(std::string_view text) {
  constexpr std::size_t most = 200;
  text = trimmed_end(text, "\r\n");
  if (text.size() <= most) return text;
  const std::size_t cut = text.find('\n', text.size() - most);
  return text.substr((cut == text.npos ? text.rfind('\n') : cut) + 1);
}

class CommandAnswerer : public Answerer {
 public:
  CommandAnswerer(const CommandWords& command, double timeout_s)
      : command_(command_text(command)), child_(command), timeout_s_(timeout_s) {}

  ModelOutcome ask(const QaQuestion& question) override {
    const ChildProcess::Answer answer = child_.ask(request_line(question), timeout_s_);
    if (answer.fault != ChildProcess::Fault::none) return fault(answer);
    has_answered_ = true;
    return agent_outcome(answer.line, question.item);
  }

 private:
  /// A program that ends before it has ever answered will not be fixed by waiting: it does not
  /// exist, or cannot start. One more try, in case it was not its fault.
  ModelFailure fault(const ChildProcess::Answer& answer) const {
    std::string message = "the program '" + shown(command_) + "' " + answer.ending;
    const std::string said = shown(last_lines(child_.standard_error()));
    if (!said.empty()) message += "; the end of its standard error: " + said;
    ModelFailure out{
        .kind = ModelFailure::Kind::transient, .message = std::move(message), .charged = true};
    if (answer.fault == ChildProcess::Fault::ended && !has_answered_) out.most_retries = 1;
    return out;
  }

  std::string command_;
  ChildProcess child_;
  double timeout_s_;
  bool has_answered_ = false;
};

}  // namespace

ModelOutcome agent_outcome(const std::string& line, const Item& item) try {
  if (too_deep_at(line)) return failure(nested_too_deeply("the agent's answer"));
  const Json json = parse_json(line, "the agent's answer");
  if (json.contains("item_id") && json.at("item_id") != item.id)
    return failure(
        "the agent answered for an item other than the one asked; it must answer each "
        "line with one line, in order");
  if (const auto error = json.find("error"); error != json.end() && error->is_string())
    return ModelFailure{
        .kind = ModelFailure::Kind::item,
        .message = "the agent reported: " + shown(error->get_ref<const std::string&>()),
        .charged = true};
  return reply_of(json);
} catch (const std::exception&) {
  return failure("the agent's answer is not a JSON object with a text \"prediction\": " +
                 line.substr(0, 120));
}

QaAgent command_agent(const CommandWords& command, double timeout_s) {
  return {.converses = false, .needs_slides = true, .make_answerer = [command, timeout_s] {
            return std::make_unique<CommandAnswerer>(command, timeout_s);
          }};
}

}  // namespace assay::qa
