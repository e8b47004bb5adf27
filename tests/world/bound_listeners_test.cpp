// Listeners that are bound to a table, in the simulator: no command reaches another table, whoever logs in there. And
// those of tables' files: a reload opens, changes and stops them, wholly or not at all.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "server/admin/declarations.h"
#include "tests/world/asking.h"

namespace fastjournal::sim::bound_listeners_test {
namespace {

constexpr char kDoor[] = "127.0.0.1:4051";
constexpr char kOther[] = "127.0.0.1:4052";

access::ListenDeclaration at(std::string address, std::string table, Rights rights = kLoopbackRights) {
  return {.address = address, .rights = rights, .table = table, .place = table + ".xml:3: <listen>"};
}

access::Token token() {
  std::string const random(access::kSaltBytes + access::kSecretBytes, 's');
  return access::Token::make(
      std::span<char const, access::kSaltBytes + access::kSecretBytes>{random.data(), random.size()});
}

struct Doors : Asking {
  Doors() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml").ok());
    for (std::string const name : {"jobs", "mail"}) add(name);
    world.remove_table("bare");
  }
  void add(std::string const& name) {
    auto copy = std::make_shared<TableDeclaration>(*world.declaration("bare"));
    copy->name = name;
    world.add_table(std::move(copy));
  }
  void add_ops() {
    Result<access::TokenHash> hash = access::TokenHash::of(token(), access::kHashCostLeast);
    BOOST_REQUIRE(hash.ok());
    access::Users users;
    BOOST_REQUIRE(users.add({.name = "ops", .grants = {{.rights = kAllRights}}, .token = std::move(hash).value()}));
    world.set_users(std::move(users));
  }
  // All lines.
  std::string all(std::string const& client, std::string_view line) {
    world.send(client, line);
    world.settle();
    return rest(client);
  }
  std::string rest(std::string const& client) {
    std::string out;
    while (std::optional<std::string> const one = world.take_line(client)) out += *one + "\n";
    return out;
  }
  static bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
  std::string reload() { return ask("admin", "RELOAD"); }
  static std::string changed(std::size_t count, std::string const& changes) {
    return "RELOADED changes=" + changes + ";count=" + std::to_string(count) + ";";
  }
};

// At its listener.
struct Bound : Doors {
  Bound() {
    world.own_listeners = {at(kDoor, "jobs")};
    add_ops();
    start();
    world.come_by("jo", kDoor);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(bound_listeners, Doors)

BOOST_FIXTURE_TEST_CASE(its_table_need_not_be_named, Bound) {
  BOOST_TEST(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  BOOST_TEST(has(all("jo", "LIST"), "table=jobs"));
  BOOST_TEST(ask("jo", "PAUSE").starts_with("PAUSED "));
  BOOST_TEST(ask("jo", "RESUME").starts_with("RESUMED "));
  BOOST_TEST(ask("jo", "NEXT table=jobs").starts_with("ROW "));
  BOOST_TEST(ask("jo", "LISTEN") == "LISTENING table=jobs;");
  BOOST_TEST(ask("jo", "UNLISTEN") == "UNLISTENED table=jobs;");
  BOOST_TEST(ask("main", "INSERT name=a").starts_with("ERROR code=missing_parameter"));
}

BOOST_FIXTURE_TEST_CASE(no_command_reaches_another_table, Bound) {
  BOOST_TEST(
      ask("jo", "INSERT table=mail;name=a") ==
      "ERROR bound=jobs;code=not_allowed;command=INSERT;message=\"INSERT on table mail: connections that come by "
      "127.0.0.1:4051 are for table jobs only; use another address or socket\";table=mail;");
  std::vector<std::string> commands;
  for (admin::OwnCommand const& command : admin::own_commands())
    if (command.takes_table()) commands.emplace_back(command.name());
  std::size_t const own = commands.size();
  BOOST_TEST(own >= 7U);
  for (auto const& [name, type] : world.types())
    for (engine::CommandType const& command : type->commands()) commands.push_back(command.name);
  BOOST_TEST(commands.size() > own + 10);
  for (int logged_in = 0; logged_in < 2; ++logged_in) {
    for (std::string const& command : commands) {
      BOOST_TEST_CONTEXT(command << " as " << (logged_in == 0 ? "nobody" : "ops")) {
        // The name of a table that does not exist is no more telling.
        for (std::string const table : {"mail", "nothing"}) {
          std::string const answer = all("jo", command + " table=" + table);
          BOOST_TEST(has(answer, "code=not_allowed"), answer);
          BOOST_TEST(has(answer, "come by 127.0.0.1"), answer);
          BOOST_TEST(has(answer, "for table jobs only"), answer);
        }
      }
    }
    if (logged_in == 0)
      BOOST_REQUIRE(ask("jo", "AUTH token=" + std::string{token().text()}) ==
                    "AUTHENTICATED rights=read add work manage admin;table=jobs;user=ops;");
  }
  BOOST_TEST(ask("main", "PEEK table=mail;name=a").starts_with("ERROR code=unknown_row"));
}

BOOST_FIXTURE_TEST_CASE(what_shows_all_tables_shows_this_one_and_nothing_of_the_daemon, Bound) {
  BOOST_REQUIRE(ask("main", "INSERT table=mail;name=a").starts_with("INSERTED "));
  BOOST_REQUIRE(ask("jo", "AUTH token=" + std::string{token().text()}).starts_with("AUTHENTICATED"));
  for (std::string const command : {"STATS", "TABLES", "METRICS", "ALERTS"}) {
    std::string const answer = all("jo", command);
    BOOST_TEST(!has(answer, "mail"), answer);
    BOOST_TEST(!has(answer, "connections"), answer);
    BOOST_TEST((command == "ALERTS" || has(answer, "jobs")), answer);
  }
  BOOST_TEST(has(ask("jo", "RIGHTS"), ";rights=read add work manage admin;table=jobs;user=ops;"));
  for (std::string const command : {"RELOAD", "STOP", "DIGEST", "BACKUP", "BACKUP_DONE", "LOG_ROTATE", "RESTART"})
    BOOST_TEST(has(all("jo", command), "code=not_allowed"), command);
  for (std::string const command : {"HELP", "ALIVE", "HEALTH"}) BOOST_TEST(!has(all("jo", command), "ERROR"), command);
  BOOST_TEST(world.stop_reason().empty());
}

BOOST_FIXTURE_TEST_CASE(a_bound_listener_has_its_own_rights_only, Bound) {
  world.own_listeners = {at(kDoor, "jobs", {Right::add})};
  BOOST_REQUIRE(world.stop().ok());
  start();
  world.come_by("jo", kDoor);
  BOOST_TEST(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  std::string const refused = ask("jo", "LIST");
  BOOST_TEST(has(refused, "code=not_allowed"), refused);
  BOOST_TEST(has(refused, "right=read"), refused);
}

BOOST_FIXTURE_TEST_CASE(http_is_bound_in_the_same_way, Bound) {
  world.own_listeners = {at(kDoor, "jobs")};
  world.own_listeners.front().protocol = access::kHttp;
  BOOST_REQUIRE(world.stop().ok());
  start();
  world.come_by("jo", kDoor);
  auto const post = [&](std::string const& command, std::string const& body) {
    world.connection("jo").to_server.append("POST /v1/" + command +
                                            " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
                                            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    world.settle();
    return rest("jo") + std::exchange(world.connection("jo").to_client, {});
  };
  BOOST_TEST(has(post("INSERT", R"({"name":"a"})"), "\"command\":\"INSERTED\""));
  std::string const refused = post("INSERT", R"({"table":"mail","name":"a"})");
  BOOST_TEST(refused.starts_with("HTTP/1.1 403 "), refused + "|");
  BOOST_TEST(has(refused, "for table jobs only"), refused);
}

BOOST_FIXTURE_TEST_CASE(datagrams_are_bound_in_the_same_way, Bound) {
  ConnectionId socket{};
  world.configure = [&](server::Server& server) {
    socket = world.network().receive_datagrams({})->id;
    server.datagrams().take(socket, {.secret = {}, .table = "jobs"});
  };
  BOOST_REQUIRE(world.stop().ok());
  start();
  for (std::string const line : {"INSERT name=a", "INSERT table=jobs;name=b", "INSERT table=mail;name=c"})
    world.network().datagram_to_server(socket, line + "\n");
  world.settle();
  BOOST_TEST(ask("main", "PEEK table=jobs;name=a").starts_with("ROW "));
  BOOST_TEST(ask("main", "PEEK table=jobs;name=b").starts_with("ROW "));
  BOOST_TEST(ask("main", "PEEK table=mail;name=c").starts_with("ERROR code=unknown_row"));
  BOOST_TEST(stat("udp_refused") == 1);
}

BOOST_FIXTURE_TEST_CASE(its_table_must_be_declared_and_stays_declared, Bound) {
  world.remove_table("jobs");
  std::string const refused = reload();
  BOOST_TEST(refused.starts_with("ERROR code=bad_configuration"), refused);
  BOOST_TEST(has(refused, "jobs.xml:3: <listen>: no table \\\"jobs\\\" is declared"), refused);
  BOOST_TEST(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  BOOST_TEST(ask("jo", "DELETE name=a").starts_with("DELETED "));
  BOOST_REQUIRE(reload().starts_with("ERROR code=bad_configuration"));
  Status const status = server::check_listeners({}, {}, world.own_listeners, {});
  BOOST_TEST((status.code() == Code::bad_configuration));
  BOOST_TEST(has(status.message(), "jobs.xml:3: <listen>: no table \"jobs\" is declared"), status.message());
}

BOOST_AUTO_TEST_CASE(a_reload_opens_and_stops_them) {
  start();
  world.table_listeners = {at(kDoor, "jobs")};
  BOOST_TEST(reload() == changed(1, "table jobs: listens on 127.0.0.1:4051"));
  world.come_by("jo", kDoor);
  BOOST_TEST(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  BOOST_TEST(ask("jo", "LISTEN").starts_with("LISTENING "));
  BOOST_TEST(ask("main", "INSERT table=jobs;name=b").starts_with("INSERTED "));

  // A second one leaves the first alone.
  world.table_listeners.push_back(at(kOther, "mail"));
  BOOST_TEST(reload() == changed(1, "table mail: listens on 127.0.0.1:4052"));
  BOOST_TEST(reload() == changed(0, ""));
  BOOST_TEST(!world.is_closed("jo"));
  world.come_by("ma", kOther);
  BOOST_TEST(has(ask("ma", "INSERT name=a"), "table=mail"));
  static_cast<void>(rest("jo"));

  world.table_listeners.erase(world.table_listeners.begin());
  BOOST_TEST(reload() == changed(1, "table jobs: does not listen on 127.0.0.1:4051 any more, its connections end"));
  std::string const last = rest("jo");
  BOOST_TEST(has(last, "ERROR code=closed;command=CONNECT;"), last);
  BOOST_TEST(has(last, "127.0.0.1"), last);
  BOOST_TEST(world.is_closed("jo"));
  BOOST_TEST(world.network().listener_at(kDoor) == 0U);
  BOOST_TEST(!world.is_closed("ma"));
}

BOOST_AUTO_TEST_CASE(they_are_there_after_a_start_and_survive_restarts) {
  world.table_listeners = {at(kDoor, "jobs")};
  start();
  for (int round = 0; round < 2; ++round) {
    world.come_by("jo", kDoor);
    BOOST_TEST(ask("jo", "INSERT name=a" + std::to_string(round)).starts_with("INSERTED "));
    world.kill();
    start();
  }
}

BOOST_AUTO_TEST_CASE(a_changed_one_ends_its_connections_and_never_stops) {
  world.table_listeners = {at(kDoor, "jobs")};
  start();
  world.come_by("jo", kDoor);
  BOOST_REQUIRE(ask("jo", "LIST").starts_with("NOTHING"));
  world.table_listeners.front().rights = {Right::add};
  BOOST_TEST(reload() == changed(1, "table jobs: another listener on 127.0.0.1:4051, connections of the old one end"));
  BOOST_TEST(has(rest("jo"), "ERROR code=closed"));
  BOOST_TEST(world.is_closed("jo"));
  world.come_by("jo", kDoor);
  BOOST_TEST(has(ask("jo", "LIST"), "right=read"));
  BOOST_TEST(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  // To another table.
  world.table_listeners = {at(kDoor, "mail")};
  BOOST_TEST(reload() == changed(1, "table jobs: another listener on 127.0.0.1:4051, connections of the old one end"));
  BOOST_TEST(world.is_closed("jo"));
  world.come_by("jo", kDoor);
  BOOST_TEST(has(ask("jo", "INSERT name=a"), "table=mail"));
  BOOST_TEST(world.network().listeners() == 1U);
}

// Its connections have rights by their number.
BOOST_AUTO_TEST_CASE(a_number_is_not_given_again_while_a_connection_has_it) {
  world.table_listeners = {at(kDoor, "jobs", {Right::add})};
  world.log_options.sync_place = log::SyncPlace::on_thread;
  start();
  world.come_by("jo", kDoor);
  std::uint32_t const number = world.network().listener_at(kDoor);
  // Its answer waits for the log, so it stays.
  world.hold_flushes(true);
  BOOST_TEST(ask("jo", "INSERT name=a") == "(nothing)");
  world.table_listeners.clear();
  BOOST_TEST(reload() == "(nothing)");
  BOOST_TEST(!world.is_closed("jo"));
  world.table_listeners = {at(kOther, "mail")};
  BOOST_TEST(reload() == "(nothing)");
  BOOST_TEST(world.network().listener_at(kOther) != number);
  world.hold_flushes(false);
  world.settle();
  std::string const last = rest("jo");
  BOOST_TEST(last.starts_with("INSERTED "), last);
  BOOST_TEST(has(last, "\nERROR code=closed"), last);
  BOOST_TEST(world.is_closed("jo"));
  BOOST_TEST(has(rest("admin"), "listens on 127.0.0.1:4052"));
  world.table_listeners.push_back(at(kDoor, "jobs"));
  BOOST_TEST(reload().starts_with("RELOADED"));
  BOOST_TEST(world.network().listener_at(kDoor) == number);
}

BOOST_AUTO_TEST_CASE(a_reload_that_cannot_have_an_address_changes_nothing) {
  world.table_listeners = {at(kDoor, "jobs")};
  start();
  world.come_by("jo", kDoor);
  BOOST_REQUIRE(ask("jo", "INSERT name=a").starts_with("INSERTED "));
  world.network().take_address("127.0.0.1:4060");
  world.table_listeners = {at(kOther, "jobs"), at("127.0.0.1:4060", "more")};
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml").ok());
  add("more");
  world.remove_table("bare");
  for (std::string const line : {"RELOAD dry_run=1", "RELOAD", "RELOAD table=more"}) {
    std::string const refused = ask("admin", line);
    BOOST_TEST(refused.starts_with("ERROR code=in_use;"), refused);
    BOOST_TEST(has(refused, "listen on 127.0.0.1"), refused);
    BOOST_TEST(has(refused, "Address already in use"), refused);
    BOOST_TEST(has(refused, "more.xml"), refused);
    BOOST_TEST(ask("jo", "LIST").starts_with("ROW "));
    BOOST_TEST(world.network().listeners() == 1U);
    BOOST_TEST(ask("main", "INSERT table=more;name=a").starts_with("ERROR code=unknown_table"));
  }
  // In the log of the daemon, too: whoever asked may be a script that nobody looks at.
  auto const is_refusal = [](std::string const& note) {
    return note.starts_with("reload refused: ") && has(note, "more.xml");
  };
  BOOST_TEST(std::ranges::count_if(world.notes(), is_refusal) == 2);
  world.network().free_address("127.0.0.1:4060");
  BOOST_TEST(ask("admin", "RELOAD dry_run=1").starts_with("RELOADED "));
  BOOST_TEST(world.network().listeners() == 1U);
  BOOST_TEST(reload().starts_with("RELOADED "));
  BOOST_TEST(world.is_closed("jo"));
  BOOST_TEST(world.network().listeners() == 2U);
}

BOOST_AUTO_TEST_CASE(a_reload_of_one_table_concerns_its_listeners_alone) {
  world.table_listeners = {at(kDoor, "jobs"), at(kOther, "mail")};
  start();
  world.table_listeners.clear();
  BOOST_TEST(ask("admin", "RELOAD table=mail") ==
             changed(1, "table mail: does not listen on 127.0.0.1:4052 any more, its connections end"));
  BOOST_TEST(world.network().listener_at(kDoor) != 0U);
}

BOOST_AUTO_TEST_CASE(an_address_belongs_to_one_listener) {
  world.own_listeners = {at(kDoor, "")};
  start();
  world.table_listeners = {at(kDoor, "jobs")};
  std::string const refused = reload();
  BOOST_TEST(refused.starts_with("ERROR code=bad_configuration;"), refused);
  BOOST_TEST(has(refused, "jobs.xml"), refused);
  BOOST_TEST(has(refused, "expected each address once"), refused);
  world.table_listeners = {at("127.0.0.1:0", "jobs"), at("127.0.0.1:0", "mail")};
  BOOST_TEST(reload().starts_with("RELOADED "));
  world.table_listeners.assign(server::kTableListenersMax + 1, at("127.0.0.1:0", "jobs"));
  BOOST_TEST(has(reload(), "more than 64 elements"));
  std::ifstream document{FJ_SOURCE_DIR "/doc/table-reference.md"};
  std::string const text{std::istreambuf_iterator<char>{document}, {}};
  BOOST_TEST(has(text, "All tables together have at most " + std::to_string(server::kTableListenersMax) + "."));
}

// Several <udp> may receive one group, by different network cards.
BOOST_AUTO_TEST_CASE(what_has_no_address_of_its_own_may_be_there_twice) {
  engine::Declarations const tables{world.declaration("jobs")};
  BOOST_TEST(server::check_listeners({}, tables, {at("", "jobs"), at("", "jobs")}, {}).ok());
  BOOST_TEST(!server::check_listeners({}, tables, {at("", "jobs"), at("", "none")}, {}).ok());
  BOOST_TEST(!server::check_listeners({}, tables, {at(kDoor, ""), at(kDoor, "")}, {}).ok());
}

// By a certificate, or by a token where the protocol has any.
BOOST_AUTO_TEST_CASE(without_rights_somebody_must_be_able_to_log_in) {
  static PluginDescriptor const plugin{.name = "some"};
  auto type = std::make_shared<TypeDeclaration>();
  type->name = "some";
  type->protocols = {{.name = "plain", .description = "x"}, {.name = "tokens", .has_login = true, .description = "x"}};
  engine::TableTypes types;
  types.emplace("some", std::make_unique<engine::TableType>(plugin, type));
  auto table = std::make_shared<TableDeclaration>();
  table->name = "jobs";
  table->type = "some";
  auto const check = [&](std::string const& protocol, bool tls) {
    access::ListenDeclaration one = at("127.0.0.1:0", "jobs");
    one.protocol = protocol;
    one.rights = {};
    one.tls = tls;
    return server::check_listeners(types, {table}, {one}, {}).message();
  };
  BOOST_TEST(has(check("plain", false), "nobody can log in by protocol \"plain\""));
  BOOST_TEST(check("plain", true).empty());
  BOOST_TEST(check("tokens", false).empty());
  BOOST_TEST(has(check("other", false), "expected one of messages, http, plain, tokens"));
}

BOOST_AUTO_TEST_CASE(a_table_goes_with_its_listeners) {
  world.table_listeners = {at(kDoor, "jobs")};
  start();
  world.come_by("jo", kDoor);
  BOOST_REQUIRE(ask("jo", "LIST").starts_with("NOTHING"));
  world.table_listeners.clear();
  world.remove_table("jobs");
  BOOST_TEST(reload() == changed(2,
                                 "table jobs: dropped, as it is empty\\ntable jobs: does not listen on 127.0.0.1:4051 "
                                 "any more, its connections end"));
  BOOST_TEST(world.is_closed("jo"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::bound_listeners_test
