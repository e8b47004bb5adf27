// Every command for every right, held against the table of doc/security.md: with a listener that has one right, and with
// a user who has one right on one table. A command that is not in the table, and one in it that does not exist, is found.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/admin/declarations.h"
#include "tests/world/world.h"

namespace fastjournal::sim::rights_test {
namespace {

enum class OnSome : std::uint8_t { no, of_that_table, shown, either, any };

struct Row {
  std::string command;
  std::string parameters;  // ";mode=row"
  std::optional<Right> right;
  OnSome on_some{OnSome::no};
  bool is_for_changes{false};  // one of admin::kRightsToChange
};

bool changes(std::optional<Right> right) {
  return right && std::ranges::find(admin::kRightsToChange, *right) != admin::kRightsToChange.end();
}

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> out;
  for (;;) {
    std::size_t const end = text.find(by);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + by.size());
  }
}

// What is in backquotes.
std::vector<std::string> in_backquotes(std::string_view cell) {
  std::vector<std::string> out;
  std::vector<std::string> const parts = split(cell, "`");
  for (std::size_t i = 1; i < parts.size(); i += 2) out.push_back(parts[i]);
  return out;
}

// The rows of the table with this head.
std::vector<Row> rows_of_document(std::string const& head) {
  std::ifstream file{FJ_SOURCE_DIR "/doc/security.md"};
  std::vector<Row> out;
  bool is_in_table = false;
  for (std::string line; std::getline(file, line);) {
    bool const is_head = line == head;
    if (is_head) is_in_table = true;
    if (!is_in_table || line.starts_with("|---") || is_head) continue;
    if (!line.starts_with("| ")) break;
    std::vector<std::string> const cells = split(line, " | ");
    BOOST_REQUIRE_MESSAGE(cells.size() == 3U, line);
    std::vector<std::string> const right = in_backquotes(cells[1]);
    bool const is_for_changes = cells[1] == "`add`, `work` or `manage`";
    BOOST_REQUIRE_MESSAGE(right.size() == 1U || is_for_changes || cells[1].starts_with("none"), line);
    OnSome on_some = OnSome::no;
    if (cells[2].starts_with("of that table")) on_some = OnSome::of_that_table;
    if (cells[2].starts_with("of that table; without")) on_some = OnSome::either;
    if (cells[2].starts_with("on any")) on_some = OnSome::any;
    if (cells[2].starts_with("only these") || cells[2].starts_with("yes")) on_some = OnSome::shown;
    for (std::string const& name : in_backquotes(cells[0])) {
      std::size_t const blank = name.find(' ');
      out.push_back({.command = name.substr(0, blank),
                     .parameters = blank == std::string::npos ? "" : ";" + name.substr(blank + 1),
                     .right = right.size() == 1 ? right_named(right.front()) : std::nullopt,
                     .on_some = on_some,
                     .is_for_changes = is_for_changes});
    }
  }
  return out;
}

struct Scan {
  static constexpr std::string_view kTables[] = {"jobs", "mail"};

  Scan() {
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml").ok());
    for (std::string_view const name : kTables) {
      auto copy = std::make_shared<TableDeclaration>(*world.declaration("bare"));
      copy->name = name;
      world.add_table(std::move(copy));
    }
    world.remove_table("bare");
    access::Users users;
    for (std::string_view const right : kRightNames) {
      BOOST_REQUIRE(users.add({.name = std::string{right},
                               .grants = {{.rights = {*right_named(right)}, .tables = {"jobs"}}},
                               .token = hash(right)}));
    }
    world.set_users(std::move(users));
    // Of HTTP: one with each right, and the last one with none.
    for (std::size_t i = 0; i <= kRightNames.size(); ++i)
      world.own_listeners.push_back({.address = http_address(i),
                                     .rights = i < kRightNames.size() ? Rights{static_cast<Right>(i)} : Rights{},
                                     .protocol = access::kHttp});
    world.own_listeners.push_back({.address = kStompDoor, .rights = {}, .protocol = "stomp", .table = "post"});
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/values.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/world/tables/blobs.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/post.xml").ok());
    BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/docs.xml").ok());
    BOOST_REQUIRE(world.start().ok());
  }

