// Users against the whole server in the simulator: AUTH and what waits for it, rights on some tables for each kind of
// command, limits of tries, what a reload changes, and that no token is ever told.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "plugins/journal/journal.h"
#include "tests/support/temporary_folder.h"
#include "tests/world/world.h"
#include "wire/text.h"

namespace fastjournal::sim::users_test {
namespace {

access::Token token_of(int number, char secret = 's') {
  std::string random(access::kSaltBytes, static_cast<char>(number));
  random.append(access::kSecretBytes, secret);
  return access::Token::make(
      std::span<char const, access::kSaltBytes + access::kSecretBytes>{random.data(), random.size()});
}

access::TokenHash const& hash_of(int number) {
  static std::map<int, access::TokenHash> known;
  auto const found = known.find(number);
  if (found != known.end()) return found->second;
  Result<access::TokenHash> hash = access::TokenHash::of(token_of(number), access::kHashCostLeast);
  BOOST_REQUIRE(hash.ok());
  return known.emplace(number, std::move(hash).value()).first->second;
}

std::string auth(int number, char secret = 's') { return "AUTH token=" + std::string{token_of(number, secret).text()}; }

// "TOKEN|message", one a line, and its answers as text: a protocol whose messages come with tokens, as HTTP's do.
class TokenLines final : public Protocol {
 public:
  Piece read(std::string_view unread, Message& message, std::string&) override {
    std::size_t const end = unread.find('\n');
    if (end == std::string_view::npos) return {};
    std::string_view const line = unread.substr(0, end);
    std::size_t const bar = line.find('|');
    Piece out{.kind = Kind::message, .consumed = end + 1, .bytes = end};
    if (bar != std::string_view::npos) out.token = line.substr(0, bar);
    out.ends = line.ends_with(";request=last");
    BOOST_REQUIRE(protocol::parse_line(line.substr(bar + 1), message).ok());
    return out;
  }
  std::size_t whole_bytes(std::string_view) const override { return 1U << 20U; }
  void write(Outgoing const& message, std::string& out) override {
    BOOST_REQUIRE(protocol::append_line(message, out).ok());
  }
  void refuse(Status const& why, std::string& out) override { out += why.text() + "\n"; }
};

struct Guarded {
  static constexpr int kAnn = 1;  // read everywhere; work on jobs
  static constexpr int kBob = 2;  // all but admin on jobs
  static constexpr int kOps = 3;  // all, everywhere

  Guarded() {
    for (std::string const table : {"jobs", "mail"}) {
      Status const status = world.add_table(FJ_SOURCE_DIR "/tests/transcripts/bare.xml");
      BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
      rename(table);
    }
    world.remove_table("bare");
    world.set_users(users());
    Status const status = world.start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
    world.give_rights("ann", {});
    world.give_rights("bob", {});
    world.give_rights("ops", {});
    world.give_rights("eve", {});
  }

  void rename(std::string const& table) {
    auto copy = std::make_shared<TableDeclaration>(*world.declaration("bare"));
    copy->name = table;
    world.add_table(std::move(copy));
  }

  static access::Users users(Rights ann = {Right::read}) {
    access::Users out;
    BOOST_REQUIRE(out.add({.name = "ann",
                           .grants = {{.rights = ann}, {.rights = {Right::work}, .tables = {"jo*"}}},
                           .token = hash_of(kAnn)}));
    BOOST_REQUIRE(
        out.add({.name = "bob",
                 .grants = {{.rights = {Right::read, Right::add, Right::work, Right::manage}, .tables = {"jobs"}}},
                 .token = hash_of(kBob)}));
    BOOST_REQUIRE(out.add({.name = "ops", .grants = {{.rights = kAllRights}}, .token = hash_of(kOps)}));
    return out;
  }

  // All lines that came, joined by '|'.
  std::string taken(std::string const& client) {
    std::string out;
    while (std::optional<std::string> const line = world.take_line(client)) out += (out.empty() ? "" : "|") + *line;
    return out;
  }
  std::string ask(std::string const& client, std::string_view line) {
    world.send(client, line);
    world.settle();
    return taken(client);
  }
  void log_in(std::string const& client, int user) {
    BOOST_REQUIRE(ask(client, auth(user)).starts_with("AUTHENTICATED"));
  }

