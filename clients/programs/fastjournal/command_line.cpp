#include "clients/programs/fastjournal/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/terminal_text.h"
#include "model/nearest.h"

namespace fastjournal::cli {

namespace {

constexpr char kDescription[] = "fastjournal: put work into the tables of a fastjournald, take it out, watch it.";

constexpr char kFooter[] =
    "Exit codes:\n"
    "  0  done\n"
    "  1  the daemon refused, or a file could not be read or written; the reason is on standard error;\n"
    "     import: at least one job was refused, or a signal ended it\n"
    "  2  the command line, a file or the input is wrong\n"
    "  3  no connection to the daemon, or no answer in time\n"
    "  4  nothing to do: take, work --once or listen --wait found nothing; apply or spool purge was answered with no,\n"
    "     or there was nothing to resend or purge; kv: a key has no value, or nothing was changed, or locked;\n"
    "     blob: there is no such blob, or no maintenance; import: there are no jobs\n"
    "  5  work: COMMAND failed for at least one row\n"
    "  6  log: a daemon, or another tool, has the folder\n"
    "  7  log, blob: what is stored is damaged\n"
    "  8  alerts: at least one is up; spool status: somebody must do something\n"
    "  9  doctor: at least one warning, and no error\n"
    "  10 doctor: at least one error\n"
    "With --json errors are JSON too, one object a line on standard error.\n"
    "\n"
    "Durations: 500ms 10s 5m 2h 3d. Dates: +10s, 2026-11-21T12:00:00Z (UTC, also without Z),\n"
    "2026-11-21T13:00:00+0100, milliseconds since 1970, now. `fastjournal COMMAND --help` says more\n"
    "about each command.";

}  // namespace

Result<std::uint64_t> WholeNumbers::operator()(std::string_view text) const {
  std::uint64_t out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  bool const number = error == std::errc{} && end == text.data() + text.size();
  if (number && out >= least && out <= most) return out;
  std::string range = "expected a whole number";
  if (most != UINT64_MAX)
    range += " from " + std::to_string(least) + " to " + std::to_string(most);
  else if (least > 0)
    range += ", " + std::to_string(least) + " or more";
  return Status{Code::bad_parameter, "found '" + std::string(text) + "', " + range};
}

// ---------------------------------------------------------------------------
// Options

void required(CLI::Option& option) { option.required(); }

void alone(CLI::Option& option) { option.required()->allow_extra_args(); }

void one_each(CLI::Option& option) { option.allow_extra_args(false); }

Rule expected(int least, int most) {
  return [least, most](CLI::Option& option) { option.expected(least, most); };
}

Rule called(std::string const& value) {
  return [value](CLI::Option& option) { option.type_name(value); };
}

Rule repeated(std::string const& value) {
  return [value](CLI::Option& option) { option.type_name(value)->expected(1)->take_all(); };
}

Rule one_of(std::string_view words) {
  return [all = CLI::detail::split_up(std::string{words})](CLI::Option& option) {
    if (!all.empty()) option.check(CLI::IsMember(all));
  };
}

Rule excludes(OneOption const& other) {
  return [made = other.made()](CLI::Option& option) { option.excludes(made); };
}

Rule only_with(OneOption const& other) {
  return [made = other.made()](CLI::Option& option) { option.needs(made); };
}

CLI::Option* OptionSet::flag(std::string const& name, bool& out, std::string const& description) {
  return app_.add_flag(name, out, description);
}

CLI::Option* OptionSet::text(std::string const& name, std::string& out, std::string const& description) {
  return app_.add_option(name, out, description);
}

CLI::Option* OptionSet::words(std::string const& name, std::vector<std::string>& out, std::string const& description) {
  return app_.add_option(name, out, description);
}

// CLI11 expects exceptions for our returned errors: the one door between the two.
CLI::Option* OptionSet::parsed(std::string const& name, std::string const& value, std::string const& description,
                               Take take) {
  auto const taken = [name, take = std::move(take)](CLI::results_t const& given) {
    Status const status = take(given.back());
    if (!status.ok()) throw CLI::ValidationError(name + ": " + status.message(), CLI::ExitCodes::ValidationError);
    return true;
  };
  return app_.add_option(name, taken, description)->type_name(value);
}

// ---------------------------------------------------------------------------
// Verbs

// Owned by one call that parses or asks for words.
class Grammar {
 public:
  explicit Grammar(std::span<Group const> groups) : app_(kDescription, "fastjournal") {
    app_.footer(kFooter);
    app_.require_subcommand(1);
    add_globals(command_->all);
    for (Group const& group : groups) {
      CLI::App* const to =
          group.name.empty() ? &app_ : app_.add_subcommand(std::string{group.name}, std::string{group.description});
      if (to != &app_) to->fallthrough()->require_subcommand(1);
      for (std::span<Verb const> const verbs : group.verbs)
        for (Verb const& verb : verbs) add(*to, verb, group.name.empty() ? 0 : group.name.size() + 1);
    }
  }
  Grammar(Grammar const&) = delete;
  Grammar& operator=(Grammar const&) = delete;

