// The command `tx run`: the message that it sends, what it prints, and the line that an error names.
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/run_line.h"
#include "wire/commands.h"

using namespace fastjournal;
using namespace fastjournal::cli;
using namespace fastjournal::test;

namespace {

constexpr char kFile[] =
    "# an order\n"
    "INSERT table=jobs;name=a\n"
    "\n"
    "{\"command\":\"SET\",\"parameters\":{\"table\":\"values\",\"key\":\"k\",\"value\":7}}\n";

void committed(Peer& peer) {
  Message const message = peer.expect("TRANSACTION");
  std::string decoded;
  std::vector<Message> commands;
  want(protocol::read_commands(*message.find("commands"), 10, decoded, commands).ok(), "no commands");
  want(commands.size() == 2, "two commands");
  want(commands[0].command == "INSERT" && commands[0].text("name") == "a", "the first one");
  // In a line bytes are base64, so they must not come as the bytes themselves.
  want(!commands[0].find("name")->verbatim, "text as in a line");
  want(commands[1].command == "SET" && commands[1].integer("value") == 7, "the second one");
  peer.answer(message, "COMMITTED", {number("transaction", 1), number("ops", 2), number("left", 2)});
  peer.answer(message, "INSERTED", {text("table", "jobs"), number("row", 8), number("op", 1), number("left", 1)});
  peer.answer(message, "STORED", {text("table", "values"), number("op", 2), number("left", 0)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cli_transactions)

BOOST_AUTO_TEST_CASE(a_file_of_commands_is_sent_in_one_message) {
  test::TemporaryFolder const folder;
  std::string const file = (folder.path() / "order.tx").string();
  std::ofstream{file} << kFile;
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"tx", "run", file}, {"--text", "tx", "run", "-"}}) {
    Said const said = talk([](Peer& peer) { committed(peer); }, words, kFile);
    BOOST_TEST((said.code == ExitCode::ok), said.err);
    BOOST_TEST(says(said.out, "INSERTED"));
    BOOST_TEST(says(said.out, "row=8"));
    BOOST_TEST(says(said.out, "STORED"));
    BOOST_TEST(!says(said.out, "COMMITTED"));
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_names_the_line_and_the_exit_code_says_so) {
  Said const said = talk(
      [](Peer& peer) {
        Message const message = peer.expect("TRANSACTION");
        peer.answer(message, "ERROR",
                    {text("command", "TRANSACTION"), text("code", "unknown_table"), text("message", "no table values"),
                     text("op", "2")});
      },
      {"tx", "run", "-"}, kFile);
  BOOST_TEST((said.code == ExitCode::refused));
  BOOST_TEST(says(said.err, "standard input:4"), said.err);
  BOOST_TEST(says(said.err, "no table values"));
  BOOST_TEST(said.out == "");
}

BOOST_AUTO_TEST_CASE(what_is_no_command_is_found_before_anything_is_sent) {
  auto const run = [](std::string const& input) { return talk([](Peer&) {}, {"tx", "run", "-"}, input); };
  Said const broken = run("INSERT table=jobs\nSET table\n");
  BOOST_TEST((broken.code == ExitCode::usage));
  BOOST_TEST(says(broken.err, "standard input:2"), broken.err);
  Said const bytes = run("INSERT table=jobs;name=\xff\n");
  BOOST_TEST((bytes.code == ExitCode::usage));
  BOOST_TEST(says(bytes.err, "UTF-8"), bytes.err);
  Said const empty = run("# nothing\n\n");
  BOOST_TEST((empty.code == ExitCode::usage));
  BOOST_TEST(says(empty.err, "there is no command"), empty.err);
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "INSERT table=jobs\n";
  Said const over = run(many);
  BOOST_TEST((over.code == ExitCode::usage));
  BOOST_TEST(says(over.err, "at most 1000"), over.err);
  BOOST_TEST(says(over.err, "standard input:1001"), over.err);
  Said const absent = talk([](Peer&) {}, {"tx", "run", "/no/such/file"});
  BOOST_TEST((absent.code == ExitCode::refused));
  BOOST_TEST(says(absent.err, "/no/such/file"), absent.err);
}

BOOST_AUTO_TEST_CASE(branches_are_listed_in_pages_and_decided) {
  Said const listed = talk(
      [](Peer& peer) {
        Message const first = peer.expect("XA_RECOVER");
        want(first.integer("all") == 0 && !first.has("after"), "the first page");
        peer.answer(first, "BRANCH",
                    {text("xid", "1:aa:"), text("state", "prepared"), text("after", "1:aa:"), number("left", 0)});
        Message const second = peer.expect("XA_RECOVER");
        want(second.text("after") == "1:aa:", "the second page");
        peer.answer(second, "BRANCH", {text("xid", "1:bb:"), text("state", "prepared"), number("left", 0)});
      },
      {"tx", "ls"});
  BOOST_TEST((listed.code == ExitCode::ok), listed.err);
  BOOST_TEST(says(listed.out, "1:aa:"));
  BOOST_TEST(says(listed.out, "1:bb:"));
  Said const none = talk(
      [](Peer& peer) {
        Message const all = peer.expect("XA_RECOVER");
        want(all.integer("all") == 1, "all of them");
        peer.answer(all, "BRANCHES", {number("count", 0)});
      },
      {"tx", "ls", "--all"});
  BOOST_TEST(none.out == "no branches\n");
  Said const decided = talk(
      [](Peer& peer) {
        Message const decide = peer.expect("XA_DECIDE");
        want(decide.text("xid") == "1:aa:" && decide.text("outcome") == "rollback", "the decision");
        peer.answer(decide, "DECIDED", {text("xid", "1:aa:"), text("outcome", "rolled_back"), number("ops", 3)});
      },
      {"tx", "rollback", "1:aa:"});
  BOOST_TEST(decided.out == "1:aa:: rolled_back (3 commands)\n", decided.err);
  Said const forgotten =
      talk([](Peer& peer) { peer.answer(peer.expect("XA_FORGET"), "FORGOTTEN", {text("xid", "1:aa:")}); },
           {"tx", "forget", "1:aa:"});
  BOOST_TEST(forgotten.out == "forgot 1:aa:\n");
}

BOOST_AUTO_TEST_SUITE_END()