  static constexpr char kStompDoor[] = "127.0.0.1:4200";
  static std::string http_address(std::size_t right) { return "127.0.0.1:" + std::to_string(4100 + right); }
  // The status of the answer.
  std::string get(std::size_t listener, std::string const& path, std::string const& token = {}) {
    std::uint32_t const number = world.network().listener_at(http_address(listener));
    ConnectionId const id = world.network().connect("sim:web", "ip:192.0.2.1", number);
    std::string const who = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    world.network().at(id).to_server = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + who + "\r\n";
    world.settle();
    std::string const& answer = world.network().at(id).to_client;
    return answer.size() < 12 ? answer : answer.substr(9, 3);
  }

  // The status of the answer to a command.
  std::string post(std::size_t listener, std::string const& command, std::string const& table) {
    std::uint32_t const number = world.network().listener_at(http_address(listener));
    ConnectionId const id = world.network().connect("sim:web", "ip:192.0.2.1", number);
    std::string const body = table.empty() ? "{}" : "{\"table\":\"" + table + "\"}";
    world.network().at(id).to_server = "POST /v1/" + command +
                                       " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                       "Content-Length: " +
                                       std::to_string(body.size()) + "\r\n\r\n" + body;
    world.settle();
    std::string const& answer = world.network().at(id).to_client;
    return answer.size() < 12 ? answer : answer.substr(9, 3);
  }

  static access::Token token(std::string_view right) {
    std::string random(access::kSaltBytes + access::kSecretBytes, right[0]);
    random[1] = right[1];  // "add" and "admin" differ behind that
    random[2] = right[2];
    return access::Token::make(
        std::span<char const, access::kSaltBytes + access::kSecretBytes>{random.data(), random.size()});
  }
  static access::TokenHash hash(std::string_view right) {
    Result<access::TokenHash> out = access::TokenHash::of(token(right), access::kHashCostLeast);
    BOOST_REQUIRE(out.ok());
    return out.value();
  }

  std::string ask(std::string const& client, std::string const& line) {
    world.send(client, line);
    world.settle();
    std::string out;
    while (std::optional<std::string> const one = world.take_line(client)) out += *one + "\n";
    return out;
  }
  // Whether it is refused for want of any right that it needs.
  static bool is_refused(std::string const& answer, Row const& row) {
    if (row.right) return is_refused(answer, *row.right);
    return row.is_for_changes && answer.find("code=not_allowed") != std::string::npos &&
           answer.find("right=add, work or manage;") != std::string::npos;
  }
  // Whether it is refused for want of this right.
  static bool is_refused(std::string const& answer, Right right) {
    return answer.find("code=not_allowed") != std::string::npos &&
           answer.find("right=" + std::string{name_of(right)} + ";") != std::string::npos;
  }

  World world{1};
  std::vector<Row> const rows{rows_of_document("| command | right | on some tables |")};
  std::vector<Row> const pairs{rows_of_document("| command of key/value tables | right | on some tables |")};
  std::vector<Row> const blobs{rows_of_document("| command of blob tables | right | on some tables |")};
  std::vector<Row> const queues{rows_of_document("| command of queue tables | right | on some tables |")};
  std::vector<Row> const pipelines{rows_of_document("| command of pipeline tables | right | on some tables |")};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rights, Scan)

BOOST_AUTO_TEST_CASE(every_command_is_in_the_document_once) {
  std::set<std::string> expected{"LISTEN;mode=row"};
  for (admin::OwnCommand const& command : admin::own_commands()) expected.insert(std::string{command.name()});
  std::set<std::string> of_pairs;
  std::set<std::string> of_blobs;
  std::set<std::string> of_queues;
  std::set<std::string> of_pipelines;
  std::map<std::string, std::set<std::string>*> const others{
      {"keyvalue", &of_pairs}, {"blob", &of_blobs}, {"queue", &of_queues}, {"pipeline", &of_pipelines}};
  for (auto const& [name, type] : world.types())
    for (engine::CommandType const& command : type->commands())
      (others.contains(name) ? *others.at(name) : expected).insert(command.name);
  auto const check = [](std::vector<Row> const& all, std::set<std::string> const& commands) {
    std::set<std::string> found;
    for (Row const& row : all) BOOST_TEST(found.insert(row.command + row.parameters).second, row.command << " twice");
    BOOST_TEST(found == commands, boost::test_tools::per_element());
  };
  check(rows, expected);
  check(pairs, of_pairs);
  check(blobs, of_blobs);
  check(queues, of_queues);
  check(pipelines, of_pipelines);
}

