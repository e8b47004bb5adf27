// The connection knows the commands of a table type only from Options::commands. The rules of a type are those of its
// TYPE.xml, and a type with other names works in the same way.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/in_flight.h"
#include "config/type_reader.h"
#include "server/admin/declarations.h"
#include "tests/unit/clients/fake_server.h"

namespace fastjournal::client {
namespace {

// A type's names for its commands that are resent, that wait and that lease (tests/support/types/errand.xml).
struct Words {
  std::span<CommandRule const> rules;
  std::string_view take, wait, row, give_back, done, finished;
};

constexpr std::array kErrandRules{
    CommandRule{
        .name = "GRAB", .resend = Resend::always, .wait = "patience", .leases = "ERRAND", .give_back = "RETURN"},
    CommandRule{.name = "FINISH", .resend = Resend::always, .done_before = "FINISHED"},
};

std::array<Words, 3> all_words() {
  return {Words{journal_commands(), "NEXT", "wait", "ROW", "RELEASE", "DONE", "COMPLETED"},
          Words{queue_commands(), "ACQUIRE", "wait", "MESSAGE", "RELEASE", "ACCEPT", "ACCEPTED"},
          Words{kErrandRules, "GRAB", "patience", "ERRAND", "RETURN", "FINISH", "FINISHED"}};
}

Options options_for(FakeServer const& server, Words const& words) {
  Options options;
  options.server = server.address();
  options.back_off = {Milliseconds{1}};
  options.commands = words.rules;
  return options;
}

// The words between these two in a client's file.
std::string words_of(std::string const& name, std::string_view begin, std::string_view end) {
  std::ifstream file{FJ_SOURCE_DIR "/clients/" + name};
  std::string out{std::istreambuf_iterator<char>{file}, {}};
  std::size_t const last = out.find(end);
  std::size_t const first = out.rfind(begin, last);
  BOOST_REQUIRE_MESSAGE(first != std::string::npos && last != std::string::npos, name);
  out = out.substr(first, last - first);
  std::ranges::replace_if(
      out, [](char c) { return !(c >= 'A' && c <= 'Z') && c != '_'; }, ' ');
  return " " + out + " ";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(command_rules)

// Of a type whose library has these rules.
void check_rules(std::string const& type_file, std::span<CommandRule const> rules) {
  TypeDeclaration const type = value_of(config::read_type(FJ_SOURCE_DIR "/plugins/" + type_file));
  std::size_t told = 0;
  for (CommandDeclaration const& command : type.commands) {
    auto const rule = std::ranges::find(rules, command.name, &CommandRule::name);
    bool const has_rule = rule != rules.end();
    bool const may_resend = command.resend != fastjournal::Resend::never;
    if (may_resend) BOOST_TEST(has_rule, command.name);
    if (!has_rule) continue;
    // One that must not be sent twice is known for what it leases.
    BOOST_TEST((may_resend || !rule->leases.empty()), command.name);
    ++told;
    BOOST_TEST(static_cast<int>(rule->resend) == static_cast<int>(command.resend), command.name);
  }
  BOOST_TEST(told == rules.size());
}

BOOST_AUTO_TEST_CASE(the_rules_of_a_type_are_those_of_its_declaration) {
  check_rules("journal/journal.xml", journal_commands());
  check_rules("keyvalue/keyvalue.xml", key_value_commands());
  check_rules("queue/queue.xml", queue_commands());
  check_rules("pipeline/pipeline.xml", pipeline_commands());
  check_rules("blob/blob.xml", blob_commands());
}

// Whoever declares a change says how a client may send it again, or it has a reason here.
BOOST_AUTO_TEST_CASE(every_change_is_sent_again_or_has_a_reason) {
  static constexpr std::pair<std::string_view, std::string_view> kReasons[]{
      {"journal.DELETE", "by key it may hit a row that came since; with a filter it counts"},
      {"journal.KICK", "by key it may hit a row that came since; one that is worked on would be taken back"},
      {"journal.REDO", "each puts another row"},
      {"journal.TRIGGER", "each makes another row"},
      {"keyvalue.LOCK", "it ends with the connection"},
      {"keyvalue.UNLOCK", "what it would end has ended with the connection"},
      {"blob.MAINTAIN", "the one that it began may be over"},
      {"queue.MOVE", "each moves a page"},
      {"queue.KICK", "another consumer may have it by then"},
      {"queue.DELETE", "a rule is of a name, and DELETE of a key/value table is numbered"},
      {"pipeline.KICK", "another worker may have it by then"},
      {"pipeline.CHILD", "the parameter `again` says that it is repeated (Documents)"},
  };
  std::set<std::string, std::less<>> used;
  for (std::string const name : {"journal", "keyvalue", "blob", "queue", "pipeline"}) {
    TypeDeclaration const type = value_of(config::read_type(FJ_SOURCE_DIR "/plugins/" + name + "/" + name + ".xml"));
    for (CommandDeclaration const& command : type.commands) {
      std::string const whole = name + "." + command.name;
      bool const has_reason =
          std::ranges::find(kReasons, whole, &std::pair<std::string_view, std::string_view>::first) !=
          std::end(kReasons);
      bool const is_numbered = command.resend == fastjournal::Resend::numbered;
      bool const is_known = command.kind == CommandKind::read || command.resend != fastjournal::Resend::never;
      BOOST_TEST(is_known != has_reason, whole << ": read, numbered, sent again always, or a reason");
      for (std::string const parameter : {"client", "sequence"})
        BOOST_TEST(is_numbered ==
                       std::ranges::any_of(command.parameters, [&](auto const& one) { return one.name == parameter; }),
                   whole << ", " << parameter);
      if (has_reason) used.insert(whole);
    }
  }
  BOOST_TEST(used.size() == std::size(kReasons));
}

// Those that only read, and those whose repetition changes nothing. The clients in other languages have the same.
BOOST_AUTO_TEST_CASE(every_command_of_the_daemon_is_sent_again_or_has_a_reason) {
  static constexpr std::pair<std::string_view, std::string_view> kReasons[]{
      {"AUTH", "each new connection logs in by itself"},
      {"LOWER", "it may be raised again meanwhile"},
      {"BEGIN", "a transaction ends with its connection"},
      {"COMMIT", "the same"},
      {"ROLLBACK", "the same"},
      {"TRANSACTION", "what is not numbered in it would be done twice"},
      {"XA_START", "a branch that is not prepared ends with its connection"},
      {"XA_END", "the same"},
      {"XA_PREPARE", "the same; XA_RECOVER tells whether it was carried out"},
      {"XA_COMMIT", "it may be over, and forgotten: a manager asks by XA_RECOVER"},
      {"XA_ROLLBACK", "the same"},
      {"XA_FORGET", "the same"},
      {"XA_TIMEOUT", "it is of the connection"},
      {"XA_DECIDE", "a person decides, and looks before doing so again"},
      {"BACKUP", "what is held for it ends with the connection"},
      {"BACKUP_DONE", "the same"},
      {"STEP_DOWN", "another node may have stepped in, and this one in again"},
      {"MOVE_TABLE", "the second would be refused, or move it back"},
      {"RELOAD", "the answer tells what this one changed"},
      {"STOP", "the connection ends by it"},
      {"RESTART", "the same"},
      {"LOG_ROTATE", "each moves the files of the log on"},
      {"LOG", "a word of communicatord"},
  };
  std::array const others{words_of("python/fastjournal/_rules.py", "OF_DAEMON = (", ")\n"),
                          words_of("node/lib/made/rules.js", "// The daemon's own", "// Sent again after")};
  std::set<std::string_view> used;
  std::size_t told = 0;
  for (admin::OwnCommand const& command : admin::own_commands()) {
    auto const reason =
        std::ranges::find(kReasons, command.name(), &std::pair<std::string_view, std::string_view>::first);
    if (reason != std::end(kReasons)) used.insert(command.name());
    bool const is_sent_again = rule_of(command.name(), known_commands()).resend == Resend::always;
    // It has no answer that could be lost.
    bool const is_silent = command.kind == admin::OwnCommand::Kind::silent;
    BOOST_TEST(is_sent_again == (!is_silent && reason == std::end(kReasons)), command.name()
                                                                                  << ": sent again, or a reason");
    for (std::string const& other : others)
      BOOST_TEST((other.find(" " + std::string{command.name()} + " ") != std::string::npos) == is_sent_again,
                 command.name() << ": Python and Node");
    told += is_sent_again ? 1 : 0;
  }
  BOOST_TEST(used.size() == std::size(kReasons));
  BOOST_TEST(told > 10U);
}

// Those that are told one by one have more than that to tell; the others are words of a list.
BOOST_AUTO_TEST_CASE(python_and_node_send_the_same_again) {
  constexpr char const* kPython = "python/fastjournal/_rules.py";
  constexpr char const* kNode = "node/lib/made/rules.js";
  std::array const always{
      words_of(kPython, "# Sent again after", "# Sent again if") + words_of(kPython, "# Known for", "}\n"),
      words_of(kNode, "// Sent again after", "// Sent again if") + words_of(kNode, "// Known for", "};\n")};
  std::array const numbered{words_of(kPython, "# Sent again if", "# Known for"),
                            words_of(kNode, "// Sent again if", "// Known for")};
  for (CommandRule const& rule : known_commands()) {
    std::string const name = " " + std::string{rule.name} + " ";
    for (std::size_t at = 0; at < always.size(); ++at) {
      BOOST_TEST((always[at].find(name) != std::string::npos) == (rule.resend != Resend::numbered),
                 rule.name << ": " << (at == 0 ? kPython : kNode));
      BOOST_TEST((numbered[at].find(name) != std::string::npos) == (rule.resend == Resend::numbered),
                 rule.name << ": " << (at == 0 ? kPython : kNode));
    }
  }
}

// Unless told otherwise a connection knows the commands of all types, whatever table it asks.
BOOST_AUTO_TEST_CASE(the_rules_of_different_types_do_not_contradict_each_other) {
  for (auto const rules :
       {journal_commands(), key_value_commands(), queue_commands(), pipeline_commands(), blob_commands()})
    for (CommandRule const& one : rules) {
      auto const known = std::ranges::find(Options{}.commands, one.name, &CommandRule::name);
      BOOST_REQUIRE_MESSAGE(known != Options{}.commands.end(), one.name);
      BOOST_TEST(std::ranges::count(known_commands(), one.name, &CommandRule::name) == 1, one.name);
      BOOST_TEST((known->resend == one.resend && known->wait == one.wait && known->done_before == one.done_before &&
                  known->leases == one.leases && known->give_back == one.give_back),
                 one.name);
    }
}

BOOST_AUTO_TEST_CASE(what_may_be_sent_twice_is_sent_again) {
  for (Words const& words : all_words()) {
    FakeServer server([&](Peer& peer) {
      static_cast<void>(peer.expect(words.take));
      static_cast<void>(peer.expect("UNHEARD_OF"));
      peer.accept();
      peer.answer(peer.expect(words.take), words.row, {number("left", 0)});
    });
    auto const connection = Connection::open(options_for(server, words)).value();
    Ticket const taken = connection->send(Message{words.take}).value();
    Ticket const unheard = connection->send(Message{"UNHEARD_OF"}).value();
    BOOST_TEST(connection->receive(taken)->first().command == words.row);
    BOOST_TEST((connection->receive(unheard).status().code() == Code::closed));
  }
}

BOOST_AUTO_TEST_CASE(what_was_done_before_the_loss_is_done) {
  for (Words const& words : all_words()) {
    FakeServer server([&](Peer& peer) {
      static_cast<void>(peer.expect(words.done));
      peer.accept();
      Message const again = peer.expect(words.done);
      peer.answer(again, "ERROR", {{"code", Value::of_text("unknown_row")}, number("left", 0)});
    });
    auto const connection = Connection::open(options_for(server, words)).value();
    Reply const reply = value_of(connection->call(words.done));
    BOOST_TEST(reply.first().command == words.finished);
  }
}

BOOST_AUTO_TEST_CASE(a_row_that_comes_too_late_is_given_back) {
  std::vector<Words> all;
  for (Words const& words : all_words()) all.push_back(words);
  all.push_back({pipeline_commands(), "NEXT", "wait", "DOCUMENT", "RELEASE", "SENT", "RECORDED"});
  for (Words const& words : all) {
    std::atomic<bool> given_back{false};
    FakeServer server([&](Peer& peer) {
      Message const asked = peer.expect(words.take);
      if (asked.integer(words.wait).value_or(0) != 1) throw std::runtime_error("the wait is lost");
      // The next command shows that the client has given up this one.
      peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
      // What names a lease: a row, a message of a queue, a document.
      peer.answer(asked, words.row,
                  {number("row", 5), number("message", 7), number("epoch", 6), number("document", 8),
                   number("token", 9), number("left", 0)});
      while (!given_back) {
        Message const message = peer.next();
        if (message.command == "ALIVE")
          peer.answer(message, "ABSOLUTELY");
        else if (message.command == words.give_back && message.integer("row") == 5 && message.integer("message") == 7 &&
                 message.integer("epoch") == 6 && message.integer("document") == 8 && message.integer("token") == 9)
          given_back = true;
        else
          throw std::runtime_error("unexpected " + std::string(message.command));
      }
    });
    Options options = options_for(server, words);
    options.time_limit = Milliseconds{1};
    auto const connection = Connection::open(std::move(options)).value();
    BOOST_TEST((connection->call(words.take, {number(std::string{words.wait}, 1)}).status().code() == Code::timed_out));
    // Whether it takes 1 ms or more, each call reads what has arrived, in the end the late row.
    auto const limit = std::chrono::steady_clock::now() + Milliseconds{kScriptLimitMs};
    while (!given_back && std::chrono::steady_clock::now() < limit) static_cast<void>(connection->call("ALIVE"));
    BOOST_TEST(given_back.load());
  }
}

BOOST_AUTO_TEST_CASE(rows_of_an_answer_that_ends_in_an_error_or_not_at_all_are_released) {
  for (bool const ends : {true, false}) {
    FakeServer server([&](Peer& peer) {
      Message const next = peer.expect("DONE");
      peer.answer(next, "COMPLETED", {text("table", "pages"), number("row", 3), number("left", 2)});
      peer.answer(next, "ROW", {text("table", "pages"), number("row", 4), number("epoch", 6), number("left", 1)});
      if (ends) peer.answer(next, "ERROR", {text("code", "too_large"), text("message", "no"), number("left", 0)});
      Message const back = peer.expect("RELEASE");
      want(back.integer("row") == 4 && back.integer("epoch") == 6 && !back.has("error"), "the row");
      peer.wait_for_end();
    });
    Options options;
    options.server = server.address();
    // Enough to read what was answered; if not, it is late, and released all the same.
    if (!ends) options.time_limit = Milliseconds{500};
    auto connection = Connection::open(std::move(options)).value();
    Result<Reply> const reply = connection->call("DONE", {text("table", "pages"), number("row", 3)});
    BOOST_TEST((reply.status().code() == (ends ? Code::too_large : Code::timed_out)));
    if (ends) BOOST_TEST(connection->flush().ok());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