  // The client's connections speak TokenLines.
  void speak_tokens(std::string const& client) {
    world.give_rights(client, {Right::add});
    std::uint32_t number = SimNetwork::kAdministrator + 1;
    while (world.server().listeners().of(number).address != "unix:/run/" + client) ++number;
    world.server().listeners().add(
        number, {"unix:/run/" + client, {Right::add}, [] { return std::make_unique<TokenLines>(); }});
  }
  static std::string as(int user, std::string_view line, char secret = 's') {
    return std::string{token_of(user, secret).text()} + "|" + std::string{line};
  }

  static bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

  World world{1};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(users, Guarded)

BOOST_AUTO_TEST_CASE(a_token_gives_its_connection_the_rights_of_its_user) {
  BOOST_TEST(has(ask("ann", "STATS"), "code=not_allowed"));
  BOOST_TEST(ask("ann", auth(kAnn) + ";user=ann;request=7") ==
             "AUTHENTICATED grants=work on jo*;request=7;rights=read;user=ann;");
  BOOST_TEST(has(ask("ann", "STATS"), "connections_ever="));
  BOOST_TEST(has(ask("eve", "STATS"), "code=not_allowed"));
  BOOST_TEST(world.hashes() == 1U);
  world.close("ann");
  BOOST_TEST(ask("ann", auth(kAnn)) == "AUTHENTICATED grants=work on jo*;rights=read;user=ann;");
  BOOST_TEST(world.hashes() == 1U);
}

BOOST_AUTO_TEST_CASE(those_of_the_listener_stay) {
  world.give_rights("both", {Right::add});
  log_in("both", kAnn);
  BOOST_TEST(has(ask("both", "INSERT table=mail;name=a"), "INSERTED"));
  BOOST_TEST(has(ask("both", "STATS"), "connections_ever="));
}

BOOST_AUTO_TEST_CASE(messages_behind_a_login_wait_for_it_and_other_connections_do_not) {
  world.hold_hashes(true);
  BOOST_TEST(ask("ops", auth(kOps) + "\nINSERT table=jobs;name=a\nTABLES") == "");
  BOOST_TEST(has(ask("admin", "INSERT table=jobs;name=b"), "INSERTED"));
  BOOST_TEST(ask("ops", "ALIVE") == "");
  world.hold_hashes(false);
  world.settle();
  std::string const answers = taken("ops");
  BOOST_TEST(answers.starts_with("AUTHENTICATED rights=read add work manage admin;user=ops;"));
  BOOST_TEST(has(answers, "|INSERTED"));
  BOOST_TEST(has(answers, "name=jobs"));
  BOOST_TEST(has(answers, "|ABSOLUTELY"));
}

BOOST_AUTO_TEST_CASE(a_connection_that_goes_while_its_token_is_verified_leaves_nothing) {
  world.hold_hashes(true);
  BOOST_TEST(ask("ops", auth(kOps)) == "");
  world.close("ops");
  world.hold_hashes(false);
  world.settle();
  log_in("ops", kOps);
  BOOST_TEST(world.hashes() == 1U);
}

BOOST_AUTO_TEST_CASE(whoever_sends_no_more_gets_the_answer_to_his_login) {
  world.hold_hashes(true);
  world.send("ops", auth(kOps));
  world.connection("ops").end_of_input = true;
  world.settle();
  world.hold_hashes(false);
  world.settle();
  BOOST_TEST(taken("ops").starts_with("AUTHENTICATED"));
}

BOOST_AUTO_TEST_CASE(a_wrong_token_is_refused_late_and_noted_without_it) {
  std::string const wrong = auth(kAnn, 'x');
  BOOST_TEST(ask("eve", wrong) == "");
  world.advance(DurationMs{249});
  BOOST_TEST(taken("eve") == "");
  world.advance(DurationMs{1});
  std::string const answer = taken("eve");
  BOOST_TEST(answer.starts_with("ERROR code=not_allowed;command=AUTH;message=\"this token is not valid here"), answer);
  BOOST_TEST(has(ask("eve", "STATS"), "code=not_allowed"));
  BOOST_REQUIRE(!world.notes().empty());
  BOOST_TEST(has(world.notes().back(), "audit: login failed, command=AUTH claimed=- user=- origin="));
  for (std::string const& note : world.notes()) BOOST_TEST(!has(note, "fj_"), note);
  BOOST_TEST(!has(answer, "fj_"));
}

BOOST_AUTO_TEST_CASE(tries_are_limited_and_their_lines_in_the_log_too) {
  std::size_t refused = 0;
  for (int i = 0; i < 8; ++i) {
    world.send("eve", auth(kAnn, static_cast<char>('A' + i)));
    world.advance(DurationMs{250});
    refused += has(taken("eve"), "code=over_limit") ? 1 : 0;
  }
  BOOST_TEST(refused == 2U);  // five, and one for each second since
  for (int i = 0; i < 100; ++i) static_cast<void>(ask("eve", "AUTH token=x"));
  BOOST_TEST(world.notes().size() < 15U);
  world.advance(DurationMs{20'000});
  static_cast<void>(ask("eve", "AUTH token=x"));
  world.advance(DurationMs{250});
  BOOST_TEST(has(world.notes().back(), "such lines before it were left out"), world.notes().back());
}

BOOST_AUTO_TEST_CASE(auth_without_a_token_is_a_mistake) {
  BOOST_TEST(has(ask("ann", "AUTH"), "code=missing_parameter"));
  BOOST_TEST(has(ask("ann", "AUTH user=ann"), "code=missing_parameter"));
}

BOOST_AUTO_TEST_CASE(rights_on_a_table_are_rights_on_no_other) {
  log_in("bob", kBob);
  BOOST_TEST(has(ask("bob", "INSERT table=jobs;name=a"), "INSERTED"));
  std::string const refusal = ask("bob", "INSERT table=mail;name=a");
  BOOST_TEST(refusal ==
             "ERROR code=not_allowed;command=INSERT;message=\"INSERT needs the right add on table mail; user bob, who "
             "came by unix:/run/bob, has nothing there: use the administrator's socket, unix:/run/fastjournal.sock, or "
             "have it in rights=\\\"...\\\" of the user\";right=add;table=mail;user=bob;");
  BOOST_TEST(has(ask("bob", "NEXT table=jobs"), "ROW"));
  BOOST_TEST(has(ask("bob", "NEXT table=mail"), "right=work;table=mail"));
  BOOST_TEST(has(ask("bob", "PAUSE table=jobs"), "PAUSED"));
  BOOST_TEST(has(ask("bob", "PAUSE table=mail"), "right=manage;table=mail"));
  BOOST_TEST(has(ask("bob", "LIST table=mail"), "right=read;table=mail"));
}

BOOST_AUTO_TEST_CASE(the_daemons_own_commands_show_only_what_may_be_read) {
  log_in("bob", kBob);
  std::string const tables = ask("bob", "TABLES");
  BOOST_TEST((has(tables, "name=jobs") && !has(tables, "mail")), tables);
  std::string const stats = ask("bob", "STATS");
  BOOST_TEST((has(stats, "table=jobs") && !has(stats, "mail") && !has(stats, "connections_ever")), stats);
  BOOST_TEST(has(ask("bob", "STATS table=mail"), "right=read;table=mail"));
  BOOST_TEST(has(ask("bob", "LISTEN table=jobs"), "LISTENING"));
  BOOST_TEST(has(ask("bob", "LISTEN table=mail"), "right=work;table=mail"));
  BOOST_TEST(has(ask("bob", "LISTEN table=mail;mode=row"), "right=read;table=mail"));
  BOOST_TEST(has(ask("bob", "FETCH table=mail;snapshot=1"), "right=read;table=mail"));
  BOOST_TEST(has(ask("bob", "FETCH table=jobs;snapshot=1"), "code=not_supported"));
  BOOST_TEST(has(ask("bob", "LOWER name=x;table=mail"), "right=manage;table=mail"));
  BOOST_TEST(has(ask("bob", "LOWER name=x"), "right=manage;user=bob"));
  BOOST_TEST(has(ask("bob", "RELOAD"), "right=admin;user=bob"));
  world.server().alerts().raise("of-the-daemon", 50, "text", {});
  world.settle();
  BOOST_TEST(!has(ask("bob", "ALERTS"), "of-the-daemon"));
  log_in("ann", kAnn);
  BOOST_TEST(has(ask("ann", "ALERTS"), "of-the-daemon"));
}

BOOST_AUTO_TEST_CASE(a_reload_that_changes_a_user_ends_his_connections_and_what_they_wait_for) {
  log_in("ann", kAnn);
  log_in("bob", kBob);
  BOOST_TEST(has(ask("ann", "LISTEN table=jobs"), "LISTENING"));
  access::Users next = users({Right::read, Right::add});
  world.set_users(std::move(next));
  log_in("ops", kOps);
  std::string const answer = ask("ops", "RELOAD dry_run=1");
  BOOST_TEST(has(answer, "user ann changed"), answer);
  BOOST_TEST(!world.is_closed("ann"));
  BOOST_TEST(has(ask("ops", "RELOAD"), "user ann changed;count=1"));
  BOOST_TEST(world.is_closed("ann"));
  BOOST_TEST(has(taken("ann"), "connect again"));
  BOOST_TEST(!world.is_closed("bob"));
  BOOST_TEST(has(ask("bob", "INSERT table=jobs;name=a"), "INSERTED"));
  world.close("ann");
  log_in("ann", kAnn);
  BOOST_TEST(has(ask("ann", "INSERT table=mail;name=a"), "INSERTED"));
}

BOOST_AUTO_TEST_CASE(a_user_who_is_removed_cannot_come_again) {
  log_in("ann", kAnn);
  access::Users next;
  BOOST_REQUIRE(next.add({.name = "ops", .grants = {{.rights = kAllRights}}, .token = hash_of(kOps)}));
  world.set_users(std::move(next));
  log_in("ops", kOps);
  BOOST_TEST(has(ask("ops", "RELOAD"), "user ann removed\\nuser bob removed;count=2"));
  BOOST_TEST(world.is_closed("ann"));
  world.close("ann");
  BOOST_TEST(ask("ann", auth(kAnn)) == "");
  world.advance(DurationMs{250});
  BOOST_TEST(has(taken("ann"), "code=not_allowed"));
}

BOOST_AUTO_TEST_CASE(whoever_removes_himself_gets_the_answer_first) {
  log_in("ops", kOps);
  world.set_users(access::Users{});
  std::string const answer = ask("ops", "RELOAD request=9");
  BOOST_TEST((has(answer, "user ops removed") && has(answer, "request=9")), answer);
  BOOST_TEST(world.is_closed("ops"));
  BOOST_TEST(has(world.informed().back(), "audit: command=RELOAD table=- user=ops"), world.informed().back());
}

BOOST_AUTO_TEST_CASE(a_bad_file_of_users_changes_nothing) {
  log_in("ann", kAnn);
  world.break_users({Code::bad_configuration, "users.xml:3: wrong"});
  BOOST_TEST(has(ask("admin", "RELOAD"), "users.xml:3: wrong"));
  BOOST_TEST(has(ask("ann", "STATS"), "connections_ever="));
  BOOST_TEST(has(ask("admin", "RELOAD table=jobs"), "RELOADED"));  // of the users nothing
}

// An alias adds something; here that needs the right manage.
BOOST_AUTO_TEST_CASE(an_alias_is_noted_like_the_command_that_it_means) {
  test::TemporaryFolder const folder;
  std::ifstream declared{FJ_SOURCE_DIR "/plugins/journal/journal.xml"};
  std::string type{std::istreambuf_iterator<char>{declared}, {}};
  std::string const before = "<command name=\"INSERT\" kind=\"add\" right=\"add\"";
  BOOST_REQUIRE(has(type, before));
  type.replace(type.find(before), before.size(), "<command name=\"INSERT\" kind=\"add\" right=\"manage\"");
  std::ofstream{folder / "journal.xml"} << type;
  std::ofstream{folder / "jobs.xml"} << "<table name=\"jobs\" model=\"journal\" row-key=\"name\">\n<schema><column "
                                        "name=\"name\" type=\"string\"/></schema>\n<aliases><alias "
                                        "command=\"HANDIN\" means=\"INSERT\" answer=\"TAKEN\" refusal=\"REFUSED\">"
                                        "<parameter name=\"name\"/></alias></aliases></table>\n";
  BOOST_REQUIRE(world.stop().ok());
  world.add_type(journal::table_type(), folder / "journal.xml");
  Status const status = world.add_table(folder / "jobs.xml");
  BOOST_REQUIRE_MESSAGE(status.ok(), status.text());
  BOOST_REQUIRE(world.start().ok());
  log_in("ops", kOps);
  std::size_t const lines = world.informed().size();
  BOOST_TEST(has(ask("ops", "HANDIN name=a"), "TAKEN"));
  BOOST_REQUIRE(world.informed().size() == lines + 1);
  BOOST_TEST(has(world.informed().back(), "audit: command=HANDIN table=jobs user=ops origin="));
  BOOST_TEST(has(world.informed().back(), "result=ok"));
  log_in("ann", kAnn);
  BOOST_TEST(has(ask("ann", "HANDIN name=b"), "REFUSED"));
  BOOST_TEST(has(world.notes().back(), "audit: command=HANDIN table=jobs user=ann"));
  BOOST_TEST(has(world.notes().back(), "result=not_allowed"));
  BOOST_TEST(has(ask("admin", "HANDIN name=c"), "TAKEN"));
  BOOST_TEST(world.informed().size() == lines + 1);
}

BOOST_AUTO_TEST_CASE(logins_are_counted) {
  log_in("ann", kAnn);
  static_cast<void>(ask("eve", auth(kBob, 'x')));
  world.advance(DurationMs{300});
  static_cast<void>(taken("eve"));
  for (int i = 0; i < 8; ++i) {
    static_cast<void>(ask("eve", "AUTH token=fj_nonsense"));
    world.advance(DurationMs{250});
    static_cast<void>(taken("eve"));
  }
  std::string const stats = ask("admin", "STATS");
  BOOST_TEST(has(stats, ";logins_accepted=1;"), stats);
  BOOST_TEST(!has(stats, ";logins_delayed=0;"), stats);
  BOOST_TEST(!has(stats, ";logins_refused=0;"), stats);
}

BOOST_AUTO_TEST_CASE(commands_of_administrators_are_noted_with_who_sent_them) {
  log_in("ops", kOps);
  BOOST_TEST(has(ask("ops", "PAUSE table=jobs"), "PAUSED"));
  BOOST_TEST(has(world.informed().back(), "audit: command=PAUSE table=jobs user=ops origin="));
  BOOST_TEST(has(ask("ops", "DIGEST table=jobs"), "DIGEST"));
  BOOST_TEST(has(world.informed().back(), "audit: command=DIGEST table=jobs user=ops"));
  BOOST_TEST(has(ask("admin", "DIGEST"), "DIGEST"));
  BOOST_TEST(has(world.informed().back(), "audit: command=DIGEST table=- user=- origin="));
  std::size_t const lines = world.informed().size();
  BOOST_TEST(has(ask("admin", "PAUSE table=mail"), "PAUSED"));  // no user
  BOOST_TEST(has(ask("ops", "STATS"), "STATS"));
  BOOST_TEST(world.informed().size() == lines);
  BOOST_TEST(has(ask("eve", "STOP"), "not_allowed"));
  BOOST_TEST(has(world.notes().back(), "audit: command=STOP table=- user=-"));
  BOOST_TEST(has(world.notes().back(), "result=not_allowed"));
}

BOOST_AUTO_TEST_CASE(names_of_clients_belong_to_the_user_wherever_he_comes_from) {
  log_in("bob", kBob);
  BOOST_TEST(has(ask("bob", "INSERT table=jobs;name=a;client=c;sequence=1"), "INSERTED"));
  world.give_rights("elsewhere@192.0.2.9", {});
  log_in("elsewhere@192.0.2.9", kBob);
  BOOST_TEST(has(ask("elsewhere@192.0.2.9", "INSERT table=jobs;name=b;client=c;sequence=2"), "INSERTED"));
  BOOST_TEST(!has(ask("admin", "INSERT table=jobs;name=c;client=c;sequence=3"), "INSERTED"));
}

BOOST_AUTO_TEST_CASE(a_token_that_comes_with_a_message_holds_for_that_message) {
  speak_tokens("web");
  BOOST_TEST(has(ask("web", as(kAnn, "STATS")), "connections_ever="));
  BOOST_TEST(has(ask("web", "STATS"), "has add"));  // nobody again
  BOOST_TEST(has(ask("web", as(kBob, "STATS table=mail")), "table=mail;user=bob"));
  BOOST_TEST(has(ask("web", as(kAnn, "INSERT table=mail;name=a")), "INSERTED"));  // by the listener
  BOOST_TEST(world.hashes() == 2U);
  BOOST_TEST(has(ask("web", "AUTH token=" + std::string{token_of(kAnn).text()}), "code=not_supported"));
}

BOOST_AUTO_TEST_CASE(a_message_waits_for_its_token_and_what_is_behind_it_waits_too) {
  speak_tokens("web");
  world.hold_hashes(true);
  BOOST_TEST(ask("web", as(kOps, "INSERT table=jobs;name=a;request=1") + "\nALIVE\n" + as(kAnn, "STATS table=jobs")) ==
             "");
  std::string const big(100'000, 'x');
  BOOST_TEST(ask("web", as(kOps, "INSERT table=jobs;name=" + big + ";request=2")) == "");
  world.hold_hashes(false);
  world.settle();
  std::string const answers = taken("web");
  BOOST_TEST(answers.starts_with("INSERTED "), answers.substr(0, 200));
  std::size_t const alive = answers.find("ABSOLUTELY");
  std::size_t const stats = answers.find("|STATS ");
  std::size_t const last = answers.find("request=2");
  BOOST_TEST((alive < stats && stats < last && last != std::string::npos), answers.substr(0, 300));
}

BOOST_AUTO_TEST_CASE(a_last_message_is_answered_before_its_connection_ends) {
  for (int i = 0; i < 2; ++i) {
    speak_tokens("web");
    BOOST_TEST(has(ask("web", as(kAnn, "STATS table=jobs;request=last") + "\nALIVE"), "request=last"));
    BOOST_TEST(world.is_closed("web"));
    BOOST_TEST(world.hashes() == 1U);
  }
}

// It waits twice: for its token, and for its value.
BOOST_AUTO_TEST_CASE(a_last_message_whose_value_is_stored_is_answered_too) {
  BOOST_REQUIRE(world.add_table(FJ_SOURCE_DIR "/tests/transcripts/blobs.xml").ok());
  world.kill();
  BOOST_REQUIRE(world.start().ok());
  speak_tokens("web");
  std::string const put = "PUT table=blobs;key=a;data=" + std::string(90'000, 'A') + ";request=last";
  BOOST_TEST(has(ask("web", as(kOps, put)), "STORED"));
  BOOST_TEST(world.is_closed("web"));
  BOOST_TEST(has(ask("admin", "GET table=blobs;key=a"), "BLOB"));
}

BOOST_AUTO_TEST_CASE(a_message_with_a_wrong_token_is_not_carried_out) {
  speak_tokens("web");
  BOOST_TEST(ask("web", as(kAnn, "INSERT table=mail;name=a", 'x')) == "");
  world.advance(DurationMs{250});
  BOOST_TEST(has(taken("web"), "ERROR code=not_allowed;command=INSERT"));
  BOOST_TEST(has(world.notes().back(), "audit: login failed, command=INSERT"));
  BOOST_TEST(has(ask("admin", "STATS table=mail"), ";inserted=0;"));
}

BOOST_AUTO_TEST_CASE(a_reload_ends_what_waits_for_the_user_of_a_token) {
  speak_tokens("web");
  BOOST_TEST(ask("web", as(kAnn, "NEXT table=jobs;wait=60000;request=1")) == "");
  speak_tokens("idle");
  BOOST_TEST(has(ask("idle", as(kAnn, "STATS")), "connections_ever="));
  world.set_users(access::Users{});
  BOOST_TEST(has(ask("admin", "RELOAD"), "user ann removed"));
  BOOST_TEST(world.is_closed("web"));
  BOOST_TEST(!world.is_closed("idle"));
  BOOST_TEST(has(ask("admin", "INSERT table=jobs;name=a"), "INSERTED"));
  BOOST_TEST(has(ask("admin", "STATS table=jobs"), ";leased=0;"));
}

BOOST_AUTO_TEST_CASE(a_certificate_gives_the_rights_of_the_user_it_names) {
  world.network().certify("jim@192.0.2.8", "ann");
  world.give_rights("jim@192.0.2.8", {});
  BOOST_TEST(has(ask("jim@192.0.2.8", "STATS"), "connections_ever="));
  world.network().certify("joe@192.0.2.8", "nobody");
  world.give_rights("joe@192.0.2.8", {});
  BOOST_TEST(has(ask("joe@192.0.2.8", "STATS"), "code=not_allowed"));
  BOOST_TEST(has(world.notes().back(), "audit: login failed, command=CERTIFICATE claimed=nobody"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::sim::users_test