BOOST_AUTO_TEST_CASE(a_listener_with_one_right_allows_what_the_document_says) {
  std::size_t tried = 0;
  for (std::size_t i = 0; i <= kRightNames.size(); ++i) {
    // The last one has none.
    std::optional<Right> const has = i < kRightNames.size() ? std::optional{static_cast<Right>(i)} : std::nullopt;
    std::string const client = "only" + std::to_string(i);
    world.give_rights(client, has ? Rights{*has} : Rights{});
    auto const try_one = [&](Row const& row, std::string const& table) {
      std::string const answer = ask(client, row.command + " table=" + table + row.parameters);
      bool const is_allowed = row.is_for_changes ? changes(has) || has == Right::admin : !row.right || row.right == has;
      BOOST_TEST(is_refused(answer, row) == !is_allowed,
                 row.command << " with " << (has ? name_of(*has) : "nothing") << ": " << answer);
      if (is_allowed && row.command != "AUTH")
        BOOST_TEST(answer.find("not_allowed") == std::string::npos, row.command << ": " << answer);
      ++tried;
    };
    for (Row const& row : rows) try_one(row, "jobs");
    for (Row const& row : pairs) try_one(row, "values");
    for (Row const& row : blobs) try_one(row, "blobs");
    for (Row const& row : queues) try_one(row, "post");
    for (Row const& row : pipelines) try_one(row, "docs");
  }
  BOOST_TEST(tried == (rows.size() + pairs.size() + blobs.size() + queues.size() + pipelines.size()) * 6);
}

