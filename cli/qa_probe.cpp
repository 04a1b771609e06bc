// SPDX-License-Identifier: Apache-2.0
#include "cli/qa_probe.hpp"

#include <fmt/format.h>

#include <ostream>

#include "assay/error.hpp"
#include "assay/qa.hpp"
#include "assay/qa/run/qa_probe.hpp"
#include "assay/report/text/text_table.hpp"

namespace assay::cli {
namespace {

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "unknown";
}

std::string reply_text(const qa::ModelReply& reply, const qa::Item& item,
                       const qa::ProbeResult& result) {
  const qa::ExtractedAnswer answer = qa::extract_label(reply.text, item.benchmark, item.options);
  constexpr std::size_t enough = 200;
  std::string out = fmt::format("probe: {} answered after {:.1f} s as {} of {} (request {})\n",
                                item.benchmark + "/" + item.id, result.seconds,
                                reply.model.empty() ? "?" : reply.model,
                                reply.provider.empty() ? "?" : reply.provider,
                                reply.request_id.empty() ? "without id" : reply.request_id);
  out += fmt::format("  said: {}\n", report::printable(reply.text.substr(0, enough)));
  out += fmt::format("  label: {} ({})\n", answer.label ? std::to_string(*answer.label) : "none",
                     answer.rule);
  out += fmt::format("  tokens: {} in, {} out; cost: {}{}\n", count_text(reply.usage.input),
                     count_text(reply.usage.output),
                     reply.cost_usd ? fmt::format("${:.4f}", *reply.cost_usd)
                                    : "unknown, so a budget could not be kept",
                     result.worst_usd
                         ? fmt::format(" (the budget would set ${:.4f} aside)", *result.worst_usd)
                         : "");
  return out;
}

}  // namespace

bool probe(const AgentOptions& options, const qa::ItemTable& table, const qa::SlideFolder& slides,
           std::ostream& talk) {
  const ChosenAgent chosen = chosen_agent(options, table);
  for (const qa::Item& item : table.items) {
    const qa::SlideMatch match = slides.find(item);
    if (!match.problem.empty() && chosen.agent.needs_slides) continue;
    const qa::ProbeResult result = qa::probed(item, match.path, chosen.agent, chosen.settings,
                                              chosen.prices.find(chosen.settings.model.model));
    if (const auto* reply = std::get_if<qa::ModelReply>(&result.outcome)) {
      talk << reply_text(*reply, item, result);
      return true;
    }
    talk << "probe: " << report::printable(std::get<qa::ModelFailure>(result.outcome).message)
         << '\n';
    return false;
  }
  throw Error(Error::Kind::input, "--probe needs at least one slide, and none was found");
}

}  // namespace assay::cli
