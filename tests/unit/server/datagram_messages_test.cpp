// Who may send messages by UDP, and how many a second.
#include "server/datagram_messages.h"

#include <boost/test/unit_test.hpp>

namespace {

using namespace fastjournal;
using namespace fastjournal::server;

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
  // A long silence saves up one second's worth.
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
  // None is asked for.
  BOOST_TEST(admits("", nullptr));
  BOOST_TEST(admits("", "anything"));
}

BOOST_AUTO_TEST_SUITE_END()
