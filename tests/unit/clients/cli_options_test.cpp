// The command line: accepted words, and refusals with advice.
#include <boost/test/unit_test.hpp>

#include <set>
#include <sstream>

#include "clients/programs/fastjournal/put.h"
#include "clients/programs/fastjournal/usage/completion.h"
#include "clients/programs/fastjournal/worker.h"
#include "tests/unit/clients/run_line.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

// A verb that only has options.
template <typename T>
struct OptionsOnly {
  OptionSet& to;
  T given{to};

  ExitCode run(Call& /*call*/) { return ExitCode::ok; }
};

// Its options, of the words behind its name.
template <typename T>
T const& given_in(CommandLine const& command) {
  return dynamic_cast<Held<OptionsOnly<T>> const&>(*command.action).one.given;
}

template <typename T>
std::unique_ptr<CommandLine> parsed_as(std::vector<std::string> words) {
  static constexpr Verb kVerb[]{{"try", "try options", Needs::nothing, declare<OptionsOnly<T>>, ""}};
  static Group const kGroups[]{{"", "", {kVerb}}};
  words.insert(words.begin(), "try");
  Parsed out = parse_arguments(std::move(words), kGroups);
  BOOST_REQUIRE_MESSAGE(out.command != nullptr, out.output);
  return std::move(out.command);
}

struct SizeOnly {
  OptionSet& to;
  Size size{to, "--size", "in bytes"};
};

std::uint64_t size_of(std::string const& text) {
  return given_in<SizeOnly>(*parsed_as<SizeOnly>({"--size", text})).size.value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_options)

BOOST_AUTO_TEST_CASE(put_takes_columns_and_options_in_any_order) {
  std::vector<std::string> const words{"uri=http://x/?a=1,2",  "--priority", "20", "--at",       "+10s", "size=4",
                                       "--expires=2026-11-21", "--client",   "c",  "--sequence", "7"};
  std::vector<std::string> line{"put", "pages"};
  line.insert(line.end(), words.begin(), words.end());
  BOOST_TEST(parsed(line)->verb->name == "put");
  BOOST_TEST(parsed(line)->all.table == "pages");
  std::unique_ptr<CommandLine> const command = parsed_as<PutOptions>(words);
  PutOptions const& put = given_in<PutOptions>(*command);
  BOOST_TEST(static_cast<std::vector<std::string> const&>(put.columns) ==
                 (std::vector<std::string>{"uri=http://x/?a=1,2", "size=4"}),
             boost::test_tools::per_element());
  BOOST_TEST(put.priority.str() == "20");
  BOOST_TEST(put.at->from_now);
  BOOST_TEST(put.expires->ms == 1'795'219'200'000);
  BOOST_TEST(put.client.str() == "c");
  BOOST_TEST(put.sequence.value() == 7U);
}

BOOST_AUTO_TEST_CASE(global_options_stand_before_or_behind_the_command) {
  for (auto const& words : {std::vector<std::string>{"--json", "--server", "unix:/x", "--timeout", "2s", "ping"},
                            std::vector<std::string>{"ping", "--json", "--server", "unix:/x", "--timeout", "2s"}}) {
    Globals const ping = parsed(words)->all;
    BOOST_TEST(ping.json);
    BOOST_TEST(ping.server == "unix:/x");
    BOOST_TEST(ping.time_limit().count() == 2000);
  }
}

BOOST_AUTO_TEST_CASE(the_environment_names_the_server_unless_an_option_does) {
  BOOST_REQUIRE(::setenv("FASTJOURNAL_SERVER", "10.0.0.1:1", 1) == 0);
  BOOST_TEST(parsed({"ping"})->all.server == "10.0.0.1:1");
  BOOST_TEST(parsed({"--server", "h:2", "ping"})->all.server == "h:2");
  BOOST_REQUIRE(::unsetenv("FASTJOURNAL_SERVER") == 0);
  BOOST_TEST(parsed({"ping"})->all.server.empty());  // find_server chooses one
}

