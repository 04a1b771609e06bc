// SPDX-License-Identifier: Apache-2.0
/// assay recipe show: what a recipe does, step by step.
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/report/text/model_report.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace recipe_show_file {
namespace {

struct Options {
  std::string recipe;
};

void declare_options(Arguments& a, Options& o) {
  a.positional("NAME|FILE", o.recipe,
               "A built-in recipe, or a TOML or JSON file (default: list the built-in recipes)");
}

std::string all_as_json() {
  std::string out;
  for (const model::Recipe& recipe : model::builtin_recipes())
    out += (out.empty() ? "[\n" : ",\n") + model::recipe_text(recipe);
  return out + "]\n";
}

Exit run(const Options& o, const Common& common, const Session& session) {
  const auto out = output_file(common.out, "recipe.json");
  if (o.recipe.empty()) {
    session.out << (common.json ? all_as_json() : report::builtin_recipes_report());
    return done;
  }
  refuse_input(out, {o.recipe});
  if (!out.empty()) require_writable(out);
  const model::Recipe recipe = model::find_recipe(o.recipe);
  put_result(
      out, model::recipe_text(recipe), [&] { return report::recipe_report(recipe); }, common,
      session);
  return done;
}

constexpr Example examples[] = {
    {"assay recipe show", "the built-in recipes, one line each"},
    {"assay recipe show arc-meshchop", "every step, and the hash that is written to results"},
    {"assay recipe show model.recipe.toml --json", "all keys with their values, for programs"},
};

}  // namespace
}  // namespace recipe_show_file

const Command recipe_show_command = {
    "show", "Show the steps of a recipe and its hash",
    command<recipe_show_file::declare_options, recipe_show_file::run>, recipe_show_file::examples};

}  // namespace assay::cli
