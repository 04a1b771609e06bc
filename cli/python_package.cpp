// SPDX-License-Identifier: Apache-2.0
#include "cli/python_package.hpp"

#include <fmt/format.h>

#include <system_error>

#include "assay/base/file.hpp"
#include "assay/base/program.hpp"
#include "assay/base/text.hpp"
#include "assay/error.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Whether the package contains words that only ours has.
bool is_ours(const fs::path& package) try {
  return read_text(package / "__init__.py").find("assay measures medical-imaging AI") !=
         std::string::npos;
} catch (const Error&) {
  return false;
}

std::string other_package(const fs::path& package) {
  return fmt::format(
      "the Python package {} belongs to another distribution named 'assay'; run 'pip uninstall "
      "assay', then 'pip install --force-reinstall assay-imaging'",
      package.string());
}

/// Prints the file of the package. The current folder is not searched, because an installed program
/// is not run from there.
constexpr const char* look_for_package =
    "import sys, importlib.util as u; sys.path.remove(''); s = u.find_spec('assay'); "
    "print(s and s.origin or '')";

}  // namespace

fs::path this_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::string overwritten_package(const fs::path& program) {
  std::error_code error;
  const fs::path library = program.parent_path().parent_path() / "lib";
  for (fs::directory_iterator entry(library, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path package = entry->path() / packages / "assay";
      if (fs::exists(package / "_core.pyi", error) && !is_ours(package))
        return other_package(package);
    }
  }
  return "";
}

std::string find_python_package() {
  constexpr double patience_s = 10;
  std::error_code error;
  fs::path python = this_program().parent_path() / "python3";
  if (!fs::exists(python, error)) python = find_program("python3");
  if (python.empty()) throw Error(Error::Kind::unsupported, "python3 is not on the PATH");
  const ProgramEnd end = assay::run_program({python.string(), "-c", look_for_package}, patience_s);
  const fs::path file = std::string(trimmed(end.output));
  if (file.empty())
    throw Error(Error::Kind::unsupported,
                fmt::format("{} does not find the Python package; install the wheel that 'make "
                            "dist' writes to build/dist (docs/install.md)",
                            python.string()));
  if (!is_ours(file.parent_path()))
    throw Error(Error::Kind::unsupported, other_package(file.parent_path()));
  return file.parent_path().string();
}

}  // namespace assay::cli
