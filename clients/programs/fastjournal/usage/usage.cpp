#include "clients/programs/fastjournal/usage/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string_view>

namespace fastjournal::usage {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    std::size_t const end = text.find(',');
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> names_of(std::set<CLI::Option*> const& options) {
  std::vector<std::string> out;
  out.reserve(options.size());
  for (CLI::Option const* option : options) out.push_back(option->get_name());
  std::sort(out.begin(), out.end());
  return out;
}

// CLI11 joins the name of the type and what each check says with colons: "TEXT:{json,csv}".
void read_type(std::string_view type, Option& out) {
  std::size_t const end = type.find(':');
  out.value = type.substr(0, end);
  if (end == std::string_view::npos) return;
  std::string_view const checks = type.substr(end + 1);
  if (checks.starts_with('{') && checks.ends_with('}'))
    out.choices = split(checks.substr(1, checks.size() - 2));
  else
    out.limits = checks.substr(checks.rfind(':') + 1);
}

Option read(CLI::Option const& option) {
  Option out;
  bool const flag = option.get_expected_max() == 0;
  if (!flag) read_type(option.get_type_name(), out);
  // Such as --config, which CLI11 declares itself.
  if (!flag && out.value.empty()) out.value = "FILE";
  out.description = option.get_description();
  out.default_text = option.get_default_str();
  out.variable = option.get_envname();
  out.required = option.get_required();
  out.repeated = option.get_expected_max() > 1;
  out.needs = names_of(option.get_needs());
  out.excludes = names_of(option.get_excludes());
  return out;
}

}  // namespace

Usage usage_of(CLI::App const& app) {
  Usage out;
  out.name = app.get_name();
  out.description = app.get_description();
  out.footer = app.get_footer();
  for (CLI::Option const* option : app.get_options()) {
    Option const read_option = read(*option);
    if (option->get_positional()) {
      Option one = read_option;
      one.value = option->get_name(true);
      out.positionals.push_back(std::move(one));
    }
    Option one = read_option;
    for (std::string const& name : option->get_snames()) one.names.push_back("-" + name);
    for (std::string const& name : option->get_lnames()) one.names.push_back("--" + name);
    if (!one.names.empty()) out.options.push_back(std::move(one));
  }
  for (CLI::App const* below : app.get_subcommands([](CLI::App const*) { return true; }))
    out.below.push_back(usage_of(*below));
  return out;
}

}  // namespace fastjournal::usage
