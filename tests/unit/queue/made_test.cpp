// The readers that are made from queue.xml: each takes what it was given, in any order, and says what is wrong with it. That
// the limits are those of the XML is probed over the wire (tests/world/limits_test.cpp).
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

#include "plugins/queue/made.h"
#include "tests/support/memory_log.h"

namespace fastjournal::queue {
namespace {

using Given = std::vector<std::pair<std::string_view, Value>>;

constexpr model::Range kLeases{.min = 10, .max = 1'000, .absent = 500};

struct Reader {
  fastjournal::test::MemoryLog log{};
  Answer answer{};
  Message message{};
  Decision decision{.now = TimeMs{100'000}, .records = log, .answer = answer};

  template <typename Made, typename... Ranges>
  bool read(Made& made, Given const& given, Ranges const&... ranges) {
    for (auto const& [name, value] : given) message.set(name, value);
    return made.read(Command{.message = &message}, decision, ranges...);
  }
  [[nodiscard]] std::string why() const { return decision.status.text(); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_made)

BOOST_AUTO_TEST_CASE(what_is_absent_is_as_declared) {
  made::Acquire acquire;
  BOOST_TEST(Reader{}.read(acquire, {{"table", Value::of_text("post")}}, kLeases));
  BOOST_TEST(acquire.count == 1U);
  BOOST_TEST(acquire.lease == 500);
  BOOST_TEST((!acquire.accept && !acquire.queue.is_given && acquire.queue.empty()));
  made::Declare declare;
  BOOST_TEST(Reader{}.read(declare, {}));
  BOOST_TEST((!declare.temporary && !declare.max_bytes && !declare.kind && !declare.expires));
}

BOOST_AUTO_TEST_CASE(values_of_any_kind_are_read_in_any_order) {
  made::Acquire acquire;
  BOOST_TEST(Reader{}.read(acquire,
                           {{"accept", Value::of_boolean(true)},
                            {"lease", Value::of_text("10")},
                            {"queue", Value::of_text("")},
                            {"count", Value::of_unsigned(1024)}},
                           kLeases));
  BOOST_TEST((acquire.accept && acquire.lease == 10 && acquire.count == 1024U));
  BOOST_TEST((acquire.queue.is_given && acquire.queue.empty()));
  made::Declare declare;
  BOOST_TEST(Reader{}.read(declare, {{"temporary", Value::of_text("0")}, {"kind", Value::of_text("topic")}}));
  BOOST_TEST((declare.temporary == false && declare.kind == made::KindChoice::topic));
}

// In a promise that is kept: relative to when it was asked for.
BOOST_AUTO_TEST_CASE(dates_are_relative_to_when_the_command_came) {
  made::Release release;
  Reader reader;
  reader.decision.promised_for = DurationMs{40'000};
  BOOST_TEST(reader.read(release, {{"process_date", Value::of_text("+5")}}));
  BOOST_TEST((release.process_date == 60'005));
}

BOOST_AUTO_TEST_CASE(the_first_mistake_is_told) {
  made::Browse browse;
  Reader reader;
  BOOST_TEST(!reader.read(browse, {{"status", Value::of_text("gone")}, {"count", Value::of_integer(0)}}));
  BOOST_TEST(reader.why() == "bad_parameter: status is \"gone\", expected waiting, due, behind, acquired or parked");
  BOOST_TEST((!browse.status && browse.count == 100U));
}

BOOST_AUTO_TEST_CASE(limits_that_options_say_are_told) {
  made::Touch touch;
  Reader reader;
  BOOST_TEST(!reader.read(touch, {{"lease", Value::of_integer(9)}}, kLeases));
  BOOST_TEST(reader.why() == "bad_parameter: lease is 9: expected a whole number from 10 to 1000");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fastjournal::queue
