// Lists of users and groups: the decision alone, and at real sockets, where a thread of the test is another user.
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>

#include "platform/reactor/peer_list.h"
#include "tests/unit/reactor/tls_fixture.h"

namespace fastjournal::reactor {
namespace {

constexpr std::uint32_t kOwn = 990;

bool admits(PeerList const& list, std::uint32_t user, std::vector<std::uint32_t> const& groups = {}) {
  return list.admits(user, groups, kOwn);
}

// In a thread that is this user, for the kernel: its own calls change only the thread that makes them. Only root can.
void as_user(std::uint32_t user, std::uint32_t group, std::vector<gid_t> const& more,
             std::function<void()> const& what) {
  bool became = false;
  std::thread{[&] {
    became = ::syscall(SYS_setgroups, more.size(), more.data()) == 0 &&
             ::syscall(SYS_setresgid, group, group, group) == 0 && ::syscall(SYS_setresuid, user, user, user) == 0;
    if (became) what();
  }}.join();
  BOOST_TEST(became);
}

// Everything that somebody is told who connects; empty: nothing, and the end.
std::string told_to(std::string const& address) {
  LineClient client{address};
  return client.read_all().value_or("(it lasts)");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_lists)

BOOST_AUTO_TEST_CASE(without_lists_everybody_may_come) {
  BOOST_TEST(admits({}, 1000));
  BOOST_TEST(admits({}, 65534, {65534}));
}

BOOST_AUTO_TEST_CASE(listed_users_and_members_of_listed_groups_may_come) {
  PeerList const users{{1000, 1001}, {}};
  BOOST_TEST(admits(users, 1000));
  BOOST_TEST(admits(users, 1001, {5}));
  BOOST_TEST(!admits(users, 1002));
  // The number of a group is no user's.
  BOOST_TEST(!admits(users, 1002, {1000}));
  PeerList const groups{{}, {20, 30}};
  BOOST_TEST(admits(groups, 1000, {7, 30}));
  BOOST_TEST(!admits(groups, 1000, {7, 31}));
  BOOST_TEST(!admits(groups, 20, {}));
  PeerList const both{{1000}, {30}};
  BOOST_TEST(admits(both, 1000, {7}));
  BOOST_TEST(admits(both, 1001, {30}));
  BOOST_TEST(!admits(both, 1001, {7}));
}

BOOST_AUTO_TEST_CASE(root_and_the_own_user_always_may) {
  PeerList const list{{1000}, {30}};
  BOOST_TEST(admits(list, 0));
  BOOST_TEST(admits(list, kOwn));
  BOOST_TEST(!admits(list, kOwn + 1));
  // Of a group they need not be.
  BOOST_TEST(!admits(list, 1, {0}));
}

BOOST_AUTO_TEST_CASE(who_is_not_listed_is_told_so_and_closed) {
  TemporaryFolder const folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  std::vector<std::string> warned;
  Server server{{.warn = [&](std::string_view text) { warned.emplace_back(text); }}};
  auto const listen = [&](std::string const& name, env::ListenOptions options) {
    options.unix_mode = 0666;
    options.refusal_not_allowed = "not you\n";
    return server.listen("unix:" + (folder / name), options);
  };
  std::string const by_user = listen("a.sock", {.number = 1, .users = {4711}});
  std::string const by_group = listen("b.sock", {.number = 2, .groups = {815}});
  std::string const by_both = listen("c.sock", {.number = 3, .users = {4711}, .groups = {815}});
  std::string const for_all = listen("d.sock", {.number = 4});
  server.handler.bytes_hook = [&](ConnectionId id, std::string_view bytes) { server.handler.answer(id, bytes); };
  server.start();
  // This process is always let in.
  for (std::string const& address : {by_user, by_group, by_both, for_all}) {
    LineClient client{address};
    BOOST_TEST(client.ask("x") == "x");
  }
  std::size_t refused = 0;
  // Others only root can play.
  if (::geteuid() == 0) {
    refused = 5;
    as_user(4711, 4711, {}, [&] {
      BOOST_TEST(LineClient{by_user}.ask("x") == "x");
      BOOST_TEST(told_to(by_group) == "not you\n");
      BOOST_TEST(LineClient{by_both}.ask("x") == "x");
    });
    as_user(4712, 4712, {1, 2, 3}, [&] {
      BOOST_TEST(told_to(by_user) == "not you\n");
      BOOST_TEST(told_to(by_group) == "not you\n");
      BOOST_TEST(told_to(by_both) == "not you\n");
      BOOST_TEST(LineClient{for_all}.ask("x") == "x");
    });
    as_user(4712, 815, {}, [&] {
      BOOST_TEST(told_to(by_user) == "not you\n");
      BOOST_TEST(LineClient{by_group}.ask("x") == "x");
    });
    // The last one of many groups.
    std::vector<gid_t> many;
    for (gid_t group = 10'000; group < 10'500; ++group) many.push_back(group);
    many.push_back(815);
    as_user(4712, 4712, many, [&] { BOOST_TEST(LineClient{by_both}.ask("x") == "x"); });
  }
  server.finish();
  BOOST_TEST(server.reactor->counters().not_allowed == refused);
  // Few lines, however many come.
  BOOST_TEST(warned.size() == std::min<std::size_t>(refused, 1));
  for (std::string const& one : warned) BOOST_TEST(one.find("uid 4711 at unix:") != std::string::npos, one);
}

BOOST_FIXTURE_TEST_CASE(over_tls_nothing_is_told, Secured) {
  TemporaryFolder const folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  Server server;
  auto const bound = server.reactor->listen({"unix:" + (folder / "a.sock")},
                                            {.unix_mode = 0666, .users = {4711}, .refusal_not_allowed = "not you\n"},
                                            {context(), kNoTls});
  BOOST_REQUIRE(bound.ok());
  server.start();
  TlsClient own{bound->text, trusting()};
  shake(own);
  BOOST_TEST(echo(own, "x") == "x");
  if (::geteuid() == 0) as_user(4712, 4712, {}, [&] { BOOST_TEST(told_to(bound->text) == ""); });
  server.finish();
  BOOST_TEST(server.handler.opened.size() == 1U);
}

BOOST_AUTO_TEST_CASE(datagrams_of_those_who_are_not_listed_are_dropped_and_counted) {
  TemporaryFolder const folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  std::string const path = folder / "a.sock";
  Server server;
  BOOST_REQUIRE(
      server.reactor->receive_local_datagrams({path}, {.unix_mode = 0666, .users = {4711}, .groups = {815}}).ok());
  std::vector<std::string> heard;
  server.handler.local_datagram_hook = [&](ConnectionId, std::string_view bytes, std::string_view,
                                           env::Peer const& peer) {
    heard.push_back(std::string{bytes} + " of " + std::string{peer.origin});
    if (bytes == "stop") server.reactor->stop();
  };
  auto const send = [&](std::string_view bytes) {
    UniqueFd const fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    auto const address = parse_address(path);
    BOOST_TEST(::sendto(fd.get(), bytes.data(), bytes.size(), 0, address->get(), address->length) ==
               static_cast<ssize_t>(bytes.size()));
  };
  std::vector<std::string> expected;
  if (::geteuid() == 0) {
    as_user(4711, 1, {}, [&] { send("a"); });
    as_user(4712, 1, {}, [&] { send("b"); });
    as_user(4713, 815, {}, [&] { send("c"); });
    // Of its groups the kernel tells the first only.
    as_user(4714, 1, {815}, [&] { send("d"); });
    expected = {"a of uid:4711", "c of uid:4713"};
  }
  send("stop");
  server.start();
  server.join();
  expected.push_back("stop of uid:" + std::to_string(::geteuid()));
  BOOST_TEST(heard == expected, boost::test_tools::per_element());
  BOOST_TEST(server.reactor->counters().not_allowed == (::geteuid() == 0 ? 2U : 0U));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::reactor