  CLI::App& app() { return app_; }
  // What is wrong with the words that were parsed, and those behind --; empty: take() has them.
  std::string finish(std::vector<std::string> behind_dashes) {
    if (!behind_dashes.empty() && chosen_->command == nullptr)
      return "-- means something with `work` and `kv lock` only";
    if (!behind_dashes.empty()) *chosen_->command = std::move(behind_dashes);
    command_->verb = chosen_->verb;
    command_->action = std::move(chosen_->action);
    return command_->action->contradiction(command_->all);
  }
  std::unique_ptr<CommandLine> take() { return std::move(command_); }

 private:
  struct Declared {
    Verb const* verb;
    std::unique_ptr<Action> action;
    std::vector<std::string>* command;
  };

  // Global options may follow the verb too.
  void add(CLI::App& to, Verb const& verb, std::size_t prefix) {
    CLI::App& app = *to.add_subcommand(std::string{verb.name.substr(prefix)}, std::string{verb.description});
    app.fallthrough();
    auto options = std::make_unique<OptionSet>(app, command_->all);
    if (verb.needs == Needs::table) static_cast<void>(TableName{*options});
    Declared& one = declared_.emplace_back(Declared{&verb, verb.declare(*options), options->command_});
    one.action->options = std::move(options);
    app.callback([this, &one] { chosen_ = &one; });
    // Without one of its own it has that of all.
    std::string footer = verb.footer.empty() ? app.get_footer() : std::string{verb.footer};
    footer.append(footer.empty() ? "" : "\n").append(kExample);
    for (std::size_t begin = 0; begin < verb.examples.size();) {
      std::size_t const end = std::min(verb.examples.find('\n', begin), verb.examples.size());
      footer.append("\n  ").append(verb.examples.substr(begin, end - begin));
      begin = end + 1;
    }
    app.footer(footer);
  }

  void add_globals(Globals& all) {
    app_.add_option("--server", all.server,
                    "HOST:PORT, [IPV6]:PORT or unix:PATH of the daemon; tls:HOST:PORT where it speaks TLS; several "
                    "daemons that share tables have commas between them")
        ->envname("FASTJOURNAL_SERVER")
        ->check(CLI::Validator(
            [](std::string const& given) {
              return given.empty() ? std::string("it is empty: leave it out for the installed daemon") : std::string();
            },
            ""))
        ->default_str("where the installed daemon is: its administrator's socket, or what its file names");
    app_.add_option("--ca", all.ca_file, "with tls: the authorities that you trust, in PEM format")
        ->envname("FASTJOURNAL_CA")
        ->type_name("FILE")
        ->default_str("the system's");
    app_.add_option("--certificate", all.certificate_file,
                    "with tls: your certificate, in PEM format, where the daemon wants one")
        ->envname("FASTJOURNAL_CERTIFICATE")
        ->type_name("FILE");
    app_.add_option("--key", all.key_file, "with tls: the key of your certificate")
        ->envname("FASTJOURNAL_KEY")
        ->type_name("FILE");
    app_.add_option("--token-file", all.token_file,
                    "file of mode 0600 with the token of a user, who logs in with it; the token itself may be in "
                    "FASTJOURNAL_TOKEN")
        ->envname("FASTJOURNAL_TOKEN_FILE")
        ->type_name("FILE")
        ->default_str("what `fastjournal login` has kept for this server");
    app_.add_flag("--json", all.json, "one JSON object a line instead of text for people");
    app_.add_flag("--utc", all.utc, "show dates in UTC; at a terminal they are in your time zone");
    app_.add_flag("--text", all.text, "speak text messages instead of msgpack");
    OptionSet options{app_, all};
    options
        .parsed("--timeout", Durations::kName, "how long to wait for an answer, reconnecting included",
                [&all](std::string_view text) {
                  Result<DurationMs> const given = parse_duration(text);
                  if (given.ok()) all.timeout = given.value();
                  return given.status();
                })
        ->default_str("30s");
    app_.set_version_flag("--version", FJ_VERSION);
  }

