// A stream over a pair of sockets that takes little at once: handshakes and writes stop in the middle and go on, and an
// end is told from a cut.
#include <sys/socket.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>

#include "platform/tls/stream.h"
#include "tests/support/certificates.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::tls {
namespace {

using Progress = Stream::Progress;

struct Pair {
  Pair() {
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
    int const little = 1;  // the kernel makes the least of it
    for (int const fd : fds) ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof little);
    test::Certificate const own = authority.issue();
    ServerMaterial material;
    material.certificate = own.certificate;
    // A long chain, which the socket does not take at once.
    for (int i = 0; i < 30; ++i) material.certificate += authority.certificate();
    material.key = own.key;
    auto context = ServerContext::make(material, {"fastjournal"});
    BOOST_REQUIRE_MESSAGE(context.ok(), context.status().text());
    server = std::move(Stream::accept(context.value(), fds[0])).value();
    std::ofstream{folder / "ca.pem"} << authority.certificate();
    auto trusting = ClientContext::make({.ca = {folder / "ca.pem", "--ca"}, .certificate = {}, .key = {}}, "localhost",
                                        "fastjournal");
    BOOST_REQUIRE_MESSAGE(trusting.ok(), trusting.status().text());
    client = std::move(Stream::connect(trusting.value(), fds[1])).value();
  }
  ~Pair() {
    for (int const fd : fds)
      if (fd >= 0) ::close(fd);
  }
  // Step by step, the one and the other.
  void shake() {
    Progress here = Progress::want_read;
    Progress there = Progress::want_read;
    for (int i = 0; i < 10'000 && (here != Progress::done || there != Progress::done); ++i) {
      if (there != Progress::done) there = client->handshake();
      if (here != Progress::done) here = server->handshake();
      BOOST_REQUIRE_MESSAGE(here != Progress::failed, server->reason());
      BOOST_REQUIRE_MESSAGE(there != Progress::failed, client->reason());
      waited_to_write = waited_to_write || here == Progress::want_write;
    }
    BOOST_REQUIRE((here == Progress::done && there == Progress::done));
  }
  // What the client can read now.
  Progress read(std::string& into) {
    char part[3000];
    std::size_t got = 0;
    Progress const progress = client->read(part, got);
    into.append(part, got);
    return progress;
  }
  void close(int which) {
    ::close(fds[which]);
    fds[which] = -1;
  }

  int fds[2]{-1, -1};
  test::TemporaryFolder folder;
  test::Authority authority;
  std::unique_ptr<Stream> server;
  std::unique_ptr<Stream> client;
  bool waited_to_write{false};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(streams, Pair)

BOOST_AUTO_TEST_CASE(a_handshake_waits_for_room_and_goes_on) {
  shake();
  BOOST_TEST(waited_to_write);
}

BOOST_AUTO_TEST_CASE(what_was_not_taken_is_given_again_from_another_buffer_with_more_behind_it) {
  shake();
  std::string all;
  for (int i = 0; all.size() < 300'000; ++i) all += std::to_string(i) + " ";
  std::size_t sent = 0;
  std::size_t shown = 100'000;
  std::size_t waits = 0;
  std::string received;
  for (int i = 0; i < 100'000 && received.size() < all.size(); ++i) {
    if (sent < all.size()) {
      // A copy each time: at other addresses.
      std::string const now = all.substr(sent, shown - sent);
      std::size_t taken = 0;
      Progress const progress = server->write(now, taken);
      BOOST_REQUIRE((progress == Progress::done || progress == Progress::want_write));
      if (progress == Progress::want_write) ++waits;
      sent += taken;
      shown = std::min(all.size(), shown + 10'000);
    }
    Progress const progress = read(received);
    BOOST_REQUIRE((progress == Progress::done || progress == Progress::want_read));
  }
  BOOST_TEST(waits > 10U);
  BOOST_TEST((received == all));
}

BOOST_AUTO_TEST_CASE(an_end_is_told_from_a_cut) {
  shake();
  std::size_t taken = 0;
  BOOST_TEST((server->write("last", taken) == Progress::done));
  server->tell_end();
  close(0);
  std::string received;
  while (read(received) == Progress::done) continue;
  BOOST_TEST(received == "last");
  BOOST_TEST(client->has_ended());
  BOOST_TEST(!client->was_cut());
  BOOST_TEST((read(received) == Progress::closed));
}

BOOST_AUTO_TEST_CASE(a_cut_stays_a_failure) {
  shake();
  std::size_t taken = 0;
  BOOST_TEST((server->write("last", taken) == Progress::done));
  close(0);
  std::string received;
  while (read(received) == Progress::done) continue;
  BOOST_TEST(received == "last");
  BOOST_TEST(!client->has_ended());
  BOOST_TEST(client->was_cut());
  BOOST_TEST((read(received) == Progress::failed));
  BOOST_TEST((client->write("x", taken) == Progress::failed));
  BOOST_TEST(client->socket_error() == EPIPE);
}

BOOST_AUTO_TEST_CASE(a_socket_that_ends_in_the_handshake_is_told) {
  BOOST_TEST((client->handshake() == Progress::want_read));
  close(0);
  BOOST_TEST((client->handshake() == Progress::failed));
  BOOST_TEST(client->was_cut() != (client->socket_error() != 0));
  BOOST_TEST((client->handshake() == Progress::failed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::tls
