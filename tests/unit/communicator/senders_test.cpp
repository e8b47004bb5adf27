// The senders behind a communicatord's connection: each has a number that no network connection has, until its service
// leaves. If there are too many, the one that was silent longest makes room.
#include <boost/test/unit_test.hpp>

#include "server/communicator/senders.h"

namespace {

using fastjournal::ConnectionId;
using fastjournal::communicator::Senders;

struct SendersFixture {
  ConnectionId of(std::string_view server, std::string_view service) {
    left.reset();
    return senders.of(server, service, left);
  }
  Senders senders;
  std::optional<ConnectionId> left;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(senders_of_a_communicatord)

BOOST_FIXTURE_TEST_CASE(each_has_a_number_of_its_own_until_it_leaves, SendersFixture) {
  ConnectionId const a = of("box", "a");
  ConnectionId const b = of("box", "b");
  ConnectionId const far = of("far", "a");
  BOOST_TEST((a != b && a != far && b != far));
  BOOST_TEST((of("box", "a") == a));
  BOOST_TEST(Senders::is_sender(a));
  BOOST_TEST(!Senders::is_sender(ConnectionId{1'000'000'000}));
  BOOST_TEST((senders.leave("box", "a") == std::vector{a}));
  BOOST_TEST(senders.leave("box", "a").empty());
  BOOST_TEST((of("box", "a") != a));
  // Services of this name on any server.
  BOOST_TEST(senders.leave("", "a").size() == 2U);
  BOOST_TEST((senders.leave_all() == std::vector{b}));
  BOOST_TEST(senders.all().empty());
}

BOOST_FIXTURE_TEST_CASE(the_longest_silent_makes_room, SendersFixture) {
  ConnectionId const first = of("box", "0");
  ConnectionId const second = of("box", "1");
  for (std::size_t i = 2; i < Senders::kMax; ++i) {
    static_cast<void>(of("box", std::to_string(i)));
    BOOST_REQUIRE(!left);
  }
  BOOST_TEST((of("box", "0") == first));
  static_cast<void>(of("box", "one more"));
  BOOST_REQUIRE(left.has_value());
  BOOST_TEST((*left == second));
  BOOST_TEST(senders.all().size() == Senders::kMax);
}

BOOST_AUTO_TEST_SUITE_END()
