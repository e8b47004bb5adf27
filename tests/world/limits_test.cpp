// Every limit, choice and default that a type's XML, or daemon.xml, declares of a parameter, tried over the wire: the value
// at a limit is taken, the one behind it refused with an error that names the parameter, and a default that is given
// changes nothing. What has no limit takes everything. So clients and documents can be made from the declaration.
#include <boost/test/unit_test.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/types.h"
#include "server/admin/declarations.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::limits_test {
namespace {

constexpr std::size_t kLongBytes = 100'000;
// In place of a type: the daemon's own commands.
constexpr char kDaemon[] = "daemon";

// What a command must have for a parameter to be looked at, beside what it requires: of one parameter, or of all.
std::map<std::string, std::string> const kAround{
    {"journal INSERT", "name=a"},
    {"journal INSERT client", "name=a;sequence=1"},
    {"journal INSERT sequence", "name=a;client=c"},
    {"journal DELETE", "status=parked"},
    {"journal DELETE row", ""},
    {"journal KICK", "status=parked"},
    {"journal KICK row", ""},
    {"journal PEEK", "name=a"},
    {"journal WHY", "name=a"},
    {"queue SEND", "queue=orders"},
    {"queue SEND queue", ""},
    {"queue SEND exchange", ""},
    {"queue SEND routing_key", "exchange=all"},
    {"queue SEND mandatory", "exchange=all"},
    {"queue SEND client", "queue=orders;sequence=1"},
    {"queue DECLARE", "queue=orders"},
    {"queue DECLARE queue", ""},
    {"queue DECLARE exchange", "kind=topic"},
    {"queue DECLARE kind", "exchange=other"},
    {"queue REMOVE", "queue=gone"},
    {"queue REMOVE exchange", ""},
    {"queue MOVE to", "queue=orders"},
    {"keyvalue SET client", "key=k;sequence=1"},
    {"keyvalue SET sequence", "key=k;client=c"},
    {"keyvalue GET after", "from=a"},
    {"keyvalue GET listen", "key=k"},
    {"keyvalue GET expiration_date", "key=k"},
    {"keyvalue GET ttl", "key=k"},
    {"keyvalue GET", ""},
    {"keyvalue", "key=k"},
    {"keyvalue TRUNCATE size", "key=text"},
    {"keyvalue RENAME key", "new_key=n"},
    {"keyvalue RENAME key_binary", "new_key=n"},
    {"keyvalue RENAME overwrite", "key=k;new_key=n"},
    {"keyvalue RENAME client", "key=k;new_key=n;sequence=1"},
    {"keyvalue RENAME sequence", "key=k;new_key=n;client=c"},
    {"keyvalue ALIAS key", "new_key=n"},
    {"keyvalue ALIAS key_binary", "new_key=n"},
    {"keyvalue ALIAS client", "key=k;new_key=n;sequence=1"},
    {"keyvalue ALIAS sequence", "key=k;new_key=n;client=c"},
    {"blob GET offset", "key=k;data=1"},
    {"blob GET length", "key=k;data=1"},
    {"blob LIST", ""},
    {"blob MAINTAIN", ""},
    {"blob ATTACH", ""},
    {"blob", "key=k"},
    {"daemon LISTEN", "table=scarce"},
    {"daemon LISTEN credit", "table=scarce;mode=deliver"},
    {"daemon LISTEN key", "table=values"},
    {"daemon LISTEN key_binary", "table=values"},
    {"daemon LISTEN prefix", "table=values"},
    {"daemon UNLISTEN", "table=values"},
    {"daemon WAITERS", "table=scarce"},
    {"daemon FETCH", "table=fed;from=0"},
    {"daemon FETCH from", "table=fed"},
    {"daemon FETCH snapshot", "table=fed"},
    {"daemon FETCH cursor", "table=fed;snapshot=1"},
};

// Not looked at where the row is not there, or the older plan; or only where the key is new.
std::set<std::string> const kUnreached{"keyvalue ADD persist", "pipeline CHILD again", "pipeline MIGRATE count",
                                       "pipeline MIGRATE after", "pipeline MIGRATE dry_run"};

// They end the daemon, or move its files.
std::set<std::string_view> const kNotAsked{"STOP", "RESTART", "LOG_ROTATE", "LOG"};

// So many bytes, in base64 for what is bytes.
std::string filled(std::string const& name, std::size_t bytes) {
  if (name == "properties") return "{" + std::string(bytes - 2, ' ') + "}";
  if (!name.ends_with("_binary")) return std::string(bytes, 'a');
  std::string out;
  for (; bytes >= 3; bytes -= 3) out += "YWFh";
  return out + (bytes == 2 ? "YWE=" : bytes == 1 ? "YQ==" : "");
}

// A value that is taken, of a parameter that is required.
std::string usual(ParameterDeclaration const& one) {
  if (!one.choices.empty()) return one.choices.front();
  return one.type == "integer" || one.type == "duration" || one.type == "date" ? "1" : "a";
}

struct Answered {
  std::string line;
  std::string code{};       // of an ERROR
  std::string parameter{};  // that it names
  std::string text{};
};

struct Daemon : Asking {
  Daemon() {
    for (char const* const name : {"world/tables/exchanged", "transcripts/jobs", "transcripts/scarce",
                                   "transcripts/values", "transcripts/post", "transcripts/docs", "transcripts/fed"}) {
      Status const added = world.add_table(std::string{FJ_SOURCE_DIR "/tests/"} + name + ".xml");
      BOOST_REQUIRE_MESSAGE(added.ok(), added.text());
    }
    start();
    for (char const* const line :
         {"INSERT table=scarce;name=a", "SEND table=post;queue=orders;body=a",
          "DECLARE table=post;exchange=all;kind=topic", "SET table=values;key=a;value=1",
          "SET table=values;key=b;value=2", "SET table=values;key=text;value=a", "PUT table=exchanged;key=a;data=YQ=="})
      ask(line);
  }

