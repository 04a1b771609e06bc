// SPDX-License-Identifier: Apache-2.0
/// A model that speaks one of the three protocols.
#include <algorithm>
#include <iterator>

#include "assay/base/text.hpp"
#include "assay/error.hpp"
#include "assay/qa/run/qa_agents.hpp"

namespace assay::qa {
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
    if (auto* failed = std::get_if<ModelFailure>(&outcome)) {
      failed->charged = may_have_worked(response->status);
      failed->message = without_key(std::move(failed->message));
      name_the_key(*failed);
    }
    if (auto* reply = std::get_if<ModelReply>(&outcome)) {
      if (reply->provider.empty()) reply->provider = origin_of(url_);
      if (reply->kind == ModelReply::Kind::refused) reply->text = without_key(reply->text);
    }
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

  /// Some servers repeat the key that they refuse.
  std::string without_key(std::string text) const {
    constexpr std::size_t shortest = 6;  // anything shorter is a word, not a key
    if (settings_.key.size() < shortest) return text;
    return replaced(std::move(text), settings_.key, "[key]");
  }

  /// If a key is refused, the user wants to know which variable holds it.
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

}  // namespace assay::qa
