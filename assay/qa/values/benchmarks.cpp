// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "assay/qa.hpp"

namespace assay::qa {

std::span<const Task> tasks() {
  using enum stats::ClassificationMetric;
  static constexpr std::array table = {
      Task{"tcga", 221, 30, balanced_accuracy, "tcga"},
      Task{"panda", 197, 6, balanced_accuracy, "panda"},
      Task{"gtex", 191, 20, balanced_accuracy, "gtex"},
      Task{"tcga_expert_vqa", 128, 0, accuracy, "tcga"},
      Task{"tcga_slidebench", 197, 0, accuracy, "tcga"},
  };
  return table;
}

const Task* find_task(std::string_view name) {
  const auto found = std::ranges::find(tasks(), name, &Task::name);
  return found == tasks().end() ? nullptr : &*found;
}

std::span<const Named<Outcome>> outcomes() {
  using enum Outcome;
  static constexpr std::array<Named<Outcome>, 7> table = {{{"scored", scored},
                                                           {"unparsed", unparsed},
                                                           {"refused", refused},
                                                           {"truncated", truncated},
                                                           {"errored", errored},
                                                           {"missing", missing},
                                                           {"skipped", skipped}}};
  return table;
}

namespace {

constexpr PublishedSystem tcga[] = {{"GIANT x1", {32.3, 3.5}}, {"GIANT x5", {29.3, 3.3}},
                                    {"thumbnail", {9.2, 1.9}}, {"patch", {12.8, 2.1}},
                                    {"TITAN", {88.8, 1.7}},    {"SlideChat", {3.3, 1.2}}};
constexpr PublishedSystem panda[] = {{"GIANT x1", {23.2, 2.3}},  {"GIANT x5", {25.4, 2.0}},
                                     {"thumbnail", {12.2, 2.2}}, {"patch", {21.3, 2.4}},
                                     {"TITAN", {27.5, 2.3}},     {"SlideChat", {17.0, 0.4}}};
constexpr PublishedSystem gtex[] = {{"GIANT x1", {53.7, 3.4}},  {"GIANT x5", {60.7, 3.2}},
                                    {"thumbnail", {36.5, 3.4}}, {"patch", {43.7, 2.4}},
                                    {"TITAN", {96.3, 1.3}},     {"SlideChat", {5.0, 0.0}}};
constexpr PublishedSystem expert[] = {{"GIANT x1", {57.0, 4.5}},
                                      {"GIANT x5", {62.5, 4.4}},
                                      {"TITAN", {43.8, std::nullopt}},
                                      {"SlideChat", {37.5, std::nullopt}}};
constexpr PublishedSystem slidebench[] = {{"GIANT x1", {58.9, 3.5}}, {"GIANT x5", {59.4, 3.4}}};

constexpr PublishedBenchmark published[] = {{"tcga", tcga},
                                            {"panda", panda},
                                            {"gtex", gtex},
                                            {"tcga_expert_vqa", expert},
                                            {"tcga_slidebench", slidebench}};

}  // namespace

const PublishedBenchmark* find_published_giant(std::string_view benchmark) {
  const auto* found = std::ranges::find(published, benchmark, &PublishedBenchmark::name);
  return found == std::end(published) ? nullptr : found;
}

}  // namespace assay::qa
