// Sessions, and the line of those whose input is next. Whole connections: tests/world/admission_test.cpp,
// sessions_test.cpp, turns_test.cpp.
#include "server/session/sessions.h"

#include <boost/test/unit_test.hpp>

#include "server/session/input_line.h"
#include "tests/unit/server/parts.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::server;
using namespace fastjournal::server::test;

struct SessionsFixture : Parts {
  bool is_full() { return !sessions.admit(ConnectionId{99}, {"peer", "ip:99"}, kLoopbackRights, messages()).ok(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sessions_of_the_server, SessionsFixture)

BOOST_AUTO_TEST_CASE(what_a_session_was_given_comes_back_when_it_goes) {
  come(1);
  Session& second = come(2);
  BOOST_TEST(is_full());
  BOOST_TEST(memory.total() > 0U);
  sessions.mark_dirty(second);
  sessions.gone(ConnectionId{1});
  sessions.close(second);
  BOOST_TEST((network.closed == std::vector{ConnectionId{2}}));
  BOOST_TEST((end.ended == std::vector{ConnectionId{1}, ConnectionId{2}}));
  BOOST_TEST(sessions.size() == 0U);
  BOOST_TEST(memory.total() == 0U);
  BOOST_TEST(!sessions.has_dirty());
  BOOST_TEST(sessions.next_silent_us() == INT64_MAX);
  BOOST_TEST(!is_full());
}

BOOST_AUTO_TEST_CASE(administrators_and_links_have_a_place_when_all_others_are_taken) {
  come(1);
  come(2);
  come(3, kAllRights);
  Session& link =
      sessions.open_link(ConnectionId{4}, {"communicatord", "made"}, {Right::add}, Called::communicator, messages());
  BOOST_TEST(link.life.is_known);
  BOOST_TEST(sessions.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_session_is_dirty_once) {
  Session& session = come(1);
  sessions.mark_dirty(session);
  sessions.mark_dirty(session);
  std::vector<Session*> dirty;
  sessions.take_dirty(dirty);
  BOOST_TEST((dirty == std::vector<Session*>{&session}));
  BOOST_TEST(!sessions.has_dirty());
}

BOOST_AUTO_TEST_CASE(a_newcomer_that_says_nothing_is_found) {
  Session& session = come(1);
  session.life.is_known = false;
  BOOST_TEST(sessions.first_silent(999'999) == nullptr);
  BOOST_TEST(sessions.first_silent(1'000'000) == &session);
  session.life.is_known = true;
  sessions.heard(session);  // no limit for a session that has said something
  BOOST_TEST(sessions.first_silent(INT64_MAX) == nullptr);
}

BOOST_AUTO_TEST_CASE(those_without_a_turn_come_before_those_that_had_one) {
  Session& first = come(1);
  Session& second = come(2);
  line.stand_again(first);
  line.stand_first(second);
  line.stand_first(first);  // it is in the line already
  BOOST_TEST(line.take() == &second);
  BOOST_TEST(line.take() == &first);
  BOOST_TEST(line.is_empty());
}

BOOST_AUTO_TEST_CASE(a_session_that_is_gone_or_ends_is_not_read) {
  line.stand_first(come(1));
  line.stand_first(come(2));
  sessions.gone(ConnectionId{1});
  sessions.end_after_answers(*sessions.find(ConnectionId{2}));
  BOOST_TEST(line.take() == nullptr);
  BOOST_TEST(line.take() == nullptr);
  BOOST_TEST(line.is_empty());
}

BOOST_AUTO_TEST_CASE(the_network_stops_reading_only_from_those_that_are_left) {
  line.stand_first(come(1));
  line.stand_first(come(2));
  BOOST_TEST(line.take() != nullptr);
  int const asked = network.turns_asked;
  line.pause_those_left();
  BOOST_TEST((network.paused == std::set{ConnectionId{2}}));
  BOOST_TEST(network.turns_asked == asked + 1);
  Session* const second = line.take();
  line.pause_reading(*second);
  BOOST_TEST(network.paused.empty());
}

BOOST_AUTO_TEST_SUITE_END()
