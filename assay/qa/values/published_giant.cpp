// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assay/qa.hpp"

namespace assay::qa {
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

constexpr PublishedBenchmark table[] = {{"tcga", tcga},
                                        {"panda", panda},
                                        {"gtex", gtex},
                                        {"tcga_expert_vqa", expert},
                                        {"tcga_slidebench", slidebench}};

}  // namespace

const PublishedBenchmark* find_published_giant(std::string_view benchmark) {
  const auto* found = std::ranges::find(table, benchmark, &PublishedBenchmark::name);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace assay::qa
