// SPDX-License-Identifier: Apache-2.0
/// A model that speaks one of the three protocols.
#include <algorithm>
#include <iterator>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/provider/secrets.hpp"
#include "assay/qa/run/qa_agents.hpp"

namespace assay::qa {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The protocol's own headers, and the user's, which count more.
Headers headers_of(const HttpAgentSettings& settings) {
  Headers out = settings.api->headers(settings.key);
  for (const auto& [name, value] : settings.headers) {
    std::erase_if(out, [lowered = ascii_lowered(name)](const auto& header) {
      return ascii_lowered(header.first) == lowered;
    });
    if (!value.empty()) out.emplace_back(name, value);
  }
  return out;
}

class HttpAnswerer : public Answerer {
 public:
  explicit HttpAnswerer(const HttpAgentSettings& settings)
      : settings_(settings),
        headers_(headers_of(settings)),
        secrets_(settings.key, headers_),
        url_(endpoint(*settings.api, settings.base_url.empty() ? settings.api->default_base_url
                                                               : settings.base_url)) {}

  ModelOutcome ask(const QaQuestion& question) override {
    HttpRequest request{.url = url_,
                        .headers = headers_,
                        .body = settings_.api->body(question.chat, settings_.model),
                        .timeout_s = settings_.timeout_s};
    HttpFailure failure;
    const auto response = client_.send(request, failure);
    ModelOutcome outcome =
        response ? settings_.api->outcome(*response) : connection_failure(failure);
    secrets_.redact(outcome);
    if (!response) return outcome;
    if (auto* failed = std::get_if<ModelFailure>(&outcome)) {
      failed->charged = may_have_worked(response->status);
      name_the_key(*failed);
    }
    if (auto* reply = std::get_if<ModelReply>(&outcome);
        reply != nullptr && reply->provider.empty())
      reply->provider = origin_of(url_);
    return outcome;
  }

 private:
  /// A gateway that gave up says nothing about the model behind it; a clear refusal costs nothing.
  static bool may_have_worked(int status) {
    constexpr int clear[] = {429, 503, 529};
    constexpr int unclear[] = {408, 409, 499};
    if (std::ranges::find(clear, status) != std::end(clear)) return false;
    if (std::ranges::find(unclear, status) != std::end(unclear)) return true;
    return status < 400 || status >= 500;
  }

  /// If a key is refused, the user wants to know which variable holds it.
  void name_the_key(ModelFailure& failure) const {
    if (failure.status != 401 && failure.status != 403) return;
    if (!settings_.key.empty())
      failure.message += " (the key came from the variable " + settings_.key_variable + ")";
    else if (!settings_.headers.empty())
      failure.message += " (no key was sent except in --header)";
    else
      failure.message += " (no key was sent: " + settings_.key_variable + " is not set)";
  }

  HttpAgentSettings settings_;
  Headers headers_;
  Secrets secrets_;  ///< looked for wherever a reply enters
  std::string url_;
  HttpClient client_;
};

}  // namespace

QaAgent http_agent(const HttpAgentSettings& settings) {
  return {.converses = true, .needs_slides = true, .make_answerer = [settings] {
            return std::make_unique<HttpAnswerer>(settings);
          }};
}

}  // namespace assay::qa
