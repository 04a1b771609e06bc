// SPDX-License-Identifier: Apache-2.0
/// A model behind one of the three protocols.
#include "assay/core/error.hpp"
#include "assay/run/qa_agents.hpp"

namespace assay {
namespace {

class HttpAnswerer : public Answerer {
 public:
  explicit HttpAnswerer(const HttpAgentSettings& settings)
      : settings_(settings),
        url_(endpoint(*settings.api, settings.base_url.empty() ? settings.api->default_base_url
                                                               : settings.base_url)) {}

  ModelOutcome ask(const QaQuestion& question) override {
    HttpRequest request{.url = url_,
                        .headers = settings_.api->headers(settings_.key),
                        .body = settings_.api->body(question.chat, settings_.model),
                        .timeout_s = settings_.timeout_s};
    HttpFailure failure;
    const auto response = client_.send(request, failure);
    if (!response) return connection_failure(failure);
    ModelOutcome outcome = settings_.api->outcome(*response);
    if (auto* failed = std::get_if<ModelFailure>(&outcome)) name_the_key(*failed);
    if (auto* reply = std::get_if<ModelReply>(&outcome);
        reply != nullptr && reply->provider.empty())
      reply->provider = origin_of(url_);
    return outcome;
  }

 private:
  /// Whoever is refused wants to know which of their variables holds the wrong key.
  void name_the_key(ModelFailure& failure) const {
    if (failure.status != 401 && failure.status != 403) return;
    failure.message += settings_.key.empty()
                           ? " (no key was sent: " + settings_.key_variable + " is not set)"
                           : " (the key came from the variable " + settings_.key_variable + ")";
  }

  HttpAgentSettings settings_;
  std::string url_;
  HttpClient client_;
};

}  // namespace

QaAgent http_agent(const HttpAgentSettings& settings) {
  return {.converses = true, .needs_slides = true, .make_answerer = [settings] {
            return std::make_unique<HttpAnswerer>(settings);
          }};
}

}  // namespace assay
