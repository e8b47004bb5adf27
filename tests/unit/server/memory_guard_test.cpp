// The measures against clients that use too much memory, one at a time. Many clients:
// tests/world/client_memory_test.cpp and tests/hostile.
#include "server/session/memory_guard.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/server/parts.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::server;
using namespace fastjournal::server::test;

struct Resumed final : Resume {
  void resume(Session& session) override { ids.push_back(session.id); }
  std::vector<ConnectionId> ids;
};

struct MemoryGuardFixture : Parts {
  Session& with_input(std::uint64_t id, std::size_t bytes) {
    Session& session = come(id);
    BOOST_TEST(guard.take_in(session, std::string(bytes, 'x')));
    sessions.count(session);
    return session;
  }
  void end_turn() { guard.end_turn(resumed); }

  Resumed resumed;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(memory_guard, MemoryGuardFixture)

BOOST_AUTO_TEST_CASE(above_the_limit_the_largest_connection_is_closed_and_told_why) {
  with_input(1, kMemory / 4);
  with_input(2, kMemory);
  BOOST_TEST(guard.is_stopped(*sessions.find(ConnectionId{1})));
  end_turn();
  BOOST_TEST((end.ended == std::vector{ConnectionId{2}}));
  BOOST_TEST(sent(2).find("code=over_limit") != std::string::npos);
  BOOST_TEST(guard.refused() == 1U);
  BOOST_TEST(!guard.is_stopped(*sessions.find(ConnectionId{1})));
}

BOOST_AUTO_TEST_CASE(a_greedy_connection_is_stopped_until_there_is_memory_again) {
  Session& greedy = with_input(1, kMemory / 2);
  Session& other = with_input(2, kMemory / 16 * 5);
  BOOST_TEST(guard.is_short());
  BOOST_TEST(guard.stops(greedy));
  BOOST_TEST(!guard.is_stopped(other));
  BOOST_TEST(guard.held() == 1U);
  end_turn();
  BOOST_TEST(guard.next_us() < INT64_MAX);
  sessions.close(other);
  end_turn();
  BOOST_TEST((resumed.ids == std::vector{ConnectionId{1}}));
  BOOST_TEST(!greedy.account.stopped);
  end_turn();
  BOOST_TEST(guard.next_us() == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(a_connection_without_memory_for_its_answer_is_closed_once) {
  Session& session = come(1);
  guard.lose(session);
  guard.lose(session);
  BOOST_TEST(guard.is_stopped(session));
  end_turn();
  BOOST_TEST((end.ended == std::vector{ConnectionId{1}}));
  BOOST_TEST(guard.refused() == 1U);
}

BOOST_AUTO_TEST_CASE(while_the_process_has_no_memory_large_connections_are_not_read) {
  Session& large = with_input(1, kMemory / 4);
  Session& small = come(2);
  reserve.ended = true;
  guard.look_at_reserve();
  BOOST_TEST(guard.is_stopped(large));
  BOOST_TEST(!guard.is_stopped(small));
  BOOST_TEST(guard.is_scarce());
  end_turn();
  BOOST_TEST(guard.is_scarce());
  reserve.refills = true;
  end_turn();
  BOOST_TEST(!guard.is_scarce());
  BOOST_TEST(!guard.is_stopped(large));
}

BOOST_AUTO_TEST_SUITE_END()
