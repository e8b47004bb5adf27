// Tokens in clients: the library shows one before anything else and on each connection, and the command line finds it in
// the right place. The whole way with a daemon: tests/integration.
#include "clients/programs/fastjournal/token.h"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "clients/cpp/client.h"
#include "clients/cpp/secret_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/clients/fake_server.h"
#include "tests/unit/clients/run_line.h"

namespace fastjournal::client {
namespace {

using fastjournal::test::TemporaryFolder;
using fastjournal::test::want;

constexpr char const* kToken = "fj_YWFhYWFhYWFhYWFhYWFhYQYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI";
constexpr char const* kOther = "fj_YWFhYWFhYWFhYWFhYWFhYQY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2M";

void take_login(FakeServer::Peer& peer) {
  Message const auth = peer.expect("AUTH");
  want(auth.text("token") == kToken, "the token is shown");
  want(peer.silent(), "nothing else is sent before the answer");
  peer.answer(auth, "AUTHENTICATED", {{"user", Value::of_text("ann")}});
}

Result<std::unique_ptr<Connection>> open_with_token(FakeServer const& server) {
  Options options{.server = server.address(), .token = kToken};
  options.back_off = {Milliseconds{1}};
  return Connection::open(std::move(options));
}

cli::Globals asking(std::string const& server, std::string const& file = {}) {
  cli::Globals out;
  out.server = server;
  out.token_file = file;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokens_of_clients)

BOOST_AUTO_TEST_CASE(a_token_is_shown_alone_and_again_on_the_next_connection) {
  FakeServer server{[](FakeServer::Peer& peer) {
    take_login(peer);
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.accept();  // the connection before is cut
    take_login(peer);
    peer.answer(peer.expect("TABLES"), "TABLE");
  }};
  auto const connection = value_of(open_with_token(server));
  BOOST_TEST(connection->call("ALIVE").ok());
  BOOST_TEST(connection->call("TABLES").ok());
  BOOST_TEST(connection->connects() == 2U);
}

BOOST_AUTO_TEST_CASE(a_refused_token_ends_the_attempt_with_the_daemons_reason) {
  FakeServer server{[](FakeServer::Peer& peer) {
    Message const auth = peer.expect("AUTH");
    peer.answer(auth, "ERROR",
                {{"command", Value::of_text("AUTH")},
                 {"code", Value::of_text("not_allowed")},
                 {"message", Value::of_text("not valid here")}});
    peer.wait_for_end();
  }};
  auto const connection = open_with_token(server);
  BOOST_REQUIRE(!connection.ok());
  BOOST_TEST((connection.status().code() == Code::not_allowed));
  BOOST_TEST(connection.status().message().find("refuses the token: not valid here") != std::string::npos);
  BOOST_TEST(connection.status().message().find("fj_") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_token_that_is_refused_later_ends_the_call_at_once) {
  FakeServer server{[](FakeServer::Peer& peer) {
    take_login(peer);
    peer.answer(peer.expect("ALIVE"), "ABSOLUTELY");
    peer.accept();
    Message const auth = peer.expect("AUTH");
    peer.answer(auth, "ERROR",
                {{"command", Value::of_text("AUTH")},
                 {"code", Value::of_text("not_allowed")},
                 {"message", Value::of_text("removed")}});
    peer.wait_for_end();
  }};
  auto const connection = value_of(open_with_token(server));
  BOOST_TEST(connection->call("ALIVE").ok());
  Result<Reply> const reply = connection->call("TABLES");
  BOOST_REQUIRE(!reply.ok());
  BOOST_TEST((reply.status().code() == Code::not_allowed), reply.status().text());
}

BOOST_AUTO_TEST_CASE(the_nearest_source_of_a_token_counts) {
  TemporaryFolder const folder;
  std::string const given = folder / "given";
  std::string const kept = folder / "kept";
  BOOST_REQUIRE(client::write_secret(given, std::string{kToken} + "\r\n").ok());
  BOOST_REQUIRE(client::write_secret(kept, std::string{kOther} + "\nserver:1\n").ok());
  cli::TokenSources const none{};
  cli::TokenSources const from_file{.token = {}, .kept_in = kept};
  cli::TokenSources const from_both{.token = kToken, .kept_in = kept};
  BOOST_TEST(cli::find_token(asking("server:1"), none).value() == "");
  BOOST_TEST(cli::find_token(asking("server:1", given), from_file).value() == kToken);
  BOOST_TEST(cli::find_token(asking("server:1"), from_both).value() == kToken);
  BOOST_TEST(cli::find_token(asking("server:1"), from_file).value() == kOther);
  BOOST_TEST(cli::find_token(asking("server:2"), from_file).value() == "");
  BOOST_TEST(cli::find_token(asking("server:1"), {.token = {}, .kept_in = folder / "absent"}).value() == "");
  BOOST_TEST(!cli::find_token(asking("server:1", folder / "absent"), none).ok());
  BOOST_TEST(!cli::find_token(asking("server:1"), {.token = "fj_short", .kept_in = {}}).ok());
}

BOOST_AUTO_TEST_CASE(files_of_secrets_are_read_only_if_nobody_else_may_and_written_so) {
  TemporaryFolder const folder;
  std::string const path = folder / "secret";
  std::ofstream{path} << "old";
  BOOST_REQUIRE(::chmod(path.c_str(), 0644) == 0);
  BOOST_TEST(client::read_secret(path).status().message().ends_with("chmod 600 " + path));
  BOOST_REQUIRE(client::write_secret(path, "new").ok());
  struct stat found {};
  BOOST_REQUIRE(::stat(path.c_str(), &found) == 0);
  BOOST_TEST((found.st_mode & 0777U) == 0600U);
  BOOST_TEST(client::read_secret(path).value() == "new");
  BOOST_TEST(!std::filesystem::exists(path + ".new"));
  BOOST_TEST(!client::read_secret(folder.path().string()).ok());
  BOOST_TEST((client::read_secret(folder / "absent").status().code() == Code::not_found));
  BOOST_TEST(!client::write_secret(folder / "absent/secret", "x").ok());
  BOOST_REQUIRE(client::write_secret(path, std::string((64U << 10U) + 1, 'x')).ok());
  BOOST_TEST((client::read_secret(path).status().code() == Code::too_large));
}

BOOST_AUTO_TEST_CASE(mistakes_of_user_commands_are_told_before_anything_is_written) {
  TemporaryFolder const folder;
  std::string const file = folder / "users.xml";
  auto const said = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--file", file});
    fastjournal::test::Said const all = fastjournal::test::run_line("unix:/nowhere", words);
    return std::to_string(static_cast<int>(all.code)) + " " + all.err;
  };
  BOOST_TEST(said({"user", "add", "a b", "--rights", "read"}).starts_with("2 "));
  BOOST_TEST(said({"user", "add", "a", "--rights", "write"}).starts_with("2 "));
  BOOST_TEST(said({"user", "add", "a", "--rights", "all", "--tables", "jobs"}).starts_with("2 "));
  BOOST_TEST(said({"user", "add", "a", "--rights", "read", "--tables", "j*b"}).starts_with("2 "));
  BOOST_TEST(said({"user", "list"}).starts_with("2 "));
  BOOST_TEST(!std::filesystem::exists(file));
  BOOST_TEST(said({"user", "add", "a", "--rights", "read", "--no-token"}).starts_with("0 "));
  BOOST_TEST(said({"user", "add", "a", "--rights", "read", "--no-token"}).starts_with("6 "));
  BOOST_TEST(said({"user", "remove", "b"}).starts_with("2 "));
  BOOST_TEST(said({"user", "remove", "a"}).starts_with("0 "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::client