BOOST_AUTO_TEST_CASE(a_path_of_http_needs_what_the_document_says) {
  std::vector<Row> const paths = rows_of_document("| path of HTTP | right | on some tables |");
  BOOST_TEST(paths.size() == 4U);
  for (Row const& row : paths) {
    for (std::size_t i = 0; i <= kRightNames.size(); ++i) {
      bool const is_allowed = !row.right || (i < kRightNames.size() && row.right == static_cast<Right>(i));
      BOOST_TEST(get(i, row.command) == (is_allowed ? "200" : "401"), row.command << " by listener " << i);
    }
    for (std::string_view const right : kRightNames) {
      if (right == "admin") continue;  // of no table
      bool const is_allowed = !row.right || (name_of(*row.right) == right && row.on_some != OnSome::no);
      BOOST_TEST(get(kRightNames.size(), row.command, std::string{token(right).text()}) == (is_allowed ? "200" : "403"),
                 row.command << " of user " << right);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_user_with_a_right_on_one_table_may_do_there_what_the_document_says) {
  world.give_rights("none", {});
  for (std::string_view const right : kRightNames) {
    if (right == "admin") continue;  // of no table
    std::string const client{right};
    world.give_rights(client, {});
    BOOST_REQUIRE(ask(client, "AUTH token=" + std::string{token(right).text()}).starts_with("AUTHENTICATED"));
    for (Row const& row : rows) {
      if ((!row.right && !row.is_for_changes) || row.command == "AUTH") continue;
      bool const has = row.is_for_changes ? changes(right_named(right)) : name_of(*row.right) == right;
      auto const refused = [&](std::string const& parameters) {
        return is_refused(ask(client, row.command + parameters), row);
      };
      std::string const what = row.command + row.parameters + " of user " + client;
      bool const names_table = row.on_some == OnSome::of_that_table || row.on_some == OnSome::either;
      BOOST_TEST(refused(" table=jobs" + row.parameters) == !(has && row.on_some != OnSome::no), what << " on jobs");
      if (names_table) BOOST_TEST(refused(" table=mail" + row.parameters), what << " on mail");
      if (row.on_some == OnSome::shown || row.on_some == OnSome::either)
        BOOST_TEST(refused("") == !has, what << " without table");
    }
  }
}

// What a stranger may send where nobody has rights without a login, and why: whatever else there is, is refused by each
// door.
BOOST_AUTO_TEST_CASE(without_any_right_all_is_refused_but_this) {
  std::map<std::string, std::string> const allowed{
      {"HELP", "every service of a communicatord answers it; it tells what the documents tell"},
      {"ALIVE", "the same; says that there is a daemon"},
      {"AUTH", "the login itself"},
      {"RIGHTS", "tells the sender what it may do: nothing"},
      {"HEALTH", "for load balancers, which have no login"},
      {"UNLISTEN", "ends what the sender began: nothing"},
      {"UNWATCH", "the same"},
      {"COMMIT", "the same: BEGIN was refused"},
      {"ROLLBACK", "the same, and of a transaction whose user has lost his rights"},
      {"READY", "a notice among services, which does nothing"},
      {"UNKNOWN", "the same"},
      {"INVALID", "the same"},
      {"STATUS", "the same"},
      {"QUITTING", "the same"},
      {"ABSOLUTELY", "the same"},
      {"SERVICE_UNAVAILABLE", "the same"},
  };
  std::vector<std::pair<std::string, std::string>> all;  // command, its table
  for (admin::OwnCommand const& command : admin::own_commands())
    all.emplace_back(command.name(), command.takes_table() ? "jobs" : "");
  std::map<std::string_view, std::string> const table_of{
      {"journal", "jobs"}, {"keyvalue", "values"}, {"blob", "blobs"}, {"queue", "post"}, {"pipeline", "docs"}};
  for (auto const& [name, type] : world.types())
    for (engine::CommandType const& command : type->commands())
      if (auto const table = table_of.find(name); table != table_of.end())
        all.emplace_back(command.name, table->second);
  std::size_t const last = kRightNames.size();
  world.give_rights("stranger", {});
  std::set<std::string> answered;
  for (auto const& [command, table] : all) {
    std::string const with = table.empty() ? "" : " table=" + table;
    std::string const by_line = ask("stranger", command + with);
    std::string const by_http = post(last, command, table);
    bool const is_allowed = allowed.contains(command);
    if (is_allowed) answered.insert(command);
    BOOST_TEST((by_line.find("code=not_allowed") == std::string::npos) == is_allowed, command << ": " << by_line);
    BOOST_TEST((by_http == "401") == !is_allowed, command << " by HTTP: " << by_http);
  }
  BOOST_TEST(answered.size() == allowed.size());
  // In a transaction as a whole, and of a branch that would stay: nothing is begun, at any start.
  BOOST_TEST(ask("stranger", "XA_START xid=1:aa:").find("not_allowed") != std::string::npos);
  BOOST_TEST(ask("stranger", "XA_PREPARE xid=1:aa:").find("not_allowed") != std::string::npos);
  BOOST_TEST(ask("admin", "XA_RECOVER all=1") == "BRANCHES count=0;\n");
}

// STOMP, the one protocol of a type that may be served without rights: users log in there.
BOOST_AUTO_TEST_CASE(without_any_right_frames_of_stomp_do_nothing) {
  using namespace std::string_literals;
  world.come_by("stomp", kStompDoor);
  world.connection("stomp").to_server +=
      "CONNECT\naccept-version:1.2\nhost:x\n\n\0"s
      "SEND\ndestination:/queue/orders\nreceipt:1\n\nx\0"s;
  world.settle();
  std::string const answer = world.connection("stomp").to_client;
  BOOST_TEST(answer.find("ERROR") != std::string::npos, answer);
  BOOST_TEST(answer.find("RECEIPT") == std::string::npos, answer);
  std::string const queue = ask("admin", "QUEUES table=post;queue=orders");
  BOOST_TEST(queue.find("messages=0;") != std::string::npos, queue);
}

BOOST_AUTO_TEST_CASE(what_is_shown_without_a_table_is_of_tables_that_may_be_read) {
  world.give_rights("reader", {});
  BOOST_REQUIRE(ask("reader", "AUTH token=" + std::string{token("read").text()}).starts_with("AUTHENTICATED"));
  for (Row const& row : rows) {
    if (row.right != Right::read || (row.on_some != OnSome::shown && row.on_some != OnSome::either)) continue;
    std::string const answer = ask("reader", row.command);
    BOOST_TEST(answer.find("mail") == std::string::npos, row.command << ": " << answer);
    BOOST_TEST(answer.find("connections_ever") == std::string::npos, row.command << ": " << answer);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::rights_test
