// Bytes of files between the answers of a session: they leave in order, count as unsent, hold back nobody else, and keep
// their place until they are sent or the connection has ended. Whole answers: tests/world/blob_answers_test.cpp.
#include "server/session/output.h"

#include <boost/test/unit_test.hpp>

#include <string>

#include "tests/unit/server/parts.h"
#include "tests/unit/storage/life.h"

namespace {

using namespace fastjournal;
using namespace fastjournal::server;
using namespace fastjournal::server::test;
using storage::test::Life;

struct OutputFixture : Parts {
  OutputFixture() { BOOST_REQUIRE(life.start().ok()); }

  // What is written is covered by a commit.
  void say(Session& session, std::string_view text) {
    session.out.bytes.append(text);
    session.out.commit();
  }
  void say_file(Session& session, std::string const& bytes) {
    Result<StoredValue> const value = life.files().carry(bytes, false);
    BOOST_REQUIRE(value.ok());
    life.files().named(value->extent, bytes);
    storage::Readings::Reading reading = life.files().readings().read_in_place(value->extent);
    BOOST_REQUIRE(reading.file != nullptr);
    session.out.file_bytes += bytes.size();
    session.out.files.push_back({.at = session.out.written(),
                                 .file = std::move(reading.file),
                                 .offset = value->extent.begin,
                                 .left = bytes.size(),
                                 .owner = &life.files().readings(),
                                 .reading = reading.number});
  }
  // No file is read any more: once the table is dropped, nothing of it is left.
  bool is_all_given_back() {
    life.files().dropped(Lsn{8});
    for (int i = 0; i < 20; ++i) BOOST_TEST(life.turn(true).empty());
    return life.files().is_over();
  }
  // The peer takes so much, and the server hears that it does.
  void take(Session& session, std::size_t bytes) {
    network.room[session.id] = bytes;
    output.flush(session);
  }

  Life life{1};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(output_of_the_server, OutputFixture)

BOOST_AUTO_TEST_CASE(bytes_of_files_leave_at_their_place) {
  Session& session = come(1);
  say(session, "one ");
  say_file(session, "FIRST");
  say(session, " two ");
  say_file(session, "SECOND");
  say_file(session, "THIRD");
  say(session, " three");
  output.flush(session);
  BOOST_TEST(sent(1) == "one FIRST two SECONDTHIRD three");
  BOOST_TEST(session.out.unsent() == 0U);
  BOOST_TEST(output.bytes_sent() == sent(1).size());
  say(session, " four ");
  say_file(session, "FOURTH");
  output.flush(session);
  BOOST_TEST(sent(1).ends_with(" three four FOURTH"));
  BOOST_TEST(is_all_given_back());
}

BOOST_AUTO_TEST_CASE(a_file_waits_for_the_commit_of_what_announces_it) {
  Session& session = come(1);
  say(session, "old ");
  session.out.bytes.append("new ");  // not covered so far
  say_file(session, "FILE");
  output.flush(session);
  BOOST_TEST(sent(1) == "old ");
  session.out.commit();
  output.flush(session);
  BOOST_TEST(sent(1) == "old new FILE");
}

BOOST_AUTO_TEST_CASE(a_slow_reader_gets_all_of_it_and_holds_back_nobody) {
  Session& slow = come(1);
  Session& fast = come(2);
  std::string const bytes = life.bytes(5000);
  for (Session* const session : {&slow, &fast}) {
    say(*session, "begin ");
    say_file(*session, bytes);
    say(*session, " end");
  }
  network.room[slow.id] = 3;
  output.flush(slow);
  output.flush(fast);
  BOOST_TEST((sent(2) == "begin " + bytes + " end"));
  BOOST_TEST(sent(1) == "beg");
  BOOST_TEST(slow.out.unsent() == bytes.size() + 7);
  while (sent(1).size() < bytes.size() + 10) take(slow, 1 + life.chance()() % 500);
  BOOST_TEST((sent(1) == sent(2)));
  BOOST_TEST(slow.out.unsent() == 0U);
  BOOST_TEST(is_all_given_back());
}

BOOST_AUTO_TEST_CASE(what_waits_in_files_counts_as_unsent_and_takes_no_memory) {
  Session& session = come(1);
  network.room[session.id] = 0;
  say(session, "begin ");
  std::uint64_t const before = session.memory_bytes();
  say_file(session, life.bytes(20'000));
  output.flush(session);
  BOOST_TEST(output.is_over(session));
  BOOST_TEST(session.memory_bytes() < before + 200);
  session.in.pause = UnreadInput::Pause::full;
  session.in.reading_paused = true;
  take(session, 19'000);
  BOOST_TEST(session.in.is_full());
  take(session, 1000);
  BOOST_TEST(!session.in.is_full());  // half of the limit
  BOOST_TEST(!output.is_over(session));
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_in_the_middle_gives_its_files_back) {
  for (std::uint64_t const id : {1U, 2U}) {
    Session& session = come(id);
    say(session, "begin ");
    say_file(session, life.bytes(3000));
    say_file(session, life.bytes(3000));
    take(session, 1000);
  }
  BOOST_TEST(!is_all_given_back());
  sessions.gone(ConnectionId{1});
  BOOST_TEST(!is_all_given_back());
  sessions.close(*sessions.find(ConnectionId{2}));
  BOOST_TEST(is_all_given_back());
}

BOOST_AUTO_TEST_CASE(a_connection_that_ends_with_a_file_lasts_until_it_is_sent) {
  Session& session = come(1);
  say(session, "begin ");
  say_file(session, life.bytes(3000));
  sessions.end_after_answers(session);
  take(session, 1000);
  BOOST_TEST(network.closed.empty());
  take(session, 2006);
  BOOST_TEST((network.closed == std::vector{ConnectionId{1}}));
  BOOST_TEST(sent(1).size() == 3006U);
}

BOOST_AUTO_TEST_CASE(a_connection_ends_where_its_file_cannot_be_read) {
  Session& session = come(1);
  say(session, "begin ");
  say_file(session, life.bytes(9000));
  say(session, " end");
  take(session, 1000);
  auto file = life.disk().open("bytes/blobs/data.000001", env::OpenMode::read_write);
  BOOST_REQUIRE(file.ok());
  BOOST_REQUIRE(file.value()->truncate(5000).ok());
  take(session, SIZE_MAX);
  BOOST_TEST((network.closed == std::vector{ConnectionId{1}}));
  BOOST_TEST(sent(1).size() == 1000U);
  BOOST_TEST(life.files().take_damage().size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
