// STOMP with clients that were written for other brokers (python3-stomp for 1.1 and 1.2, libnet-stomp-perl for 1.0), unmodified,
// against the real daemon, which is killed in between. The frames byte by byte: tests/unit/queue_stomp.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "tests/integration/daemon.h"
#include "tests/integration/shell.h"
#include "tests/support/documents.h"

namespace fastjournal::test {
namespace {

struct Broker {
  Broker() {
    daemon.listens_as_configured = true;
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<listen address=\"127.0.0.1:0\" table=\"mail\" protocol=\"stomp\" rights=\"read add "
                 "work manage\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    daemon.write("tables/mail.xml",
                 "<table name=\"mail\" model=\"queue\">\n<create-queues>true</create-queues>\n</table>\n");
    start();
  }
  ~Broker() {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
  }
  void start() { BOOST_REQUIRE_MESSAGE(daemon.start(), daemon.output()); }
  void kill_and_start() {
    daemon.kill(SIGKILL);
    static_cast<void>(daemon.wait());
    start();
  }
  // Nobody has rights but this user from now on; returns the token.
  std::string start_with_user(std::string const& name) {
    daemon.kill(SIGTERM);
    static_cast<void>(daemon.wait());
    daemon.write("fastjournal.xml",
                 "<fastjournal>\n<access users=\"users.xml\"/>\n"
                 "<listen address=\"127.0.0.1:0\" table=\"mail\" protocol=\"stomp\" rights=\"\"/>\n"
                 "<socket path=\"socket\" rights=\"all\"/>\n</fastjournal>\n");
    Ran const added =
        run_in_shell(daemon, "fastjournal user add " + name + " --rights 'add work' --file users.xml 2>/dev/null");
    BOOST_REQUIRE_MESSAGE(added.code == 0, added.output);
    start();
    return added.output.substr(0, added.output.find('\n'));
  }
  // One run of the client in Python; its lines.
  std::string stomp(std::string const& words, int expected = 0) {
    Ran const ran = run_in_shell(daemon, "python3 " FJ_SOURCE_DIR "/tests/integration/tables/stomp_client.py " +
                                             daemon.addresses().front() + " " + words);
    BOOST_TEST(ran.code == expected, words << ": " << ran.output);
    return ran.output;
  }
  std::string ask(std::string const& line) const {
    return LineClient{"unix:" + (daemon.folder() / "socket").string()}.ask(line);
  }
  RealDaemon daemon{""};
};

// Up to the NUL, which is shown as ^@.
std::string read_frame(LineClient& client) {
  std::string out;
  while (std::optional<std::string> const byte = client.read_bytes(1)) {
    if (byte->front() == '\0') return out + "^@";
    if (!out.empty() || *byte != "\n") out += *byte;
  }
  return out + "(end)";
}

// Numbers of the document stand for others.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (char const c : text)
    if (c < '0' || c > '9')
      out += c;
    else if (!out.ends_with('#'))
      out += '#';
  return out;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stomp, Broker)

