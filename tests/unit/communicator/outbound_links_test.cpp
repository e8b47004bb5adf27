// The connections that the daemon opens: telling them apart, and the reports about those that fail. Their waits and
// whole conversations: tests/world/communicator_test.cpp.
#include "server/communicator/outbound_links.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/recording_network.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::communicator;

constexpr ConnectionId kNone = ConnectionId::none;

struct OutboundLinksFixture {
  test::RecordingNetwork network;
  test::RecordingNotes notes;
  OutboundLinks links{network, notes};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(outbound_links, OutboundLinksFixture)

BOOST_AUTO_TEST_CASE(nothing_is_opened_that_is_not_configured) {
  links.tick(0);
  BOOST_TEST(network.last == 0U);
  BOOST_TEST(links.next_us() == INT64_MAX);
  BOOST_TEST(!links.has_communicator());
  BOOST_TEST((links.alerts() == kNone));
  BOOST_TEST(links.opened(ConnectionId{1}) == nullptr);
}

BOOST_AUTO_TEST_CASE(alerts_go_over_the_communicatord_or_to_an_address_of_their_own) {
  links.join({.communicator = "sim:1", .alert_service = "watcher"});
  links.tick(0);
  BOOST_TEST((links.communicator() == ConnectionId{1}));
  BOOST_TEST((links.alerts() == links.communicator()));

  OutboundLinks both{network, notes};
  both.join({.communicator = "sim:1", .alert_service = "watcher", .alert_address = "sim:2"});
  both.tick(0);
  BOOST_TEST((both.communicator() == ConnectionId{2}));
  BOOST_TEST((both.alerts() == ConnectionId{3}));

  OutboundLinks untold{network, notes};
  untold.join({.communicator = "sim:1"});
  untold.tick(0);
  BOOST_TEST((untold.alerts() == kNone));
}

BOOST_AUTO_TEST_CASE(a_loss_is_reported_once_and_the_connection_made_again) {
  links.join({.communicator = "sim:1"});
  network.connects = false;
  for (std::int64_t now_us = 0; now_us < 5'000'000; now_us += 500'000) links.tick(now_us);
  BOOST_TEST(notes.warnings.size() == 1U);
  network.connects = true;
  links.tick(100'000'000);
  BOOST_TEST(links.opened(links.communicator())->address() == "sim:1");
  links.closed(links.communicator(), "it ended", 100'000'000);
  BOOST_TEST(notes.warnings.size() == 2U);
  BOOST_TEST((links.communicator() == kNone));
  BOOST_TEST(links.next_us() < INT64_MAX);
  links.give_up();
  BOOST_TEST(links.next_us() == INT64_MAX);
}

BOOST_AUTO_TEST_SUITE_END()