BOOST_AUTO_TEST_CASE(what_stands_behind_the_dashes_belongs_to_the_command) {
  std::unique_ptr<CommandLine> const command =
      parsed_as<WorkOptions>({"-j", "4", "--lease", "5s", "--", "put", "--json", "--", "-x"});
  WorkOptions const& work = given_in<WorkOptions>(*command);
  BOOST_TEST(work.jobs.value_or(0) == 4U);
  BOOST_TEST(work.lease->value == 5000);
  BOOST_TEST(!command->all.json);
  BOOST_TEST(static_cast<std::vector<std::string> const&>(work.command) ==
                 (std::vector<std::string>{"put", "--json", "--", "-x"}),
             boost::test_tools::per_element());
  BOOST_TEST(says(refused({"work", "pages"}), "-- COMMAND"));
  BOOST_TEST(says(refused({"work", "pages", "--"}), "nothing stands behind --"));
  BOOST_TEST(says(refused({"take", "pages", "--", "x"}), "`work` and `kv lock` only"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_refused_with_what_was_expected) {
  BOOST_TEST(says(refused({}), "subcommand"));
  BOOST_TEST(says(refused({"dance"}), "dance"));
  BOOST_TEST(says(refused({"put", "pages"}), "those of the key at least"));
  BOOST_TEST(says(refused({"put", "pages", "a=1", "--at", "soon"}), "'soon' is no date"));
  BOOST_TEST(says(refused({"put", "pages", "a=1", "--client", "c"}), "belong together"));
  BOOST_TEST(says(refused({"put", "pages", "a=1", "--from", "-"}), "from the file"));
  BOOST_TEST(says(refused({"take", "pages", "--lease", "1w"}), "'1w' is no duration"));
  BOOST_TEST(says(refused({"take", "pages", "--count", "0"}), "--count"));
  BOOST_TEST(says(refused({"done", "pages", "5"}), "EPOCH"));
  BOOST_TEST(says(refused({"done", "pages", "five", "6"}), "five"));
  BOOST_TEST(says(refused({"listen", "pages", "--mode", "all"}), "all"));
  BOOST_TEST(says(refused({"work", "pages", "--once", "--max", "3", "--", "x"}), "--max"));
  BOOST_TEST(says(refused({"ping", "--timeout", "x"}), "'x' is no duration"));
  BOOST_TEST(says(refused({"completion", "ksh"}), "ksh"));
}

BOOST_AUTO_TEST_CASE(numbers_are_refused_with_their_range) {
  BOOST_TEST(
      says(refused({"ls", "pages", "--count", "0"}), "--count: found '0', expected a whole number, 1 or more\n"));
  BOOST_TEST(says(refused({"done", "pages", "5", "6x"}), "EPOCH: found '6x', expected a whole number\n"));
  BOOST_TEST(says(refused({"work", "pages", "--fail-status", "0", "--", "x"}), "from 1 to 255"));
}

// The declarations of the table types have them (made_parameters.h).
BOOST_AUTO_TEST_CASE(an_option_that_is_a_parameter_has_its_limits) {
  BOOST_TEST(says(refused({"take", "pages", "--count", "1025"}),
                  "--count: found '1025', expected a whole number from 1 to 1024\n"));
  BOOST_TEST(says(refused({"pipeline", "retry", "docs", "--status", "lost"}), "lost not in {processing,"));
  BOOST_TEST(says(refused({"queue", "send", "post", "orders", "--priority", "4294967296"}),
                  "--priority: found '4294967296', expected a whole number"));
  BOOST_TEST(says(parse_arguments({"queue", "send", "--help"}).output, "(default 100)"));
  BOOST_TEST(says(refused({"queue", "peek", "post", "orders", "--status", "acquired"}), "acquired not in {due,"));
  BOOST_TEST(says(parse_arguments({"touch", "--help"}).output, "(default: the table's processing-timeout)"));
}

// The XML and the command line have the same parser.
BOOST_AUTO_TEST_CASE(sizes_are_spelled_as_in_the_configuration) {
  BOOST_TEST(size_of("50MiB") == 50U << 20U);
  BOOST_TEST(size_of("1048576") == 1U << 20U);
  BOOST_TEST(parsed({"backup", "d", "--rate", "50MiB"}) != nullptr);
  BOOST_TEST(parsed({"log", "resize", "d", "--container-size", "1048576"}) != nullptr);
  for (char const* const other : {"1M", "1mib", "1.5MiB", "1 MiB", "50MB"})
    BOOST_TEST(
        says(refused({"backup", "d", "--rate", other}), "expected a size: a whole number with one of the units"));
}

// A forgotten word must not affect all rows.
BOOST_AUTO_TEST_CASE(many_rows_want_a_filter) {
  BOOST_TEST(says(refused({"delete", "pages"}), "or a filter: --status, --domain, --prefix, --error or --tag"));
  BOOST_TEST(says(refused({"delete", "pages", "--count", "5"}), "or a filter"));
  BOOST_TEST(says(refused({"kick", "pages"}), "--status parked"));
  BOOST_TEST(says(refused({"kick", "pages", "--status", "lost"}), "processing"));
  BOOST_TEST(says(refused({"delete", "pages", "812", "--status", "due"}), "not both"));
  BOOST_TEST(says(refused({"kick", "pages", "uri=a", "--dry-run"}), "not both"));
  BOOST_TEST(says(refused({"ls", "pages", "--status", "lost"}), "parked"));
  // Of an option an empty word is a value: any error.
  talk(
      [](Peer& peer) {
        Message const kick = peer.expect("KICK");
        want(kick.has("error") && kick.text("error").empty() && kick.has("count"), "of many rows");
        peer.answer(kick, "KICKED", {number("count", 0), number("looked", 0)});
      },
      {"kick", "pages", "--error", ""});
  talk(
      [](Peer& peer) {
        Message const kick = peer.expect("KICK");
        want(kick.text("row") == "812" && !kick.has("count"), "of one row");
        peer.answer(kick, "KICKED", {number("row", 812)});
      },
      {"kick", "pages", "812"});
}

BOOST_AUTO_TEST_CASE(what_was_meant_is_suggested) {
  BOOST_TEST(says(refused({"stat"}), "there is no command 'stat'; did you mean stats?"));
  BOOST_TEST(says(refused({"list", "pages"}), "there is no command 'list'; did you mean ls?"));
  BOOST_TEST(says(refused({"put", "pages", "a=1", "--prio", "3"}),
                  "there is no option '--prio' of put; did you mean --priority?"));
  BOOST_TEST(says(refused({"--jsn", "ping"}), "did you mean --json?"));
  BOOST_TEST(says(refused({"log", "verfy", "d"}), "there is no command 'log verfy'; did you mean verify?"));
  BOOST_TEST(!says(refused({"gibberish"}), "did you mean"));
}

BOOST_AUTO_TEST_CASE(with_json_a_mistake_is_json_too) {
  BOOST_TEST(refused({"--json", "stat"}) ==
             "{\"error\":\"usage\",\"message\":\"there is no command 'stat'; did you mean stats?\"}\n");
  // This --json belongs to the row's command.
  BOOST_TEST(!says(refused({"take", "pages", "--", "x", "--json"}), "{"));
}

BOOST_AUTO_TEST_CASE(help_names_every_exit_code) {
  Parsed const help = parse_arguments({"--help"});
  BOOST_TEST(help.command == nullptr);
  BOOST_TEST((help.exit_code == ExitCode::ok));
  for (ExitCode const code :
       {ExitCode::ok, ExitCode::refused, ExitCode::usage, ExitCode::unreachable, ExitCode::nothing, ExitCode::failed,
        ExitCode::in_use, ExitCode::damaged, ExitCode::alerts})
    BOOST_TEST(says(help.output, "\n  " + std::to_string(static_cast<int>(code)) + "  "));
  BOOST_TEST(says(parse_arguments({"work", "--help"}).output, "FJ_<COLUMN>"));
  BOOST_TEST(!parse_arguments({"--version"}).output.empty());
}

// All commands, "log verify" for one below another.
std::vector<std::string> commands_of(usage::Usage const& from, std::string const& before = {}) {
  std::vector<std::string> out;
  for (usage::Usage const& verb : from.below) {
    std::string const name = before + verb.name;
    if (verb.below.empty()) out.push_back(name);
    for (std::string& below : commands_of(verb, name + " ")) out.push_back(std::move(below));
  }
  return out;
}

BOOST_AUTO_TEST_CASE(completion_knows_every_command_and_option) {
  usage::Usage const declared = declared_usage();
  for (std::string const& script :
       {usage::bash_completion(declared), usage::zsh_completion(declared), usage::fish_completion(declared)}) {
    BOOST_TEST(!says(script, "%NAME%"));
    for (usage::Usage const& verb : declared.below) {
      BOOST_TEST(says(script, verb.name));
      for (usage::Option const& option : verb.options) BOOST_TEST(says(script, option.names.back().substr(2)));
    }
  }
}

// Of an option that only another command of its group has, or that stands before its own command.
BOOST_AUTO_TEST_CASE(no_option_is_suggested_for_itself) {
  BOOST_TEST(says(refused({"kv", "get", "values", "k", "--prefix", "a"}), "there is no option '--prefix' of kv get"));
  BOOST_TEST(says(refused({"--yes", "delete", "pages", "7"}), "option '--yes' is of delete, and stands behind that"));
  BOOST_TEST(says(refused({"kv", "--ttl", "1s", "set", "values", "k", "v"}), "option '--ttl' is of kv set"));
  BOOST_TEST(says(refused({"log", "verify", "d", "--jsn"}), "of log verify; did you mean --json?"));
  std::size_t tried = 0;
  for (usage::Usage const& verb : declared_usage().below) {
    std::set<std::string> options;
    auto const collect = [&](usage::Usage const& from) {
      for (usage::Option const& option : from.options)
        if (option.names.back().starts_with("--")) options.insert(option.names.back());
    };
    collect(verb);
    for (usage::Usage const& below : verb.below) collect(below);
    for (std::string const& option : options) {
      std::vector<std::vector<std::string>> lines{{option, verb.name}};
      for (usage::Usage const& below : verb.below) {
        lines.push_back({verb.name, below.name, option});
        lines.push_back({verb.name, option, below.name});
      }
      for (std::vector<std::string> const& line : lines) {
        std::string const said = parse_arguments(line).output;
        BOOST_TEST(!says(said, "did you mean " + option + "?"), said);
        ++tried;
      }
    }
  }
  BOOST_TEST(tried > 500U);
}

// The words of a command as a shell reads them: quotes, and no more than the examples have.
std::vector<std::vector<std::string>> commands_in(std::string_view line) {
  std::vector<std::vector<std::string>> out{{}};
  std::string word;
  bool quoted = false;
  bool begun = false;
  auto const end = [&] {
    if (!begun) return;
    if (word == "|" || word == "||" || word == "&&" || word == ">" || word == ">>" || word == "<")
      out.emplace_back();
    else
      out.back().push_back(word);
    word.clear();
    begun = false;
  };
  for (char const c : line) {
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (c == ' ' && !quoted) {
      end();
    } else {
      word += c;
      begun = true;
    }
  }
  end();
  return out;
}

BOOST_AUTO_TEST_CASE(every_command_has_an_example_that_is_right) {
  std::set<std::string> seen;
  for (Group const& group : verb_groups())
    for (std::span<Verb const> const verbs : group.verbs)
      for (Verb const& verb : verbs) {
        std::istringstream lines{std::string{verb.examples}};
        for (std::string line; std::getline(lines, line);) {
          bool is_own = false;
          for (std::vector<std::string> const& words : commands_in(line)) {
            if (words.empty() || words.front() != "fastjournal") continue;
            Parsed const parsed = parse_arguments({words.begin() + 1, words.end()});
            BOOST_TEST(parsed.command, line << ": " << parsed.output);
            is_own = is_own || (parsed.command && parsed.command->verb == &verb);
          }
          BOOST_TEST(is_own, line);
          seen.insert(std::string{verb.name});
        }
        std::vector<std::string> help;
        std::istringstream name{std::string{verb.name}};
        for (std::string word; name >> word;) help.push_back(word);
        help.emplace_back("--help");
        BOOST_TEST(says(parse_arguments(help).output,
                        "Example:\n  " + std::string{verb.examples.substr(0, verb.examples.find('\n'))}));
      }
  for (std::string const& command : commands_of(declared_usage()))
    BOOST_TEST(seen.contains(command), command << " has no example");
}

// A terminal of 100 columns shows each line of it as it is meant.
BOOST_AUTO_TEST_CASE(no_line_of_help_is_longer_than_100) {
  std::vector<std::vector<std::string>> commands{{}};
  usage::Usage const all = declared_usage();
  for (usage::Usage const& command : all.below) {
    commands.push_back({command.name});
    for (usage::Usage const& below : command.below) commands.push_back({command.name, below.name});
  }
  BOOST_TEST(commands.size() > 50U);
  for (std::vector<std::string> words : commands) {
    words.emplace_back("--help");
    std::istringstream lines{parse_arguments(words).output};
    for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 100U, line);
  }
}

BOOST_AUTO_TEST_SUITE_END()