BOOST_AUTO_TEST_CASE(the_example_of_the_document_is_what_happens) {
  std::string const token = start_with_user("indexer");
  LineClient client{daemon.addresses().front()};
  std::string ack;
  std::size_t played = 0;
  for (Example const& example : examples_of(FJ_SOURCE_DIR, "doc/stomp.md")) {
    if (example.language != "stomp") continue;
    std::string frame;
    for (std::string const& line : example.lines) {
      frame += line;
      if (!line.ends_with("^@")) {
        frame += '\n';
        continue;
      }
      ++played;
      std::string const shown = std::exchange(frame, {});
      if (shown.starts_with("CONNECTED") || shown.starts_with("RECEIPT") || shown.starts_with("MESSAGE")) {
        std::string const came = read_frame(client);
        BOOST_TEST(without_numbers(came) == without_numbers(shown));
        if (std::size_t const at = came.find("\nack:"); at != std::string::npos)
          ack = came.substr(at + 5, came.find('\n', at + 1) - at - 5);
        continue;
      }
      std::string sent = shown.substr(0, shown.size() - 2) + '\0';
      if (std::size_t const at = sent.find("TOKEN"); at != std::string::npos) sent.replace(at, 5, token);
      if (std::size_t const at = sent.find("\nid:"); sent.starts_with("ACK"))
        sent.replace(at + 4, sent.find('\n', at + 1) - at - 4, ack);
      BOOST_REQUIRE(client.send(sent));
    }
  }
  BOOST_TEST(played >= 7U);
  // All of it was taken, and the message is gone.
  BOOST_REQUIRE(client.send(std::string{"DISCONNECT\nreceipt:bye\n\n"} + '\0'));
  BOOST_TEST(read_frame(client) == "RECEIPT\nreceipt-id:bye\n\n^@");
  BOOST_TEST(ask("ACQUIRE table=mail;queue=orders").starts_with("NOTHING "));
}

BOOST_AUTO_TEST_CASE(a_passcode_is_the_token_of_a_user) {
  std::string const token = start_with_user("ann");
  stomp("login=ann passcode=" + token + " send /queue/orders hello");
  BOOST_TEST(stomp("login=ann passcode=" + token + " take /queue/orders 1 ack").starts_with("hello "));
  BOOST_TEST(stomp("refused /queue/orders").starts_with("error r not_allowed SEND: not_allowed: "));
  BOOST_TEST(stomp("login=bob passcode=" + token + " send /queue/orders hello", 1).find("ConnectFailedException") !=
             std::string::npos);
  BOOST_TEST(stomp("login=ann passcode=" + token + "x send /queue/orders hello", 1).find("ConnectFailedException") !=
             std::string::npos);
  BOOST_TEST(ask("ACQUIRE table=mail;queue=orders").starts_with("NOTHING "));
}

BOOST_AUTO_TEST_CASE(what_was_receipted_is_there_after_a_kill) {
  for (std::string const version : {"version=1.1 ", "version=1.2 "}) {
    stomp(version + "send /queue/orders 'hello wörld' colour=red priority=7");
    kill_and_start();
    BOOST_TEST(stomp(version + "take /queue/orders 1 leave") ==
               "hello wörld colour=red destination=/queue/orders priority=7 redelivered=false\n");
    kill_and_start();
    BOOST_TEST(stomp(version + "take /queue/orders 1 ack") ==
               "hello wörld colour=red destination=/queue/orders priority=7 redelivered=true\n");
    kill_and_start();
    BOOST_TEST(ask("ACQUIRE table=mail;queue=orders").starts_with("NOTHING "));
  }
}

BOOST_AUTO_TEST_CASE(messages_of_other_doors_are_those_of_stomp) {
  stomp("send /queue/orders text reply-to=/queue/answers");
  std::string const shown = ask("ACQUIRE table=mail;queue=orders;accept=1");
  BOOST_TEST(shown.find("body=text;") != std::string::npos, shown);
  BOOST_TEST(shown.find("\"reply-to\":\"/queue/answers\"") != std::string::npos, shown);
  BOOST_TEST(
      ask(R"(SEND table=mail;queue=orders;body=other;properties={"colour":"blue"};priority=0)").starts_with("SENT "));
  BOOST_TEST(stomp("take /queue/orders 1 auto") ==
             "other colour=blue destination=/queue/orders priority=9 redelivered=false\n");
}

BOOST_AUTO_TEST_CASE(auto_and_cumulative_acknowledgements) {
  for (std::string const how : {"auto", "ack-last"}) {
    for (std::string const body : {"1", "2", "3"}) stomp("send /queue/orders " + body);
    std::string const taken = stomp("take /queue/orders 3 " + how);
    BOOST_TEST(taken.starts_with("1 destination"), taken);
    BOOST_TEST(taken.find("\n3 destination") != std::string::npos, taken);
    BOOST_TEST(ask("ACQUIRE table=mail;queue=orders").starts_with("NOTHING "));
  }
}

