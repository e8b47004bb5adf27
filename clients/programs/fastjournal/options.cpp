#include "clients/programs/fastjournal/options.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/terminal_text.h"
#include "clients/programs/fastjournal/console.h"
#include "clients/programs/fastjournal/grammar.h"
#include "clients/programs/fastjournal/suggest.h"
#include "wire/bcdb/key.h"

namespace fastjournal::cli {

namespace {

Parsed usage_mistake(bool json, std::string const& what) {
  return {{},
          ExitCode::usage,
          json ? usage_error_json(what) : "fastjournal: " + printable_lines(what) + "\nTry: fastjournal --help\n"};
}

bool has_equals(std::string const& word) { return word.find('=') != std::string::npos; }

std::string contradiction_of_set(Invocation const& one) {
  bool const has_file = !one.file.empty();
  std::size_t const words = one.words.size();
  if (has_file && words != 1) return "kv set --file takes one KEY; its value is in the file";
  if (has_file || words == 1) {
    if (!has_file && !has_equals(one.words.front()) && one.pair.type != "void")
      return "kv set needs a value for " + one.words.front() +
             ": fastjournal kv set TABLE KEY VALUE, KEY=VALUE, KEY --file FILE, or --type void for none";
    return {};
  }
  bool const is_pair = words == 2 && !has_equals(one.words.front());
  if (is_pair && one.pair.type == "void") return "kv set --type void takes a KEY and no value";
  if (is_pair) return {};
  for (std::string const& word : one.words)
    if (!has_equals(word)) return "kv set takes KEY VALUE, or KEY=VALUE for each of many; '" + word + "' has no =";
  if (one.pair.if_timestamp || one.pair.if_value)
    return "--if-timestamp and --if-value are for one key: use one `kv set` for each";
  if (one.pair.type == "buffer") return "--type buffer is for one key: use one `kv set` for each";
  return {};
}

std::string contradiction_of_pairs(Invocation const& one) {
  PairOptions const& pair = one.pair;
  if (one.verb == "kv lock" && one.command.empty())
    return "kv lock needs a command to run: fastjournal kv lock TABLE KEY [OPTIONS] -- COMMAND...";
  if (one.verb == "kv watch" && pair.key.empty() != pair.prefix.has_value())
    return "kv watch needs a KEY, or else --prefix ('' for all keys)";
  if (pair.ttl && one.expires) return "--ttl and --expires exclude each other";
  if (one.client.empty() != !one.sequence) return "--client and --sequence belong together";
  return one.verb == "kv set" ? contradiction_of_set(one) : std::string{};
}

std::string contradiction_of_blobs(Invocation const& one) {
  BlobOptions const& blob = one.blob;
  if (blob.is_hash && !bcdb::key_of_digits(blob.key))
    return "--hash: '" + blob.key + "' is no hash of a key; expected 24 hex digits, as `blob ls` shows them";
  if (one.verb == "blob get" && one.json && blob.output.empty())
    return "blob get --json needs -o FILE: the bytes of a blob are no JSON; `blob stat` shows what is known of it";
  return {};
}

// Contradictions between options.
std::string contradiction(Invocation const& one) {
  if (one.verb == "work" && one.command.empty())
    return "work needs a command to run: fastjournal work TABLE [OPTIONS] -- COMMAND...";
  if (one.verb != "work" && one.verb != "kv lock" && !one.command.empty())
    return "-- means something with `work` and `kv lock` only";
  if (one.verb.starts_with("kv ")) return contradiction_of_pairs(one);
  if (one.verb.starts_with("blob ")) return contradiction_of_blobs(one);
  if (one.verb.starts_with("log ") && one.words.empty() && one.config.empty())
    return one.verb + " needs the folder of a log, or --config FILE";
  if ((one.verb == "delete" || one.verb == "kick") && !one.words.empty() &&
      (!one.filter.is_empty() || one.count || !one.after.empty() || one.dry_run))
    return one.verb + " takes a row or a key, or else a filter (--status, --domain, --prefix, --error), not both";
  if (one.verb == "delete" && one.words.empty() && one.filter.is_empty())
    return "delete needs a row, a key, or a filter: --status, --domain, --prefix or --error";
  if (one.verb == "kick" && one.words.empty() && one.filter.is_empty())
    return "kick needs a row, a key, or a filter: --status parked for all that are parked";
  if ((one.verb == "spool resend" || one.verb == "spool purge") && one.table.empty() != one.all)
    return one.verb + " needs a table, or --all for all of them";
  if (one.verb == "ls" && one.all && !one.json)
    return "ls --all needs --json: a table for people is made of at most --count rows";
  if (one.verb != "put") return {};
  bool const is_many = !one.from.empty();
  if (is_many && !one.words.empty()) return "put --from takes the columns from the file, not from the command line";
  if (!is_many && one.words.empty())
    return "put needs columns, those of the key at least: fastjournal put TABLE COLUMN=VALUE..., or --from FILE";
  if (!is_many && one.client.empty() != !one.sequence) return "--client and --sequence belong together";
  if (is_many && one.client.empty() && one.sequence) return "--sequence needs --client";
  return {};
}

std::vector<std::string> long_names(CLI::App const& app) {
  std::vector<std::string> out;
  for (CLI::Option const* option : app.get_options())
    for (std::string const& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

bool has_option(CLI::App const& app, std::string const& name) {
  return std::ranges::any_of(app.get_options(), [&](CLI::Option const* one) { return one->check_name(name); });
}

std::vector<std::string> names_of(std::vector<CLI::App*> const& commands) {
  std::vector<std::string> out;
  for (CLI::App const* command : commands) out.push_back(command->get_name());
  return out;
}

// CLI11's error as a sentence, with a suggestion for an unknown word.
std::string sentence_of(CLI::App& app, CLI::ParseError const& error) {
  std::vector<CLI::App*> const chosen = app.get_subcommands();
  auto const all = [](CLI::App const*) { return true; };
  std::vector<std::string> const rest = app.remaining(true);
  std::string const word = rest.empty() ? std::string() : rest.front();
  if (word.size() > 1 && word.front() == '-') {
    std::string const name = word.substr(0, word.find('='));
    // Those of the command itself, as `log verify`, and those of all.
    std::vector<std::string> names = long_names(app);
    std::string whose;
    for (CLI::App const* at = &app; at != nullptr;) {
      std::vector<CLI::App*> const next = at->get_subcommands();
      at = next.empty() ? nullptr : next.front();
      if (at == nullptr) break;
      whose += (whose.empty() ? "" : " ") + at->get_name();
      if (has_option(*at, name)) return "option '" + name + "' is of " + whose + ", and stands behind that";
      if (at->get_subcommands().empty())
        for (std::string& one : long_names(*at)) names.push_back(std::move(one));
    }
    return "there is no option '" + name + "'" + (whose.empty() ? "" : " of " + whose) + did_you_mean(name, names);
  }
  if (chosen.empty() && !word.empty())
    return "there is no command '" + word + "'" + did_you_mean(word, names_of(app.get_subcommands(all)));
  if (!chosen.empty() && !word.empty()) {
    std::vector<std::string> const below = names_of(chosen.front()->get_subcommands(all));
    if (!below.empty() && chosen.front()->get_subcommands().empty())
      return "there is no command '" + chosen.front()->get_name() + " " + word + "'" + did_you_mean(word, below);
  }
  return error.what();
}

}  // namespace

Parsed parse_arguments(std::vector<std::string> arguments) {
  Grammar grammar;
  // Options after -- belong to COMMAND.
  auto const dashes = std::find(arguments.begin(), arguments.end(), "--");
  bool const json = std::find(arguments.begin(), dashes, "--json") != dashes;
  if (dashes != arguments.end()) {
    grammar.invocation().command.assign(dashes + 1, arguments.end());
    bool const empty = grammar.invocation().command.empty();
    arguments.erase(dashes, arguments.end());
    if (empty) return usage_mistake(json, "nothing stands behind --");
  }
  // CLI11 expects them in reverse order.
  std::reverse(arguments.begin(), arguments.end());
  try {
    grammar.app().parse(arguments);
  } catch (CLI::Success const& asked) {
    std::ostringstream out;
    std::ostringstream err;
    grammar.app().exit(asked, out, err);
    return {{}, ExitCode::ok, wrapped_help(out.str())};
  } catch (CLI::ParseError const& error) {
    return usage_mistake(json, sentence_of(grammar.app(), error));
  }
  if (std::string const wrong = contradiction(grammar.invocation()); !wrong.empty()) return usage_mistake(json, wrong);
  return {std::move(grammar.invocation()), ExitCode::ok, {}};
}

usage::Usage declared_usage() {
  Grammar grammar;
  return usage::usage_of(grammar.app());
}

}  // namespace fastjournal::cli