  CLI::App app_;
  std::unique_ptr<CommandLine> command_{std::make_unique<CommandLine>()};
  std::deque<Declared> declared_;
  Declared* chosen_{nullptr};
};

namespace {

Parsed usage_mistake(bool json, std::string const& what) {
  return {nullptr, ExitCode::usage,
          json ? usage_error_json(what) : "fastjournal: " + printable_lines(what) + "\nTry: fastjournal --help\n"};
}

// Other tools' names of our commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kElsewhere{{{"add", "put"},
                                                                                    {"ack", "done"},
                                                                                    {"get", "peek"},
                                                                                    {"insert", "put"},
                                                                                    {"list", "ls"},
                                                                                    {"next", "take"},
                                                                                    {"nack", "release"},
                                                                                    {"reserve", "take"},
                                                                                    {"remove", "delete"},
                                                                                    {"restore", "kick"},
                                                                                    {"retry", "kick"},
                                                                                    {"rm", "delete"},
                                                                                    {"show", "peek"},
                                                                                    {"shutdown", "stop"}}};

std::string_view meant(std::string_view word, std::span<std::string const> names) {
  for (auto const& [theirs, ours] : kElsewhere)
    if (theirs == word && std::find(names.begin(), names.end(), ours) != names.end()) return ours;
  constexpr std::size_t kBeginningMin = 3;
  std::string_view begun;
  for (std::string const& name : names)
    if (word.size() >= kBeginningMin && name.starts_with(word) && (begun.empty() || name.size() < begun.size()))
      begun = name;
  if (!begun.empty()) return begun;
  std::vector<std::string_view> const views(names.begin(), names.end());
  return model::nearest(word, views);
}

// "; did you mean NAME?" if one of `names` is similar, begins with `word`, or is its name in other tools; else empty.
std::string did_you_mean(std::string_view word, std::span<std::string const> names) {
  std::string_view const name = meant(word, names);
  return name.empty() ? std::string() : "; did you mean " + std::string(name) + "?";
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

Parsed parse_arguments(std::vector<std::string> arguments, std::span<Group const> groups) {
  Grammar grammar{groups};
  // Options after -- belong to COMMAND.
  auto const dashes = std::find(arguments.begin(), arguments.end(), "--");
  bool const json = std::find(arguments.begin(), dashes, "--json") != dashes;
  std::vector<std::string> behind_dashes;
  if (dashes != arguments.end()) {
    behind_dashes.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    if (behind_dashes.empty()) return usage_mistake(json, "nothing stands behind --");
  }
  // CLI11 expects them in reverse order.
  std::reverse(arguments.begin(), arguments.end());
  try {
    grammar.app().parse(arguments);
  } catch (CLI::Success const& asked) {
    std::ostringstream out;
    std::ostringstream err;
    grammar.app().exit(asked, out, err);
    return {nullptr, ExitCode::ok, wrapped_help(out.str())};
  } catch (CLI::ParseError const& error) {
    return usage_mistake(json, sentence_of(grammar.app(), error));
  }
  if (std::string const wrong = grammar.finish(std::move(behind_dashes)); !wrong.empty())
    return usage_mistake(json, wrong);
  return {grammar.take(), ExitCode::ok, {}};
}

usage::Usage declared_usage() {
  Grammar grammar{verb_groups()};
  return usage::usage_of(grammar.app());
}

ExitCode CommandLine::run(Console& console) {
  Call call{all, verb->name, console};
  if (needs() >= Needs::connection)
    if (Status const connected = call.connect(); !connected.ok()) return call.unconnected(connected);
  return action->run(call);
}

}  // namespace fastjournal::cli
