// SPDX-License-Identifier: Apache-2.0
/// assay recipe show: what a recipe does, step by step.
#include <memory>
#include <ostream>

#include "assay/base/file.hpp"
#include "assay/model/recipe/recipe_file.hpp"
#include "assay/report/text/recipe_report.hpp"
#include "cli/output.hpp"
#include "cli/recipe.hpp"

namespace assay::cli {
namespace {

struct Options {
  std::string recipe;
};

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
  if (!out.empty()) write_atomically(out, model::recipe_text(recipe));
  if (common.json)
    session.out << model::recipe_text(recipe);
  else if (prints_result(common, out))
    session.out << report::recipe_report(recipe);
  if (!out.empty() && !common.quiet) session.err << "results: " << out.string() << '\n';
  return done;
}

Action declare(Arguments& arguments) {
  const auto options = std::make_shared<Options>();
  arguments.positional("NAME|FILE", options->recipe,
                       "A built-in recipe or a TOML or JSON file; none: lists what is built in");
  return [options](const Common& common, const Session& session) {
    return run(*options, common, session);
  };
}

constexpr Example examples[] = {
    {"assay recipe show", "the recipes that are built in, a line each"},
    {"assay recipe show arc-meshchop", "every step, and the hash that results carry"},
    {"assay recipe show model.recipe.toml --json", "all keys with their values, for programs"},
};

}  // namespace

const Command recipe_show_command = {"show", "What a recipe does, step by step, and its hash",
                                     declare, examples};

}  // namespace assay::cli