  // On a connection of its own: what waits or listens ends with it.
  Answered answer_of(std::string const& line) {
    Answered out{.line = ask("admin", line + (line.find(' ') == std::string::npos ? " request=r" : ";request=r"))};
    world.drop("admin");
    world.settle();
    Message message;
    if (!protocol::parse_line(out.line, message).ok() || message.command != "ERROR") return out;
    out.code = message.text("code");
    out.parameter = message.text("parameter");
    out.text = message.text("message");
    return out;
  }
  std::int64_t number_of(std::string const& table, Bound const& bound) {
    if (bound.option.empty()) return bound.value;
    if (bound.option == "transaction-timeout") return world.engine().transactions().limit().value;
    return world.declaration(table.empty() ? "values" : table)->option(bound.option).integer;
  }
};

class Prober {
 public:
  Prober(Daemon& daemon, std::string table, std::string type, CommandDeclaration const& command)
      : daemon_(daemon), table_(std::move(table)), type_(std::move(type)), command_(command) {}

  std::string line_with(ParameterDeclaration const& probed, std::optional<std::string> const& value) {
    std::string out;
    if (!table_.empty()) out += ";table=" + table_;
    for (ParameterDeclaration const& one : command_.parameters)
      if (one.required && one.name != "table" && one.name != probed.name) out += ";" + one.name + "=" + usual(one);
    for (std::string const& what :
         {type_ + " " + command_.name + " " + probed.name, type_ + " " + command_.name, type_}) {
      auto const around = kAround.find(what);
      if (around == kAround.end()) continue;
      // A key is given once.
      std::string const& given = around->second;
      if (!given.empty() && !("_" + probed.name).starts_with("_" + given.substr(0, given.find('='))))
        out += ";" + given;
      break;
    }
    if (value) out += ";" + probed.name + "=" + *value;
    return out.empty() ? command_.name : command_.name + " " + out.substr(1);
  }

  // `code`: bad_parameter or too_large; empty: it is not refused for its range, its length or its word.
  void expect(ParameterDeclaration const& probed, std::string const& value, std::string const& code) {
    Answered const got = daemon_.answer_of(line_with(probed, value));
    bool const names_it = got.parameter == probed.name || got.parameter + "_binary" == probed.name;
    auto const says = [&got](char const* words) { return got.text.find(words) != std::string::npos; };
    bool const is_of_range = probed.type == "string" ? !probed.choices.empty() && says("expected")
                                                     : says("a whole number") || says("a duration from");
    bool const is_limit = names_it && (got.code == "too_large" || is_of_range);
    std::string const shown = value.size() > 40 ? std::to_string(value.size()) + " bytes" : value;
    if (code.empty())
      BOOST_TEST(!is_limit, type_ << ' ' << command_.name << ": " << probed.name << '=' << shown
                                  << " is refused: " << got.line.substr(0, 300));
    else
      BOOST_TEST((names_it && got.code == code), type_ << ' ' << command_.name << ": " << probed.name << '=' << shown
                                                       << " is not refused as " << code
                                                       << ", but: " << got.line.substr(0, 300));
  }