BOOST_AUTO_TEST_CASE(what_fails_comes_again_and_what_is_rejected_is_dead) {
  ask("DECLARE table=mail;queue=dead");
  BOOST_TEST(ask("DECLARE table=mail;queue=work;dead_letters=dead;max_deliveries=2").starts_with("DECLARED "));
  stomp("send /queue/work one");
  stomp("take /queue/work 2 nack");
  BOOST_TEST(stomp("take /queue/dead 1 ack") ==
             "one dead-of=work destination=/queue/dead priority=4 redelivered=true\n");
  stomp("send /queue/work two");
  stomp("take /queue/work 1 reject");
  BOOST_TEST(stomp("version=1.1 take /queue/dead 1 ack").starts_with("two dead-of=work "));
}

BOOST_AUTO_TEST_CASE(topics_have_wildcards) {
  BOOST_TEST(stomp("topics 'news.*' news.a sport.b news.c news.a.b") ==
             "news.a destination=/topic/news.a priority=4 redelivered=false\n"
             "news.c destination=/topic/news.c priority=4 redelivered=false\n");
  BOOST_TEST(stomp("topics 'news.>' news.a.b other") ==
             "news.a.b destination=/topic/news.a.b priority=4 redelivered=false\n");
  // Their queues ended with them.
  BOOST_TEST(ask("QUEUES table=mail").find("queue=stomp.") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_come_to_a_queue_of_the_connection) {
  BOOST_TEST(stomp("ask /queue/questions why") == "answer to why\n");
  BOOST_TEST(ask("QUEUES table=mail").find("queue=stomp.") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(durable_subscriptions_last) {
  stomp("take /topic/news 0 ack id=desk durable=true");
  stomp("send /topic/news first");
  kill_and_start();
  stomp("send /topic/news second");
  std::string const taken = stomp("take /topic/news 2 ack id=desk durable=true");
  BOOST_TEST(taken.starts_with("first destination=/topic/news"), taken);
  BOOST_TEST(taken.find("\nsecond destination=/topic/news") != std::string::npos, taken);
  stomp("unsubscribe /topic/news id=desk durable=true");
  BOOST_TEST(ask("QUEUES table=mail;queue=subscription.desk").starts_with("NOTHING "));
}

BOOST_AUTO_TEST_CASE(transactions_are_done_or_not) {
  // A transaction makes no queue.
  ask("DECLARE table=mail;queue=to");
  stomp("send /queue/from letter");
  stomp("move /queue/from /queue/to abort");
  kill_and_start();
  BOOST_TEST(ask("ACQUIRE table=mail;queue=to").starts_with("NOTHING "));
  stomp("version=1.1 move /queue/from /queue/to commit");
  kill_and_start();
  BOOST_TEST(ask("ACQUIRE table=mail;queue=from").starts_with("NOTHING "));
  BOOST_TEST(stomp("take /queue/to 1 ack").starts_with("letter moved "));
}

BOOST_AUTO_TEST_CASE(a_refusal_has_its_reason) {
  std::string const refused = stomp("refused /exchange/nothing/key");
  BOOST_TEST(refused.starts_with("error r not_found SEND: not_found: "), refused);
}

BOOST_AUTO_TEST_CASE(the_oldest_version_is_spoken) {
  std::string address = daemon.addresses().front();
  address.replace(address.rfind(':'), 1, " ");
  Ran const ran = run_in_shell(
      daemon, "perl " FJ_SOURCE_DIR "/tests/integration/tables/stomp_client.pl " + address + " /queue/orders 3");
  BOOST_TEST(ran.code == 0, ran.output);
  BOOST_TEST(ran.output == "version 1.0\nmessage 1 colour=red\nmessage 2 colour=red\nmessage 3 colour=red\n");
  BOOST_TEST(ask("ACQUIRE table=mail;queue=orders").starts_with("NOTHING "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::test
