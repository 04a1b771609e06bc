// SPDX-License-Identifier: Apache-2.0
#include "assay/base/sha256.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "assay/base/file.hpp"
#include "assay/error.hpp"

namespace assay {

/// The hash of data that come piece by piece, as lower-case hex digits.
class Digest {
 public:
  Digest(const EVP_MD* kind, std::string name)
      : name_(std::move(name)), context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    require(context_ && EVP_DigestInit_ex(context_.get(), kind, nullptr) == 1);
  }

  void add(std::span<const std::byte> piece) {
    require(EVP_DigestUpdate(context_.get(), piece.data(), piece.size()) == 1);
  }

  void add(const InputFile& file) {
    std::array<std::byte, 65536>
        piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    for (std::size_t at = 0; at < file.size(); at += piece.size()) {
      const auto part = std::span(piece).first(std::min(piece.size(), file.size() - at));
      file.read(at, part);
      add(part);
    }
  }

  std::string text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1);
    std::string out;
    for (const unsigned char byte : std::span(bytes).first(size)) {
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
    return out;
  }

 private:
  void require(bool good) const {
    if (!good)
      throw Error(Error::Kind::unsupported,
                  "OpenSSL offers no " + name_ + "; check its configuration");
  }

  std::string name_;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string sha256(std::span<const std::byte> bytes) {
  Digest digest(EVP_sha256(), "SHA-256");
  digest.add(bytes);
  return digest.text();
}

Sha256::Sha256() : digest_(std::make_unique<Digest>(EVP_sha256(), "SHA-256")) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view piece) {
  digest_->add(std::as_bytes(std::span(piece)));
}

std::string Sha256::hex() {
  return digest_->text();
}

std::string sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Digest digest(EVP_sha256(), "SHA-256");
  digest.add(InputFile(path));
  return digest.text();
}

std::string git_blob_id(const std::filesystem::path& path) {
  const InputFile file(path);
  const std::string head = "blob " + std::to_string(file.size());
  Digest digest(EVP_sha1(), "SHA-1");
  // The zero byte at the end of the head belongs to it.
  digest.add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));
  digest.add(file);
  return digest.text();
}

}  // namespace assay
