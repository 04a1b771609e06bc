// SPDX-License-Identifier: Apache-2.0
/// For bench/recipe_bench.py: prepares an image as often as asked and prints what each took, in
/// milliseconds of CPU time, as a JSON list; the last one is written as raw float32.
///
/// usage: prepare_image RECIPE IMAGE JOBS REPEATS OUT
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/image.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/threads.hpp"

namespace {

using namespace assay;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void run(const std::vector<std::string>& words) {
  const model::Recipe recipe = model::find_recipe(words[1]);
  const Image image = read_image(words[2]);
  const std::vector<double> exact = values(image);
  const Volume<float> volume(image.grid(), {exact.begin(), exact.end()});
  const Executor executor = thread_executor(static_cast<unsigned>(std::atoi(words[3].c_str())));
  std::vector<double> milliseconds;
  for (int i = std::atoi(words[4].c_str()); i > 0; --i) {
    const double before = cpu_ms();
    const model::Prepared found = model::prepared(volume.view(), recipe, executor);
    milliseconds.push_back(cpu_ms() - before);
    if (i == 1) write_atomically(words[5], std::as_bytes(found.image.view().voxels));
  }
  std::string list;
  for (const double took : milliseconds)
    list += fmt::format("{}{:.3f}", list.empty() ? "" : ", ", took);
  fmt::print("[{}]\n", list);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: prepare_image RECIPE IMAGE JOBS REPEATS OUT\n", stderr);
    return 2;
  }
  try {
    run({argv, argv + argc});
    return 0;
  } catch (const Error& e) {
    fmt::print(stderr, "prepare_image: {}\n", e.what());
    return 2;
  }
}
