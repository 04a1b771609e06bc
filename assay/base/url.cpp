// SPDX-License-Identifier: Apache-2.0
#include "assay/base/url.hpp"

#include <curl/curl.h>

#include <memory>

#include "assay/base/http.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

/// Nothing for text that is not an address.
Url parsed(const std::string& text) {
  Url url(curl_url(), curl_url_cleanup);
  if (url && curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return "";
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

}  // namespace

void require_http_address(const std::string& url, std::string_view what) {
  if (is_http(url) && parsed(url)) return;
  throw Error(Error::Kind::usage,
              std::string(what) +
                  " is not a web address; it must begin with http:// or https:// "
                  "and name a host");
}

std::string origin_of(const std::string& url) {
  const Url whole = parsed(url);
  if (!whole) return "the address";
  return part(whole, CURLUPART_SCHEME) + "://" + part(whole, CURLUPART_HOST) + ":" +
         part(whole, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

}  // namespace assay
