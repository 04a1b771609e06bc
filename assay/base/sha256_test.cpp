// SPDX-License-Identifier: Apache-2.0
#include "assay/base/sha256.hpp"

#include <gtest/gtest.h>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"

namespace assay::sha256_test {

using test::TemporaryFolder;

TEST(Digests, sha256_equals_the_published_digests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digests, a_hash_of_pieces_is_the_hash_of_the_whole) {
  Sha256 hash;
  for (const char* piece : {"one\n", "", "two"}) hash.add(piece);
  EXPECT_EQ(hash.hex(), sha256("one\ntwo"));
  EXPECT_EQ(Sha256().hex(), sha256(""));
}

TEST(Digests, hashes_of_files_are_those_of_their_content) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 200000U}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 1000) text[i] = static_cast<char>(i >> 8);
    write_atomically(folder / "a", text);
    EXPECT_EQ(sha256_of_file(folder / "a"), sha256(text)) << size;
  }
}

TEST(Digests, git_blob_id_is_what_git_says) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", "");
  EXPECT_EQ(git_blob_id(folder / "a"), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  write_atomically(folder / "a", "hello\n");
  EXPECT_EQ(git_blob_id(folder / "a"), "ce013625030ba8dba906f756967f9e9ca394464a");
}

}  // namespace assay::sha256_test