  void probe(ParameterDeclaration const& one) {
    if (kUnreached.contains(type_ + " " + command_.name + " " + one.name)) return;
    if (one.type == "integer" || one.type == "duration")
      probe_number(one);
    else if (!one.choices.empty())
      probe_choices(one);
    else if (one.type == "string")
      probe_length(one);
  }

 private:
  void probe_number(ParameterDeclaration const& one) {
    BOOST_TEST(one.min.has_value(), type_ << ' ' << command_.name << ": " << one.name << " has no min");
    if (!one.min) return;
    std::int64_t const min = daemon_.number_of(table_, *one.min);
    expect(one, std::to_string(min), "");
    expect(one, std::to_string(min - 1), "bad_parameter");
    expect(one, "a", "bad_parameter");
    if (!one.max) return expect(one, "18446744073709551615", "");
    std::int64_t const max = daemon_.number_of(table_, *one.max);
    expect(one, std::to_string(max), "");
    expect(one, std::to_string(static_cast<std::uint64_t>(max) + 1), "bad_parameter");
  }
  void probe_choices(ParameterDeclaration const& one) {
    for (std::string const& choice : one.choices) expect(one, choice, "");
    expect(one, "nonsense", "bad_parameter");
  }
  void probe_length(ParameterDeclaration const& one) {
    if (!one.max) return expect(one, filled(one.name, kLongBytes), "");
    auto const max = static_cast<std::size_t>(daemon_.number_of(table_, *one.max));
    expect(one, filled(one.name, max), "");
    expect(one, filled(one.name, max + 1), "too_large");
  }

  Daemon& daemon_;
  std::string table_;
  std::string type_;
  CommandDeclaration const& command_;
};

std::vector<std::pair<std::string, std::string>> const kTables{{"scarce", "journal"},  {"post", "queue"},
                                                               {"values", "keyvalue"}, {"exchanged", "blob"},
                                                               {"docs", "pipeline"},   {"", kDaemon}};

std::vector<CommandDeclaration> commands_of(World const& world, std::string const& type) {
  if (type != kDaemon) return world.types().find(type)->second->declaration()->commands;
  std::vector<CommandDeclaration> out;
  for (admin::OwnCommand const& one : admin::own_commands())
    if (one.kind != admin::OwnCommand::Kind::silent && !kNotAsked.contains(one.name())) out.push_back(one.declared);
  // What types have in these places, they declare.
  for (CommandDeclaration& one : out)
    std::erase_if(one.parameters, [](ParameterDeclaration const& each) { return each.name.starts_with('{'); });
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(what_is_declared_is_taken_and_the_rest_is_refused) {
  for (auto const& [table, type] : kTables) {
    Daemon daemon;
    for (CommandDeclaration const& command : commands_of(daemon.world, type))
      for (ParameterDeclaration const& one : command.parameters)
        if (one.name != "table") Prober{daemon, table, type, command}.probe(one);
  }
}

// Two daemons with the same life, but that one is always told what the other has to take by itself.
BOOST_AUTO_TEST_CASE(a_default_that_is_given_changes_nothing) {
  for (auto const& [table, type] : kTables) {
    Daemon silent;
    Daemon told;
    for (CommandDeclaration const& command : commands_of(silent.world, type))
      for (ParameterDeclaration const& one : command.parameters) {
        if (!one.default_value) continue;
        Prober from_silent{silent, table, type, command};
        Prober from_told{told, table, type, command};
        std::string const value = std::to_string(told.number_of(table, *one.default_value));
        Answered const without = silent.answer_of(from_silent.line_with(one, std::nullopt));
        Answered const with = told.answer_of(from_told.line_with(one, value));
        BOOST_TEST(without.line == with.line,
                   type << ' ' << command.name << ": " << one.name << '=' << value << ": " << with.line);
      }
    std::string const digest = table.empty() ? "DIGEST" : "DIGEST table=" + table;
    BOOST_TEST(silent.ask("admin", digest) == told.ask("admin", digest));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::limits_test
