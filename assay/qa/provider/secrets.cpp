// SPDX-License-Identifier: Apache-2.0
#include "assay/qa/provider/secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "assay/base/ascii.hpp"
#include "assay/base/base64.hpp"
#include "assay/base/text.hpp"

namespace assay::qa {
namespace {

constexpr std::string_view hidden = "[key]";
constexpr std::size_t piece = 8;       ///< what is shorter may be a word
constexpr std::size_t masked_end = 3;  ///< beside asterisks
constexpr std::size_t shortest_value = 6;

std::uint64_t piece_at(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
  std::memcpy(&out, text.data() + at, piece);
  return out;
}

bool is_credential(std::string_view header) {
  constexpr std::array words = {"key",      "token",  "secret",  "auth",
                                "password", "cookie", "session", "credential"};
  const std::string name = ascii_lowered(header);
  return std::ranges::any_of(words, [&](const char* word) { return name.find(word) != name.npos; });
}

/// Headers of the protocols themselves, whose values are public.
bool is_public(std::string_view header) {
  const std::string name = ascii_lowered(header);
  return std::ranges::any_of(std::array{"anthropic-", "openai-", "content-"},
                             [&](const char* start) { return name.starts_with(start); });
}

/// Long, and of letters and digits: "pathology-benchmark" is a title, which an answer may repeat.
bool looks_like_a_key(std::string_view value) {
  constexpr std::size_t shortest = 16;
  return value.size() >= shortest && value.find(' ') == value.npos &&
         std::ranges::any_of(value, is_ascii_digit) && std::ranges::any_of(value, is_ascii_letter);
}

/// As in an address; `digits` of hexadecimal numbers.
std::string percent_encoded(std::string_view text, std::string_view digits) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_ascii_word(c) || std::string_view("-._~").find(c) != std::string_view::npos)
      out += c;
    else
      ((out += '%') += digits[byte / 16]) += digits[byte % 16];
  }
  return out;
}

/// What is in "Basic dXNlcjpwYXNz"; "" when it is not base64.
std::string decoded_base64(std::string_view text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : trimmed_end(text, "=")) {
    const std::size_t value = letters.find(c);
    if (value == letters.npos) return "";
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return out;
}

/// How long the mask is that begins there: asterisks, dots, bullets or ellipses; 0 for none.
std::size_t mask_length(std::string_view text) {
  constexpr std::array<std::string_view, 5> marks = {"*", ".", "•", "…", "●"};
  std::size_t length = 0, signs = 0;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view mark : marks)
      if (text.substr(length).starts_with(mark)) {
        length += mark.size();
        signs += mark.size() > 1 ? 2U : 1U;
        more = true;
        break;
      }
  }
  return signs >= 2 ? length : 0;
}

/// Which bytes are to be hidden.
using Marked = std::vector<bool>;

/// The ends of a secret on both sides of a mask.
void mark_ends(std::string_view text, std::string_view secret, Marked& marked) {
  const auto mark = [&](std::size_t first, std::size_t last) {
    std::fill(marked.begin() + static_cast<std::ptrdiff_t>(first),
              marked.begin() + static_cast<std::ptrdiff_t>(last), true);
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mask = mask_length(text.substr(at));
    if (mask == 0) {
      ++at;
      continue;
    }
    for (std::size_t n = std::min(at, secret.size()); n >= masked_end; --n)
      if (text.substr(at - n, n) == secret.substr(0, n)) {
        mark(at - n, at + mask);
        break;
      }
    const std::size_t behind = at + mask;
    for (std::size_t n = std::min(text.size() - behind, secret.size()); n >= masked_end; --n)
      if (text.substr(behind, n) == secret.substr(secret.size() - n)) {
        mark(at, behind + n);
        break;
      }
    at = behind;
  }
}

std::string with_hidden(std::string_view text, const Marked& marked) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!marked[i])
      out += text[i];
    else if (i == 0 || !marked[i - 1])
      out += hidden;
  return out;
}

}  // namespace

Secrets::Secrets(const std::string& key, const Headers& headers) {
  add(key);
  for (const auto& [name, value] : headers) {
    const std::size_t blank = value.find(' ');  // "Bearer …", "Basic …"
    const std::string word = blank == value.npos ? value : value.substr(blank + 1);
    if (!is_credential(name) && (is_public(name) || !looks_like_a_key(word))) {
      other_values_.push_back(value);
      continue;
    }
    add(word);
    if (const std::string pair =
            ascii_lowered(value).starts_with("basic ") ? decoded_base64(word) : "";
        !pair.empty()) {
      add(pair);
      add(pair.substr(std::min(pair.find(':'), pair.size() - 1) + 1));
    }
  }
}

void Secrets::add(const std::string& secret) {
  if (secret.size() < shortest_value) return;
  secrets_.push_back(secret);
  add_pieces(secret);
  add_pieces(percent_encoded(secret, "0123456789ABCDEF"));
  add_pieces(percent_encoded(secret, "0123456789abcdef"));
  // After one, two or three other bytes base64 has another phase; its first and last letters then
  // hold bits of the neighbours.
  for (std::size_t before = 0; before < 3; ++before) {
    std::string text = base64(std::string(before, 'x') + secret);
    while (text.ends_with('=')) text.pop_back();
    const std::size_t first = before == 0 ? 0 : before + 1;
    if (text.size() > first + 1)
      add_pieces(std::string_view(text).substr(first, text.size() - first - 1));
  }
}

void Secrets::add_pieces(std::string_view form) {
  for (std::size_t at = 0; at + piece <= form.size(); ++at) pieces_.insert(piece_at(form, at));
}

std::string Secrets::redacted(std::string text) const {
  if (secrets_.empty()) return text;
  Marked marked(text.size());
  for (std::size_t at = 0; at + piece <= text.size(); ++at)
    if (pieces_.contains(piece_at(text, at)))
      std::fill_n(marked.begin() + static_cast<std::ptrdiff_t>(at), piece, true);
  for (const std::string& secret : secrets_) mark_ends(text, secret, marked);
  text = with_hidden(text, marked);
  for (const std::string& secret : secrets_)
    if (secret.size() < piece) text = replaced(std::move(text), secret, hidden);
  return text;
}

std::string Secrets::without_values(std::string text) const {
  for (const std::string& value : other_values_)
    if (value.size() >= shortest_value) text = replaced(std::move(text), value, hidden);
  return text;
}

void Secrets::redact(ModelOutcome& outcome) const {
  if (auto* failed = std::get_if<ModelFailure>(&outcome)) {
    failed->message = without_values(redacted(std::move(failed->message)));
    failed->request_id = redacted(std::move(failed->request_id));
  } else if (auto* reply = std::get_if<ModelReply>(&outcome)) {
    for (std::string* text :
         {&reply->text, &reply->model, &reply->provider, &reply->request_id, &reply->finish_reason})
      *text = redacted(std::move(*text));
    if (reply->kind == ModelReply::Kind::refused) reply->text = without_values(reply->text);
  }
}

}  // namespace assay::qa
