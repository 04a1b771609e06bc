// SPDX-License-Identifier: Apache-2.0
/// For the oracle tests and the benchmark: runs a model on raw float32 voxels (x fastest) as often
/// as asked, writes labels and, if a path is given, logits, and prints what each run took as JSON.
///
/// usage: run_network MODEL NX,NY,NZ VOXELS LABELS LOGITS|- KERNELS|best JOBS REPEATS
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "assay/base/file.hpp"
#include "assay/error.hpp"
#include "assay/model/engine/engine.hpp"
#include "assay/model/files/model.hpp"
#include "assay/threads.hpp"

namespace {

using namespace assay;

struct Arguments {
  std::string model, shape, voxels, labels, logits, kernels;
  unsigned jobs = 1, repeats = 1;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Linux counts the memory of whoever started a program towards ru_maxrss, but not towards this.
long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (long found = 0; word == "VmHWM:" && status >> found) return found;
  return 0;
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Volume<float> read_volume(const Arguments& arguments) {
  Grid grid;
  std::sscanf(arguments.shape.c_str(), "%zu,%zu,%zu", &grid.shape[0], &grid.shape[1],
              &grid.shape[2]);
  const Buffer file = read_bytes(arguments.voxels);
  std::vector<float> voxels(file.bytes().size() / sizeof(float));
  std::memcpy(voxels.data(), file.bytes().data(), voxels.size() * sizeof(float));
  return {grid, std::move(voxels)};
}

const model::Kernels* kernels_named(const std::string& name) {
  for (const model::Kernels* kernels : model::runnable_kernels())
    if (name == kernels->name) return kernels;
  if (name == "best") return nullptr;
  throw Error(Error::Kind::unsupported, "this processor has no kernels '" + name + "'");
}

void run(const Arguments& arguments) {
  const Volume<float> volume = read_volume(arguments);
  const model::MeshNetEngine engine(model::read_model(arguments.model).network,
                                    {.kernels = kernels_named(arguments.kernels)});
  model::PredictionWorkspace workspace;
  nlohmann::json cpu = nlohmann::json::array();
  for (unsigned i = 0; i < arguments.repeats; ++i) {
    const double before = cpu_seconds();
    const model::Prediction found = engine.predict(
        volume.view(), workspace,
        {.executor = thread_executor(arguments.jobs), .logits = arguments.logits != "-"});
    cpu.push_back(cpu_seconds() - before);
    write_atomically(arguments.labels, std::as_bytes(found.labels.view().voxels));
    if (arguments.logits != "-")
      write_atomically(arguments.logits, std::as_bytes(std::span(found.logits)));
  }
  const auto voxels = volume.view().grid.size();
  const nlohmann::json out = {{"cpu_s", cpu},
                              {"peak_bytes", peak_kilobytes() * 1024},
                              {"operations", model::operations(engine.network(), voxels)}};
  std::puts(out.dump().c_str());
}

}  // namespace

int main(int count, char** values) try {
  if (count != 9) {
    std::fputs(
        "usage: run_network MODEL NX,NY,NZ VOXELS LABELS LOGITS|- KERNELS|best JOBS REPEATS\n",
        stderr);
    return 2;
  }
  run({values[1], values[2], values[3], values[4], values[5], values[6],
       static_cast<unsigned>(std::atoi(values[7])), static_cast<unsigned>(std::atoi(values[8]))});
  return 0;
} catch (const assay::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
