// SPDX-License-Identifier: Apache-2.0
#include "assay/base/base64.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <vector>

namespace assay::base64_test {

TEST(Base64, vectors_of_rfc_4648) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(base64(bytes), text);
}

TEST(Base64, equals_openssl_on_every_length_and_byte) {
  std::string bytes;
  for (unsigned i = 0; i < 600; ++i) {
    std::vector<unsigned char> expected(base64_size(bytes.size()) + 1);
    const int size =
        EVP_EncodeBlock(expected.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                        static_cast<int>(bytes.size()));
    EXPECT_EQ(base64(bytes), std::string(expected.begin(), expected.begin() + size));
    bytes += static_cast<char>(i * 167 + i / 256);
  }
}

}  // namespace assay::base64_test
