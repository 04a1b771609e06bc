// SPDX-License-Identifier: Apache-2.0
#include "assay/report/figure_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "assay/base/file.hpp"
#include "assay/base/test_files.hpp"
#include "assay/error.hpp"

namespace figure_files_test {

using namespace assay;
using namespace assay::report;
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "assay converter' XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(std::string_view name) const { return path_ / name; }
  std::string string() const { return path_.string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

  /// A program that does as its script says.
  void add_program(std::string_view name, std::string_view script) const {
    std::ofstream(*this / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(*this / name, fs::perms::owner_all);
  }

 private:
  fs::path path_;
};

constexpr std::string_view drawing =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 20 10\" width=\"20\" "
    "height=\"10\"><rect width=\"20\" height=\"10\" fill=\"#d55e00\"/></svg>";

std::string start_of(const fs::path& path, std::size_t size) {
  return read_text(path).substr(0, size);
}

TEST(DrawingConverter, is_the_first_of_the_list_wherever_it_stands_on_the_path) {
  const Folder first, second;
  EXPECT_FALSE(find_converter(first.string() + ":" + second.string()));
  first.add_program("inkscape", "");
  second.add_program("rsvg-convert", "");
  const auto found = find_converter(":/nowhere:" + first.string() + ":" + second.string());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "rsvg-convert");
  EXPECT_EQ(found->program, second / "rsvg-convert");
  fs::permissions(second / "rsvg-convert", fs::perms::owner_read);
  if (::geteuid() != 0) EXPECT_EQ(find_converter(second.string()), std::nullopt);
}

TEST(DrawingConverter, refuses_what_fails_and_leaves_nothing) {
  const Folder folder;
  folder.add_program("rsvg-convert", "echo 'no such colour' >&2; exit 3");
  write_atomically(folder / "a.svg", drawing);
  const auto converter = find_converter(folder.string());
  ASSERT_TRUE(converter);
  EXPECT_THAT(
      test::refusal([&] {
        convert_drawing(*converter, {folder / "a.svg", folder / "a.pdf"}, PictureFormat::pdf);
      }),
      testing::HasSubstr("no such colour"));
  EXPECT_EQ(folder.files(), 2U);
}

TEST(DrawingConverter, a_program_that_writes_nothing_has_failed) {
  const Folder folder;
  folder.add_program("inkscape", "exit 0");
  write_atomically(folder / "a.svg", drawing);
  EXPECT_THROW(convert_drawing(*find_converter(folder.string()),
                               {folder / "a.svg", folder / "a.png"}, PictureFormat::png),
               Error);
}

TEST(DrawingConverter, converts_by_what_is_installed) {
  const char* search_path = std::getenv("PATH");
  const auto converter = find_converter(search_path == nullptr ? "" : search_path);
  if (!converter) GTEST_SKIP() << "no SVG converter is installed";
  const Folder folder;
  write_atomically(folder / "a b.svg", drawing);
  convert_drawing(*converter, {folder / "a b.svg", folder / "a b.pdf"}, PictureFormat::pdf);
  convert_drawing(*converter, {folder / "a b.svg", folder / "a b.png"}, PictureFormat::png);
  EXPECT_EQ(start_of(folder / "a b.pdf", 5), "%PDF-");
  EXPECT_EQ(start_of(folder / "a b.png", 4), "\x89PNG");
  EXPECT_EQ(folder.files(), 3U);
}

}  // namespace figure_files_test
