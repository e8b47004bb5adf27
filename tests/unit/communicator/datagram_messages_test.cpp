// Who may send messages by UDP, and how many a second.
#include "server/communicator/datagram_messages.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::communicator;

int taken(DatagramSource& source, std::int64_t now_us, int sent) {
  int count = 0;
  for (int i = 0; i < sent; ++i) count += source.has_room(now_us) ? 1 : 0;
  return count;
}

bool admits(std::string secret, char const* given) {
  DatagramSource const source{{std::move(secret), 10}};
  Message message{"INSERT"};
  message.set("table", "jobs");
  if (given != nullptr) message.set(kSecretParameter, given);
  bool const admitted = source.admits(message);
  BOOST_TEST(!message.has(kSecretParameter));
  BOOST_TEST(message.text("table") == "jobs");
  return admitted;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(datagram_source)

BOOST_AUTO_TEST_CASE(no_more_come_in_a_second_than_are_allowed) {
  DatagramSource source{{"", 10}};
  std::int64_t now = 50'000'000;
  BOOST_TEST(taken(source, now, 100) == 10);
  BOOST_TEST(taken(source, now + 99'999, 100) == 0);
  BOOST_TEST(taken(source, now + 100'000, 100) == 1);
  BOOST_TEST(taken(source, now + 600'000, 100) == 5);
  // A long silence saves up messages for one second only.
  BOOST_TEST(taken(source, now + 3'600'000'000, 100) == 10);
}

BOOST_AUTO_TEST_CASE(steady_senders_get_all_through) {
  DatagramSource source{{"", 10'000}};
  int count = 0;
  for (std::int64_t i = 0; i < 20'000; ++i) count += taken(source, 5'000'000 + i * 100, 1);
  BOOST_TEST(count == 20'000);
}

BOOST_AUTO_TEST_CASE(the_first_message_of_a_start_is_taken) {
  DatagramSource source{{"", 1}};
  BOOST_TEST(taken(source, 0, 5) == 1);
}

BOOST_AUTO_TEST_CASE(the_secret_must_be_right_and_goes_no_further) {
  BOOST_TEST(admits("open sesame", "open sesame"));
  for (char const* const wrong : {"", "open", "open sesame!", "open sesamf", "Open sesame", "open sesameopen sesame"})
    BOOST_TEST(!admits("open sesame", wrong), wrong);
  BOOST_TEST(!admits("open sesame", nullptr));
  // No secret is configured.
  BOOST_TEST(admits("", nullptr));
  BOOST_TEST(admits("", "anything"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(datagram_messages)

BOOST_AUTO_TEST_CASE(what_is_not_run_is_counted_by_its_reason) {
  DatagramMessages messages;
  ConnectionId const socket{3};
  messages.take(socket, {"sesame", 10});
  BOOST_TEST(messages.read(ConnectionId{4}, "INSERT table=jobs", 0) == nullptr);
  BOOST_TEST(messages.counters().messages == 0U);
  Message const* const good = messages.read(socket, "INSERT table=jobs;secret_code=sesame\nrest", 0);
  BOOST_REQUIRE(good != nullptr);
  BOOST_TEST(good->text("table") == "jobs");
  BOOST_TEST(!good->has(kSecretParameter));
  BOOST_TEST(messages.read(socket, "INSERT table=jobs", 1'000'000) == nullptr);
  BOOST_TEST(messages.read(socket, "INSERT =", 2'000'000) == nullptr);
  BOOST_TEST(messages.read(socket, std::string(kDatagramMessageBytesMax + 1, 'A'), 3'000'000) == nullptr);
  BOOST_TEST(messages.counters().messages == 4U);
  BOOST_TEST(messages.counters().wrong_secret == 1U);
  BOOST_TEST(messages.counters().dropped == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
